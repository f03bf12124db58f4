//! What the kit and a driver say to each other: one JSON object a line, commands in, events out.
//!
//! The types here are the protocol: the schema is generated from them ([`schema`]), and every line that a driver says is read
//! into them by [`conversation`], strictly.

pub mod conversation;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes; in JSON a string in standard base64 with padding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct Blob(#[schemars(with = "String")] pub Vec<u8>);

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) if text.len() <= 64 => write!(f, "{text:?}"),
            _ => write!(f, "{} bytes", self.0.len()),
        }
    }
}

impl Serialize for Blob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(&text).map_err(|why| serde::de::Error::custom(format!("{text:?} is not base64: {why}")))?;
        Ok(Blob(bytes))
    }
}

/// A header: its name, and its value or `null`.
pub type Header = (String, Option<Blob>);

/// What a driver process is started as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Says what it is, and ends.
    Info,
    /// Sends records.
    Producer,
    /// Reads records.
    Consumer,
}

impl Role {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Role::Info => "info",
            Role::Producer => "producer",
            Role::Consumer => "consumer",
        }
    }
}

/// A record to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Where to.
    pub topic: String,
    /// Which partition; `null` leaves it to the client's partitioner.
    pub partition: Option<i32>,
    /// The key.
    pub key: Option<Blob>,
    /// The value.
    pub value: Option<Blob>,
    /// Headers, in order; a name may come more than once.
    #[serde(default)]
    pub headers: Vec<Header>,
    /// Milliseconds since 1970; `null` leaves it to the client.
    pub timestamp: Option<i64>,
}

/// A place in a partition: `offset` is the next record to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
}

/// What the kit asks of a driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Command {
    /// Send a record; do not wait for its acknowledgement before the next command is read.
    Send(Message),
    /// Wait until everything sent has been acknowledged or has failed.
    Flush {
        /// For at most this long.
        timeout_ms: u64,
    },
    /// Make the transactional producer ready.
    InitTransactions,
    /// Begin a transaction.
    Begin,
    /// Commit it.
    Commit,
    /// Abort it.
    Abort,
    /// Wait for up to `max` records.
    Poll {
        /// At most this many.
        max: u32,
        /// For at most this long.
        timeout_ms: u64,
    },
    /// Commit the offsets given; `null`: of what was polled so far.
    CommitOffsets {
        /// The next record to read, for each partition.
        offsets: Option<Vec<Place>>,
    },
    /// Go on reading at an offset.
    Seek(Place),
    /// Go on reading at the first record that is not older than a time.
    SeekToTime {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// Milliseconds since 1970.
        timestamp: i64,
    },
    /// Stop fetching from partitions.
    Pause {
        /// Topic and partition.
        partitions: Vec<(String, i32)>,
    },
    /// Fetch from them again.
    Resume {
        /// Topic and partition.
        partitions: Vec<(String, i32)>,
    },
    /// The offset that is read next.
    Position {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// The group's committed offset.
    Committed {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// Send what is pending, close the client, say `shutdown_complete`, end.
    Close,
}

impl Command {
    /// The word on the line.
    pub fn word(&self) -> &'static str {
        match self {
            Command::Send(_) => "send",
            Command::Flush { .. } => "flush",
            Command::InitTransactions => "init-transactions",
            Command::Begin => "begin",
            Command::Commit => "commit",
            Command::Abort => "abort",
            Command::Poll { .. } => "poll",
            Command::CommitOffsets { .. } => "commit-offsets",
            Command::Seek(_) => "seek",
            Command::SeekToTime { .. } => "seek-to-time",
            Command::Pause { .. } => "pause",
            Command::Resume { .. } => "resume",
            Command::Position { .. } => "position",
            Command::Committed { .. } => "committed",
            Command::Close => "close",
        }
    }

    /// The events that may answer it, besides `unsupported`.
    pub fn answers(&self) -> &'static [&'static str] {
        match self {
            Command::Send(_) => &["producer_send_success", "producer_send_error"],
            Command::Poll { .. } => &["records_consumed"],
            Command::CommitOffsets { .. } => &["offsets_committed", "failed"],
            Command::Position { .. } | Command::Committed { .. } => &["offset", "failed"],
            Command::Close => &["shutdown_complete"],
            _ => &["done", "failed"],
        }
    }
}

/// A command with its number, unique in the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The number; the answer carries it again.
    pub id: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// What kind of error reached the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Trying again may help.
    Retriable,
    /// The client is of no more use.
    Fatal,
    /// The transaction must be aborted.
    Abortable,
    /// Who are you?
    Auth,
    /// You may not.
    Authorization,
    /// Timed out: it may have happened.
    Indeterminate,
    /// Refused for what it is.
    Invalid,
    /// The client does not say.
    Unknown,
}

/// An error as the application gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// What kind.
    pub class: Class,
    /// The protocol's error code, if the client passes it on.
    #[serde(default)]
    pub code: Option<i32>,
    /// The client's own name for it.
    pub error: String,
    /// The client's own words.
    #[serde(default)]
    pub message: String,
}

/// A record that a consumer delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// The key.
    pub key: Option<Blob>,
    /// The value.
    pub value: Option<Blob>,
    /// Headers, in order.
    #[serde(default)]
    pub headers: Vec<Header>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: Option<i64>,
}

/// An engine under a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What `run info` says: asked of the library at run time, never written by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Info {
    /// The client's name.
    pub client: String,
    /// Its version.
    pub version: String,
    /// The engine underneath, where there is one.
    #[serde(default)]
    pub engine: Option<Engine>,
    /// The language and its version, as in `Python 3.11.7`.
    pub language: String,
    /// What the driver can be started as.
    pub roles: Vec<Role>,
}

/// What a driver says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Who it is; only for the role `info`.
    Info(Info),
    /// The client has been made; it need not have connected.
    StartupComplete {},
    /// A record has been acknowledged, as the client says.
    ProducerSendSuccess {
        /// The command.
        id: u64,
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The offset; `null` when the client does not tell.
        #[serde(default)]
        offset: Option<i64>,
    },
    /// A record has not been acknowledged.
    ProducerSendError {
        /// The command.
        id: u64,
        /// Why.
        #[serde(flatten)]
        failure: Failure,
    },
    /// It is done.
    Done {
        /// The command.
        id: u64,
    },
    /// It failed.
    Failed {
        /// The command.
        id: u64,
        /// Why.
        #[serde(flatten)]
        failure: Failure,
    },
    /// What a poll brought; may be empty.
    RecordsConsumed {
        /// The command.
        id: u64,
        /// The records, in the order the client gave them.
        records: Vec<Delivered>,
    },
    /// The consumer reported an error; the poll is answered nevertheless.
    ConsumerError {
        /// The command, if it was one.
        #[serde(default)]
        id: Option<u64>,
        /// Why.
        #[serde(flatten)]
        failure: Failure,
    },
    /// Offsets have been committed, as the client says.
    OffsetsCommitted {
        /// The command; absent when the client did it by itself.
        #[serde(default)]
        id: Option<u64>,
        /// Which.
        offsets: Vec<Place>,
    },
    /// An offset that was asked for.
    Offset {
        /// The command.
        id: u64,
        /// The offset; `null` when there is none.
        offset: Option<i64>,
    },
    /// Partitions have been assigned.
    PartitionsAssigned {
        /// Topic and partition.
        partitions: Vec<(String, i32)>,
    },
    /// Partitions are being taken away; they can still be committed.
    PartitionsRevoked {
        /// Topic and partition.
        partitions: Vec<(String, i32)>,
    },
    /// Partitions are gone.
    PartitionsLost {
        /// Topic and partition.
        partitions: Vec<(String, i32)>,
    },
    /// The client cannot do a command, or has no way to honour an option (then the driver exits with 3).
    Unsupported {
        /// The command.
        #[serde(default)]
        id: Option<u64>,
        /// The option.
        #[serde(default)]
        option: Option<String>,
        /// Why.
        reason: String,
        /// Where that is discussed.
        #[serde(default)]
        link: Option<String>,
    },
    /// The client is closed; the driver ends.
    ShutdownComplete {
        /// The command; absent after the end of standard input.
        #[serde(default)]
        id: Option<u64>,
    },
}

impl Event {
    /// The word on the line.
    pub fn word(&self) -> &'static str {
        match self {
            Event::Info(_) => "info",
            Event::StartupComplete {} => "startup_complete",
            Event::ProducerSendSuccess { .. } => "producer_send_success",
            Event::ProducerSendError { .. } => "producer_send_error",
            Event::Done { .. } => "done",
            Event::Failed { .. } => "failed",
            Event::RecordsConsumed { .. } => "records_consumed",
            Event::ConsumerError { .. } => "consumer_error",
            Event::OffsetsCommitted { .. } => "offsets_committed",
            Event::Offset { .. } => "offset",
            Event::PartitionsAssigned { .. } => "partitions_assigned",
            Event::PartitionsRevoked { .. } => "partitions_revoked",
            Event::PartitionsLost { .. } => "partitions_lost",
            Event::Unsupported { .. } => "unsupported",
            Event::ShutdownComplete { .. } => "shutdown_complete",
        }
    }

    /// The command it answers.
    pub fn answers(&self) -> Option<u64> {
        match self {
            Event::ProducerSendSuccess { id, .. }
            | Event::ProducerSendError { id, .. }
            | Event::Done { id }
            | Event::Failed { id, .. }
            | Event::RecordsConsumed { id, .. }
            | Event::Offset { id, .. } => Some(*id),
            Event::OffsetsCommitted { id, .. } | Event::Unsupported { id, .. } | Event::ShutdownComplete { id } => *id,
            _ => None,
        }
    }
}

/// Every event with the fields it must have and those it may have besides.
pub const EVENTS: &[(&str, &[&str], &[&str])] = &[
    ("info", &["client", "version", "language", "roles"], &["engine"]),
    ("startup_complete", &[], &["id"]),
    ("producer_send_success", &["id", "topic", "partition"], &["offset"]),
    ("producer_send_error", &["id", "class", "error"], &["code", "message"]),
    ("done", &["id"], &[]),
    ("failed", &["id", "class", "error"], &["code", "message"]),
    ("records_consumed", &["id", "records"], &[]),
    ("consumer_error", &["class", "error"], &["id", "code", "message"]),
    ("offsets_committed", &["offsets"], &["id"]),
    ("offset", &["id", "offset"], &[]),
    ("partitions_assigned", &["partitions"], &["id"]),
    ("partitions_revoked", &["partitions"], &["id"]),
    ("partitions_lost", &["partitions"], &["id"]),
    ("unsupported", &["reason"], &["id", "option", "link"]),
    ("shutdown_complete", &[], &["id"]),
];

/// The protocol's JSON Schemas: of a command's line and of an event's line.
pub fn schema() -> Vec<(&'static str, serde_json::Value)> {
    vec![("driver-command", schemars::schema_for!(Asked).to_value()), ("driver-event", schemars::schema_for!(Event).to_value())]
}

/// Options of a driver's command line, in order. An option that is not given means the client's own default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Options(Vec<(String, String)>);

impl Options {
    /// None.
    pub fn new() -> Self {
        Options::default()
    }

    /// Adds one; `name` begins with `--`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds all of `others`.
    pub fn extend(&mut self, others: Options) {
        self.0.extend(others.0);
    }

    /// The last value given for `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// As they stand on the command line.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()])
    }
}
