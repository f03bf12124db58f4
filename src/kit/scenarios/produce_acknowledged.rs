//! Acknowledged means stored: once, where the client said, in order.

use super::{Driving, Scenario, message, text, topic, value};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-acknowledged",
    feature: "producer",
    group: "produce",
    nodes: 1,
    expected: "every record is acknowledged, and the log holds each once, at the partition and offset the client reported, in the order of sending",
    drive,
    judge,
};

const RECORDS: usize = 600;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(3, &[]).await?;
        stage.step("send 600 records");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        let mut messages = Vec::new();
        for n in 0..RECORDS {
            let mut message = message(&topic, None);
            message.key = text(stage.seed().letters(8));
            message.value = value(n);
            messages.push(message);
        }
        producer.send_messages(messages, PATIENCE).await?;
        producer.close(PATIENCE).await?;
        stage.read_log(&topic).await
    })
}

fn judge(history: &History) -> Judged {
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    let stored = judge::stored_as_acknowledged(history, topic(history), &sends)?;
    judge::in_order(history, topic(history), &sends)?;
    let requests = judge::produce_requests(history, topic(history)).len();
    Ok(Verdict::pass(format!("{} acknowledged, and {stored} in the log, each in its place", count(sends.len(), "record")))
        .log(format!("{stored} records in {} partitions", judge::records(history, topic(history)).len()))
        .wire(count(requests, "Produce request")))
}
