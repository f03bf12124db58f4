//! Everything that was said, sent and seen in one scenario, in order: JSON lines, written once, judged as often as wanted.

use super::protocol::conversation::BadLine;
use super::protocol::{Asked, Event, Options, Role};
use super::wire::batches::{Batch, Head};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// An entry and when it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// Milliseconds since the scenario began.
    pub ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
}

/// Something that happened. A driver is known by the name that the scenario gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Entry {
    /// The scenario began.
    Begun {
        /// Its id.
        scenario: String,
        /// The client's id.
        client: String,
        /// The run's seed.
        seed: u64,
    },
    /// The scenario went on to a step.
    Step {
        /// In words.
        step: String,
    },
    /// A topic was made.
    Topic {
        /// Its name.
        topic: String,
        /// Its id, as newer requests name it.
        id: String,
        /// How many partitions.
        partitions: i32,
    },
    /// A driver was started.
    Started {
        /// Its name.
        driver: String,
        /// Its role.
        role: Role,
        /// Its options.
        options: Options,
    },
    /// A command was sent.
    Sent {
        /// To whom.
        driver: String,
        /// The command.
        #[serde(flatten)]
        asked: Asked,
    },
    /// A driver said something.
    Said {
        /// Who.
        driver: String,
        /// What.
        #[serde(flatten)]
        event: Event,
    },
    /// A driver said something that it must not.
    Bad {
        /// Who.
        driver: String,
        /// What is wrong with it.
        #[serde(flatten)]
        bad: BadLine,
    },
    /// A driver ended.
    Exited {
        /// Who.
        driver: String,
        /// Its exit code; absent when a signal ended it.
        code: Option<i32>,
        /// The last lines of its standard error.
        words: String,
    },
    /// A connection to the proxy was opened or closed.
    Connection {
        /// Its number, unique in the run.
        connection: u64,
        /// The node behind.
        node: i32,
        /// Opened, or closed.
        open: bool,
    },
    /// A frame passed the proxy.
    Frame {
        /// The connection.
        connection: u64,
        /// The node behind.
        node: i32,
        /// From the client to the broker, or back.
        request: bool,
        /// The API's key.
        api: i16,
        /// Its version.
        version: i16,
        /// The correlation id.
        correlation: i32,
        /// Its size in bytes.
        bytes: usize,
        /// What is inside, where the kit looks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inside: Option<Inside>,
        /// What the proxy did with it instead of passing it on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
    },
    /// Something was done to a broker.
    Broker {
        /// The node.
        node: i32,
        /// `stop`, `kill`, `pause`, `resume`, `restart`.
        action: String,
    },
    /// A fault began, or all faults ended.
    Fault {
        /// In words.
        fault: String,
    },
    /// A partition's log, as the kit's own client read it.
    Log {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// All its batches.
        batches: Vec<Batch>,
    },
    /// Something that the scenario tells its judge.
    Note {
        /// What.
        name: String,
        /// Its value.
        value: serde_json::Value,
    },
    /// Entries were left out: the history was full.
    LeftOut {
        /// How many.
        entries: u64,
    },
    /// The scenario could not go on.
    Halted {
        /// Why.
        #[serde(flatten)]
        halt: Halt,
    },
}

/// What the kit saw inside a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Inside {
    /// A Produce request.
    Produce {
        /// -1 for all.
        acks: i16,
        /// The transactional id.
        transactional_id: Option<String>,
        /// Each partition's batches; a topic is named by its name or its id.
        parts: Vec<Part>,
    },
    /// A Produce answer.
    Produced {
        /// Topic, partition, error code, base offset.
        parts: Vec<(String, i32, i16, i64)>,
    },
    /// A Fetch request.
    Fetch {
        /// 0: read uncommitted, 1: read committed.
        isolation: i8,
        /// Topic, partition, offset.
        parts: Vec<(String, i32, i64)>,
    },
    /// An OffsetCommit request.
    OffsetCommit {
        /// The group.
        group: String,
        /// Topic, partition, offset.
        parts: Vec<(String, i32, i64)>,
    },
    /// An OffsetCommit answer.
    OffsetsCommitted {
        /// Topic, partition, error code.
        parts: Vec<(String, i32, i16)>,
    },
}

/// A partition's batches in a Produce request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The topic's name or id.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The headers of its batches.
    pub batches: Vec<Head>,
}

/// Why a scenario could not go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Halt {
    /// A bad line.
    Spoke {
        /// Who.
        driver: String,
        /// What.
        bad: Box<BadLine>,
    },
    /// No answer in time.
    Hung {
        /// Who.
        driver: String,
        /// At which step.
        step: String,
        /// How long the kit waited.
        waited_ms: u64,
    },
    /// The process ended.
    Crashed {
        /// Who.
        driver: String,
        /// At which step.
        step: String,
        /// How it ended and its last words.
        how: String,
    },
    /// Too much memory.
    Memory {
        /// Who.
        driver: String,
        /// At which step.
        step: String,
        /// How much it used.
        mib: u64,
    },
    /// The client cannot do it, as its driver says.
    Unsupported {
        /// Why.
        reason: String,
        /// Where that is discussed.
        link: Option<String>,
    },
    /// A command that must work for the scenario to mean anything failed.
    Failed {
        /// Who.
        driver: String,
        /// At which step.
        step: String,
        /// The client's words.
        failure: String,
    },
    /// The kit or the broker failed: nothing is known of the client.
    Kit {
        /// Why.
        trouble: String,
    },
}

impl From<super::broker::BrokerError> for Halt {
    fn from(why: super::broker::BrokerError) -> Self {
        Halt::Kit { trouble: why.to_string() }
    }
}

impl From<super::wire::WireError> for Halt {
    fn from(why: super::wire::WireError) -> Self {
        Halt::Kit { trouble: why.to_string() }
    }
}

/// How many entries a history holds; more are counted, not kept.
pub const MOST: usize = 400_000;

/// Writes a history, from many tasks at once.
#[derive(Debug, Clone)]
pub struct Recorder(Arc<Mutex<Writing>>);

#[derive(Debug)]
struct Writing {
    begun: Instant,
    entries: Vec<At>,
    left_out: u64,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder(Arc::new(Mutex::new(Writing { begun: Instant::now(), entries: Vec::new(), left_out: 0 })))
    }
}

impl Recorder {
    /// Appends an entry.
    pub fn record(&self, entry: Entry) {
        let mut writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if writing.entries.len() >= MOST && !matches!(entry, Entry::Halted { .. } | Entry::Log { .. } | Entry::Note { .. }) {
            writing.left_out += 1;
            return;
        }
        let ms = u64::try_from(writing.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        writing.entries.push(At { ms, entry });
    }

    /// Whether an entry is there that `wanted` wants; looks at the newest first.
    pub fn any(&self, wanted: impl Fn(&Entry) -> bool) -> bool {
        let writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writing.entries.iter().rev().any(|at| wanted(&at.entry))
    }

    /// The history so far.
    pub fn history(&self) -> History {
        let writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = writing.entries.clone();
        if writing.left_out > 0 {
            let ms = entries.last().map_or(0, |at| at.ms);
            entries.push(At { ms, entry: Entry::LeftOut { entries: writing.left_out } });
        }
        History { entries }
    }

    /// Milliseconds since the beginning.
    pub fn elapsed_ms(&self) -> u64 {
        let writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        u64::try_from(writing.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A finished history.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Its entries, in order.
    pub entries: Vec<At>,
}

impl History {
    /// Reads JSON lines. The error names the line.
    pub fn parse(text: &str) -> Result<History, String> {
        let parse = |(n, line): (usize, &str)| serde_json::from_str(line).map_err(|why| format!("line {}: {why}", n + 1));
        let entries =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect::<Result<_, _>>()?;
        Ok(History { entries })
    }

    /// As JSON lines.
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = self.entries.iter().filter_map(|at| serde_json::to_string(at).ok()).collect();
        lines.join("\n") + "\n"
    }

    /// Reads a saved history.
    pub fn load(path: &Path) -> Result<History, String> {
        let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
        History::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// The scenario's, client's id and seed.
    pub fn begun(&self) -> Option<(&str, &str, u64)> {
        self.entries.iter().find_map(|at| match &at.entry {
            Entry::Begun { scenario, client, seed } => Some((scenario.as_str(), client.as_str(), *seed)),
            _ => None,
        })
    }

    /// Why it ended early, if it did.
    pub fn halt(&self) -> Option<&Halt> {
        self.entries.iter().rev().find_map(|at| match &at.entry {
            Entry::Halted { halt } => Some(halt),
            _ => None,
        })
    }

    /// What the scenario told its judge under `name`; the last one counts.
    pub fn note(&self, name: &str) -> Option<&serde_json::Value> {
        self.entries.iter().rev().find_map(|at| match &at.entry {
            Entry::Note { name: found, value } if found == name => Some(value),
            _ => None,
        })
    }

    /// The topics that were made: name, id, partitions.
    pub fn topics(&self) -> Vec<(&str, &str, i32)> {
        self.entries
            .iter()
            .filter_map(|at| match &at.entry {
                Entry::Topic { topic, id, partitions } => Some((topic.as_str(), id.as_str(), *partitions)),
                _ => None,
            })
            .collect()
    }

    /// The log of `topic` as it was last read: partition to batches.
    pub fn log(&self, topic: &str) -> BTreeMap<i32, &[Batch]> {
        let mut log = BTreeMap::new();
        for at in &self.entries {
            if let Entry::Log { topic: found, partition, batches } = &at.entry
                && found == topic
            {
                log.insert(*partition, batches.as_slice());
            }
        }
        log
    }

    /// Commands sent to `driver`, with their numbers in the history.
    pub fn sent<'h>(&'h self, driver: &'h str) -> impl Iterator<Item = (usize, &'h Asked)> {
        self.entries.iter().enumerate().filter_map(move |(n, at)| match &at.entry {
            Entry::Sent { driver: found, asked } if found == driver => Some((n, asked)),
            _ => None,
        })
    }

    /// What `driver` said, with when.
    pub fn said<'h>(&'h self, driver: &'h str) -> impl Iterator<Item = (u64, &'h Event)> {
        self.entries.iter().filter_map(move |at| match &at.entry {
            Entry::Said { driver: found, event } if found == driver => Some((at.ms, event)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::protocol::{Class, Command, Failure};

    #[test]
    fn a_history_survives_being_saved() {
        let recorder = Recorder::default();
        let driver = || "p".to_owned();
        recorder.record(Entry::Begun { scenario: "s".into(), client: "c".into(), seed: u64::MAX });
        recorder.record(Entry::Sent { driver: driver(), asked: Asked { id: 1, command: Command::Flush { timeout_ms: 5 } } });
        let failure = Failure { class: Class::Fatal, code: Some(3), error: "E".into(), message: String::new() };
        recorder.record(Entry::Said { driver: driver(), event: Event::Failed { id: 1, failure } });
        recorder.record(Entry::Halted { halt: Halt::Kit { trouble: "x".into() } });
        let history = recorder.history();
        assert_eq!(History::parse(&history.to_text()).unwrap(), history);
        assert_eq!(history.begun(), Some(("s", "c", u64::MAX)));
        assert!(History::parse("{}\n").unwrap_err().starts_with("line 1: "));
    }
}
