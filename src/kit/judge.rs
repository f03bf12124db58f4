//! Judging: pure functions from a history to a verdict. They run as well on a saved history.

use super::history::{Entry, Halt, History, Inside, Part};
use super::protocol::{Command, Delivered, Event, Failure, Message};
use super::scenarios::Scenario;
use super::wire::batches::{Batch, Stored};
use crate::results::{Evidence, EvidenceKind, Outcome, ScenarioOutcome};
use std::collections::{BTreeMap, HashMap};

/// What a judge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Pass or fail.
    pub outcome: Outcome,
    /// What was seen, in words; a failure names the smallest thing that shows it.
    pub seen: String,
    /// What the kit itself saw.
    pub evidence: Vec<Evidence>,
}

/// `Err` is a failure; it ends the judge early.
pub type Judged = Result<Verdict, Verdict>;

impl Verdict {
    /// The client did what it should.
    pub fn pass(seen: impl Into<String>) -> Self {
        Verdict { outcome: Outcome::Pass, seen: seen.into(), evidence: Vec::new() }
    }

    /// The client did the wrong thing.
    pub fn fail(seen: impl Into<String>) -> Self {
        Verdict { outcome: Outcome::Fail, seen: seen.into(), evidence: Vec::new() }
    }

    /// Adds bytes on the wire.
    #[must_use]
    pub fn wire(self, text: impl Into<String>) -> Self {
        self.with(EvidenceKind::Wire, text)
    }

    /// Adds records in the log.
    #[must_use]
    pub fn log(self, text: impl Into<String>) -> Self {
        self.with(EvidenceKind::Log, text)
    }

    /// Adds a time.
    #[must_use]
    pub fn time(self, text: impl Into<String>) -> Self {
        self.with(EvidenceKind::Time, text)
    }

    fn with(mut self, kind: EvidenceKind, text: impl Into<String>) -> Self {
        self.evidence.push(Evidence { kind, text: text.into() });
        self
    }
}

/// Fails with words unless a condition holds.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Verdict> {
    if holds { Ok(()) } else { Err(Verdict::fail(otherwise())) }
}

/// A scenario's outcome from its history. `Err` is the kit's own trouble: nothing is known of the client.
pub fn outcome(scenario: &Scenario, history: &History) -> Result<ScenarioOutcome, String> {
    let mut outcome = ScenarioOutcome {
        scenario: scenario.id.to_owned(),
        feature: scenario.feature.to_owned(),
        outcome: Outcome::Error,
        expected: scenario.expected.to_owned(),
        seen: String::new(),
        evidence: Vec::new(),
        duration_ms: history.entries.last().map_or(0, |at| at.ms),
        reason: None,
        link: None,
    };
    match history.halt() {
        Some(Halt::Kit { trouble }) => return Err(trouble.clone()),
        Some(Halt::Unsupported { reason, link }) => {
            outcome.outcome = Outcome::Unsupported;
            "the driver says that the client cannot do it".clone_into(&mut outcome.seen);
            outcome.reason = Some(reason.clone());
            outcome.link = link.clone();
        }
        Some(halt) => {
            (outcome.outcome, outcome.seen) = halted(halt);
            outcome.evidence.push(Evidence { kind: EvidenceKind::Process, text: outcome.seen.clone() });
        }
        None => {
            let verdict = (scenario.judge)(history).unwrap_or_else(|failure| failure);
            outcome.outcome = verdict.outcome;
            outcome.seen = verdict.seen;
            outcome.evidence = verdict.evidence;
        }
    }
    Ok(outcome)
}

fn halted(halt: &Halt) -> (Outcome, String) {
    match halt {
        Halt::Spoke { driver, bad } => (Outcome::Error, format!("{driver}: {bad}")),
        Halt::Hung { driver, step, waited_ms } => {
            (Outcome::Error, format!("{driver} did not answer in {} s, at step “{step}”", waited_ms / 1000))
        }
        Halt::Crashed { driver, step, how } => (Outcome::Error, format!("{driver} ended by itself at step “{step}”: {how}")),
        Halt::Memory { driver, step, mib } => (Outcome::Error, format!("{driver} used {mib} MiB of memory at step “{step}”")),
        Halt::Failed { driver, step, failure } => (Outcome::Fail, format!("{driver} failed at step “{step}”: {failure}")),
        Halt::Unsupported { reason, .. } => (Outcome::Unsupported, reason.clone()),
        Halt::Kit { trouble } => (Outcome::Error, trouble.clone()),
    }
}

/// What became of a record that was sent, as the client says.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate<'h> {
    /// Acknowledged at a partition and, where the client tells, an offset.
    Acknowledged(i32, Option<i64>),
    /// Failed.
    Failed(&'h Failure),
    /// Nothing was said.
    Open,
}

/// A record that was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent<'h> {
    /// Its number among the records of its driver, from 0.
    pub number: usize,
    /// What was sent.
    pub message: &'h Message,
    /// What became of it.
    pub fate: Fate<'h>,
}

/// The records that `driver` was told to send, in order, with what it says became of them.
pub fn sends<'h>(history: &'h History, driver: &'h str) -> Vec<Sent<'h>> {
    let mut fates: HashMap<u64, Fate<'h>> = HashMap::new();
    for (_, event) in history.said(driver) {
        match event {
            Event::ProducerSendSuccess { id, partition, offset, .. } => {
                fates.insert(*id, Fate::Acknowledged(*partition, *offset));
            }
            Event::ProducerSendError { id, failure } => {
                fates.insert(*id, Fate::Failed(failure));
            }
            _ => {}
        }
    }
    let messages = history.sent(driver).filter_map(|(_, asked)| match &asked.command {
        Command::Send(message) => Some((asked.id, message)),
        _ => None,
    });
    messages
        .enumerate()
        .map(|(number, (id, message))| Sent { number, message, fate: fates.remove(&id).unwrap_or(Fate::Open) })
        .collect()
}

/// Fails unless every record was acknowledged.
pub fn all_acknowledged(sends: &[Sent<'_>]) -> Result<(), Verdict> {
    for sent in sends {
        let number = sent.number;
        match &sent.fate {
            Fate::Acknowledged(..) => {}
            Fate::Failed(failure) => {
                return Err(Verdict::fail(
                    format!("record {number} failed: {} {}", failure.error, failure.message).trim_end().to_owned(),
                ));
            }
            Fate::Open => return Err(Verdict::fail(format!("record {number} was neither acknowledged nor reported as failed"))),
        }
    }
    Ok(())
}

/// A topic's records, partition by partition, control records left out.
pub fn records<'h>(history: &'h History, topic: &str) -> BTreeMap<i32, Vec<(&'h Batch, &'h Stored)>> {
    let of = |batches: &'h [Batch]| {
        let data = batches.iter().filter(|batch| !batch.head.control);
        data.flat_map(|batch| batch.records.iter().map(move |record| (batch, record))).collect()
    };
    history.log(topic).into_iter().map(|(partition, batches)| (partition, of(batches))).collect()
}

/// Checks that the log of `topic` is what was acknowledged: each acknowledged record once, where the client said, and nothing that
/// was not sent; order is [`in_order`]'s. Records are told apart by their values, which must differ. Returns how many records the
/// log holds.
pub fn stored_as_acknowledged(history: &History, topic: &str, sends: &[Sent<'_>]) -> Result<usize, Verdict> {
    let log = records(history, topic);
    let mut places: HashMap<&[u8], Vec<(i32, i64)>> = HashMap::new();
    for (partition, stored) in &log {
        for (_, record) in stored {
            places.entry(record.value.as_ref().map_or(&[], |value| &value.0)).or_default().push((*partition, record.offset));
        }
    }
    for sent in sends {
        let found = places.remove(sent.message.value.as_ref().map_or(&[][..], |value| &value.0)).unwrap_or_default();
        let Fate::Acknowledged(partition, offset) = sent.fate else {
            ensure(found.len() <= 1, || format!("record {} was stored {} times: at {found:?}", sent.number, found.len()))?;
            continue;
        };
        check_place(sent.number, &found, partition, offset)?;
    }
    if let Some((value, found)) = places.into_iter().min_by_key(|(_, found)| found[0]) {
        let shown = String::from_utf8_lossy(&value[..value.len().min(40)]).into_owned();
        return Err(Verdict::fail(format!("the log holds a record that was not sent: {shown:?} at {found:?}")));
    }
    let held = log.values().map(Vec::len).sum();
    ensure(!sends.is_empty(), || "nothing was sent".to_owned())?;
    Ok(held)
}

/// Checks that each partition holds the acknowledged records in the order of sending. Call it after [`stored_as_acknowledged`].
pub fn in_order(history: &History, topic: &str, sends: &[Sent<'_>]) -> Result<(), Verdict> {
    let numbers: HashMap<_, usize> = sends.iter().map(|sent| (&sent.message.value, sent.number)).collect();
    for (partition, stored) in records(history, topic) {
        let mut last: Option<(usize, i64)> = None;
        for (_, record) in stored {
            let Some(&number) = numbers.get(&record.value) else { continue };
            if let Some((later, offset)) = last.filter(|(later, _)| *later > number) {
                return Err(Verdict::fail(format!(
                    "record {number} of partition {partition} is at offset {}, after record {later}, which was sent later, at {offset}",
                    record.offset
                )));
            }
            last = Some((number, record.offset));
        }
    }
    Ok(())
}

/// The log's record that `sent` became, by the place the client was told; call it after [`stored_as_acknowledged`].
pub fn stored<'h>(log: &BTreeMap<i32, Vec<(&'h Batch, &'h Stored)>>, sent: &Sent<'_>) -> Option<&'h Stored> {
    let all = || log.values().flatten().map(|(_, record)| *record);
    match sent.fate {
        Fate::Acknowledged(partition, Some(offset)) => {
            log.get(&partition)?.iter().map(|(_, record)| *record).find(|record| record.offset == offset)
        }
        _ => all().find(|record| record.value == sent.message.value),
    }
}

fn check_place(number: usize, found: &[(i32, i64)], partition: i32, offset: Option<i64>) -> Result<(), Verdict> {
    let said = offset.map_or(String::new(), |offset| format!(" at offset {offset}"));
    match found {
        [] => Err(Verdict::fail(format!("record {number} is missing from partition {partition}, though acknowledged{said}"))),
        [(at, place)] => {
            ensure(*at == partition, || {
                format!("record {number} is in partition {at}, though acknowledged in partition {partition}")
            })?;
            ensure(offset.is_none_or(|offset| offset == *place), || {
                format!("record {number} is at offset {place} of partition {partition}, though acknowledged{said}")
            })
        }
        many => Err(Verdict::fail(format!(
            "record {number} is stored {} times, though sent once: partition and offset {many:?}",
            many.len()
        ))),
    }
}

/// A Produce request as it went by.
#[derive(Debug, Clone, PartialEq)]
pub struct Produce<'h> {
    /// The entry's number in the history.
    pub entry: usize,
    /// The request's version.
    pub version: i16,
    /// Its acks; -1 for all.
    pub acks: i16,
    /// Its parts that go to the topic.
    pub parts: Vec<&'h Part>,
}

/// The Produce requests that carried records for `topic`, as the proxy saw them.
pub fn produce_requests<'h>(history: &'h History, topic: &str) -> Vec<Produce<'h>> {
    let id = history.topics().into_iter().find(|(name, ..)| *name == topic).map_or("", |(_, id, _)| id);
    let of = |(entry, at): (usize, &'h super::history::At)| match &at.entry {
        Entry::Frame { version, inside: Some(Inside::Produce { acks, parts, .. }), .. } => {
            let parts: Vec<&Part> = parts.iter().filter(|part| part.topic == topic || part.topic == id).collect();
            (!parts.is_empty()).then_some(Produce { entry, version: *version, acks: *acks, parts })
        }
        _ => None,
    };
    history.entries.iter().enumerate().filter_map(of).collect()
}

/// Whether a topic in a frame, by name or by id, is `topic`.
fn is_topic(history: &History, named: &str, topic: &str) -> bool {
    named == topic || history.topics().iter().any(|(name, id, _)| *name == topic && *id == named)
}

/// The offset of the first Fetch of a partition that went by.
pub fn first_fetch(history: &History, topic: &str, partition: i32) -> Option<i64> {
    history.entries.iter().find_map(|at| match &at.entry {
        Entry::Frame { inside: Some(Inside::Fetch { parts, .. }), .. } => {
            let part = parts.iter().find(|(name, p, _)| *p == partition && is_topic(history, name, topic));
            part.map(|(.., offset)| *offset)
        }
        _ => None,
    })
}

/// How many OffsetCommit requests for a topic went by.
pub fn commit_requests(history: &History, topic: &str) -> usize {
    let of = |at: &&super::history::At| match &at.entry {
        Entry::Frame { inside: Some(Inside::OffsetCommit { parts, .. }), .. } => {
            parts.iter().any(|(name, ..)| is_topic(history, name, topic))
        }
        _ => false,
    };
    history.entries.iter().filter(of).count()
}

/// The records that `driver` delivered, in the order it gave them.
pub fn delivered<'h>(history: &'h History, driver: &'h str) -> Vec<&'h Delivered> {
    history
        .said(driver)
        .filter_map(|(_, event)| match event {
            Event::RecordsConsumed { records, .. } => Some(records),
            _ => None,
        })
        .flatten()
        .collect()
}

/// Checks that `got` is exactly the records of the log from `from` on (partition to first offset; 0 where absent): each once, in
/// order, as they are stored. Returns how many; none at all is a failure, so that an empty log proves nothing.
pub fn delivered_once(history: &History, topic: &str, got: &[&Delivered], from: &BTreeMap<i32, i64>) -> Result<usize, Verdict> {
    let mut count = 0;
    for (partition, stored) in records(history, topic) {
        let first = from.get(&partition).copied().unwrap_or(0);
        let mut expected = stored.into_iter().map(|(_, record)| record).filter(|record| record.offset >= first);
        for record in got.iter().filter(|record| record.partition == partition && record.topic == topic) {
            let Some(next) = expected.next() else {
                return Err(Verdict::fail(format!(
                    "offset {} of partition {partition} was delivered, but the log ends before it, or it came twice",
                    record.offset
                )));
            };
            ensure(record.offset == next.offset, || {
                format!("partition {partition}: offset {} was delivered where {} comes next", record.offset, next.offset)
            })?;
            same(record, next)?;
            count += 1;
        }
        if let Some(missing) = expected.next() {
            return Err(Verdict::fail(format!("offset {} of partition {partition} was never delivered", missing.offset)));
        }
    }
    ensure(count > 0, || "nothing was delivered".to_owned())?;
    Ok(count)
}

/// Checks that a delivered record is what the log holds.
pub fn same(record: &Delivered, stored: &Stored) -> Result<(), Verdict> {
    let place = format!("the record at offset {} of partition {}", record.offset, record.partition);
    ensure(record.key == stored.key, || format!("{place} has the key {:?}, but {:?} was delivered", stored.key, record.key))?;
    ensure(record.value == stored.value, || {
        format!("{place} has the value {:?}, but {:?} was delivered", stored.value, record.value)
    })?;
    ensure(record.headers == stored.headers, || {
        format!("{place} has the headers {:?}, but {:?} were delivered", stored.headers, record.headers)
    })?;
    ensure(record.timestamp.is_none_or(|timestamp| timestamp == stored.timestamp), || {
        format!("{place} has the timestamp {}, but {:?} was delivered", stored.timestamp, record.timestamp)
    })
}

/// How many of something, in words: `1 record`, `2 records`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}{}", if what.ends_with("ch") { "es" } else { "s" }) }
}
