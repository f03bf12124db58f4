//! Headers: repeated names, null values, and their order.

use super::{Driving, Scenario, message, text, topic, value};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Blob, Header, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-headers",
    feature: "headers",
    group: "produce",
    nodes: 1,
    expected: "headers are stored as sent: in order, with repeated names, null, empty and binary values",
    drive,
    judge,
};

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        stage.step("send records with headers");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        let header = |name: &str, value: Option<Blob>| -> Header { (name.to_owned(), value) };
        let sets = [
            vec![],
            vec![header("one", text("1"))],
            vec![header("b", text("1")), header("a", text("2")), header("b", text("3"))],
            vec![header("null", None), header("empty", Some(Blob(vec![]))), header("binary", Some(Blob(vec![0, 255, 10])))],
            vec![header("имя 🗝", text("значение"))],
        ];
        let messages = sets.into_iter().enumerate().map(|(n, headers)| {
            let mut message = message(&topic, Some(0));
            (message.value, message.headers) = (value(n), headers);
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
    judge::stored_as_acknowledged(history, topic(history), &sends)?;
    let log = judge::records(history, topic(history));
    for sent in &sends {
        let Some(record) = judge::stored(&log, sent) else { continue };
        ensure(sent.message.headers == record.headers, || {
            format!(
                "record {}: the headers {:?} were sent, but {:?} are stored at offset {}",
                sent.number, sent.message.headers, record.headers, record.offset
            )
        })?;
    }
    Ok(Verdict::pass(format!("the headers of {} stored as sent", count(sends.len(), "record")))
        .log(format!("{} with the headers that were sent", count(sends.len(), "record"))))
}
