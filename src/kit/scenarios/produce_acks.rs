//! The acknowledgements asked for are those on the wire.

use super::{Scenario, message, topic, value};
use crate::kit::history::{Halt, History};
use crate::kit::judge::{self, Fate, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use std::collections::BTreeMap;

/// One for each value.
pub const SCENARIOS: [&Scenario; 3] = [&ZERO, &ONE, &ALL];

macro_rules! acks {
    ($name:ident, $id:literal, $word:literal, $wire:literal, $expected:literal) => {
        const $name: Scenario = Scenario {
            id: $id,
            feature: "producer",
            group: "produce",
            nodes: 1,
            expected: $expected,
            drive: |stage| Box::pin(drive(stage, $word)),
            judge: |history| judge(history, $wire),
        };
    };
}

acks!(
    ZERO,
    "produce-acks-0",
    "0",
    0,
    "every Produce request asks for no acknowledgement, the records arrive, and no offset is made up"
);
acks!(
    ONE,
    "produce-acks-1",
    "1",
    1,
    "every Produce request asks for the leader's acknowledgement, and acknowledged records are stored"
);
acks!(
    ALL,
    "produce-acks-all",
    "all",
    -1,
    "every Produce request asks for the acknowledgement of all in-sync replicas, and acknowledged records are stored"
);

const RECORDS: usize = 50;

async fn drive(stage: &mut Stage<'_>, acks: &str) -> Result<(), Halt> {
    let topic = stage.topic(1, &[]).await?;
    stage.step("send 50 records");
    let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", acks)).await?;
    let messages = (0..RECORDS).map(|n| {
        let mut message = message(&topic, Some(0));
        message.value = value(n);
        message
    });
    producer.send_messages(messages, PATIENCE).await?;
    producer.close(PATIENCE).await?;
    stage.step("read the log");
    stage.settled_log(&topic, RECORDS).await
}

fn judge(history: &History, wanted: i16) -> Judged {
    let requests = judge::produce_requests(history, topic(history));
    ensure(!requests.is_empty(), || "no Produce request for the topic went by".to_owned())?;
    let mut seen: BTreeMap<i16, usize> = BTreeMap::new();
    for request in &requests {
        *seen.entry(request.acks).or_default() += 1;
    }
    let words = |acks: i16| if acks == -1 { "all".to_owned() } else { acks.to_string() };
    if let Some(other) = seen.keys().find(|acks| **acks != wanted) {
        return Err(Verdict::fail(format!(
            "a Produce request asks for acks={}, though acks={} was set",
            words(*other),
            words(wanted)
        )));
    }
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    let stored = if wanted == 0 {
        unacknowledged(history, &sends)?
    } else {
        judge::stored_as_acknowledged(history, topic(history), &sends)?
    };
    Ok(Verdict::pass(format!(
        "acks={} in {}, {stored} of {} in the log",
        words(wanted),
        count(requests.len(), "Produce request"),
        count(sends.len(), "record")
    ))
    .wire(format!("acks={} in all {}", words(wanted), count(requests.len(), "Produce request")))
    .log(count(stored, "record")))
}

/// Without acknowledgement the client knows no offset; on a healthy connection all records arrive nevertheless, once.
fn unacknowledged(history: &History, sends: &[judge::Sent<'_>]) -> Result<usize, Verdict> {
    for sent in sends {
        if let Fate::Acknowledged(_, Some(offset)) = sent.fate {
            let log = judge::records(history, topic(history));
            let there = log.values().flatten().any(|(_, record)| record.offset == offset && record.value == sent.message.value);
            ensure(there, || {
                format!(
                    "record {} is reported at offset {offset}, which the client cannot know with acks=0 and where it is not",
                    sent.number
                )
            })?;
        }
    }
    let without_offsets: Vec<_> = sends
        .iter()
        .map(|sent| judge::Sent {
            fate: if let Fate::Acknowledged(partition, _) = sent.fate {
                Fate::Acknowledged(partition, None)
            } else {
                sent.fate.clone()
            },
            ..sent.clone()
        })
        .collect();
    judge::stored_as_acknowledged(history, topic(history), &without_offsets)
}
