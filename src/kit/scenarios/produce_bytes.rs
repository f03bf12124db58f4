//! Keys and values are bytes: null, empty, binary, Unicode.

use super::{Driving, Scenario, message, text, topic};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Blob, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-bytes",
    feature: "producer",
    group: "produce",
    nodes: 1,
    expected: "null, empty, binary and Unicode keys and values are stored byte for byte, and null differs from empty",
    drive,
    judge,
};

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        stage.step("send records with null, empty, binary and Unicode keys and values");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        let empty = || Some(Blob(Vec::new()));
        let binary = || Some(Blob((0..=255).collect()));
        let pairs = [
            (None, text("a null key")),
            (text("a null value"), None),
            (None, empty()),
            (empty(), text("an empty key")),
            (text("an empty value"), empty()),
            (binary(), binary()),
            (text("ключ 🗝"), text("значение — 値 — 🎈")),
            (Some(Blob(vec![0xff, 0xfe, 0])), Some(Blob(stage.seed().bytes(2000)))),
        ];
        let messages = pairs.into_iter().map(|(key, value)| {
            let mut message = message(&topic, Some(0));
            (message.key, message.value) = (key, value);
            message
        });
        producer.send_messages(messages, PATIENCE).await?;
        producer.close(PATIENCE).await?;
        stage.read_log(&topic).await
    })
}

fn judge(history: &History) -> Judged {
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    let log = judge::records(history, topic(history));
    let held = log.values().map(Vec::len).sum::<usize>();
    ensure(held == sends.len(), || format!("{} sent, but the log holds {held}", count(sends.len(), "record")))?;
    for sent in &sends {
        let record = judge::stored(&log, sent).ok_or_else(|| missing(sent))?;
        for (what, sent_bytes, stored_bytes) in
            [("key", &sent.message.key, &record.key), ("value", &sent.message.value, &record.value)]
        {
            ensure(sent_bytes == stored_bytes, || {
                format!(
                    "record {}: the {what} {sent_bytes:?} was sent, but {stored_bytes:?} is stored at offset {}",
                    sent.number, record.offset
                )
            })?;
        }
    }
    Ok(Verdict::pass(format!("{} stored as sent", count(held, "record")))
        .log(format!("{} with the bytes that were sent", count(held, "record"))))
}

fn missing(sent: &judge::Sent<'_>) -> Verdict {
    Verdict::fail(format!("record {} is not where it was acknowledged: {:?}", sent.number, sent.fate))
}
