//! A record goes to the partition that the application names.

use super::{Driving, Scenario, message, text, topic, value};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-partition",
    feature: "producer",
    group: "produce",
    nodes: 1,
    expected: "a record goes to the partition that is named, whatever its key",
    drive,
    judge,
};

const PARTITIONS: i32 = 4;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(PARTITIONS, &[]).await?;
        stage.step("send 80 records with one key to partitions drawn at random");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        let mut messages = Vec::new();
        for n in 0..80 {
            let mut message = message(&topic, Some(stage.seed().below(PARTITIONS as u64) as i32));
            (message.key, message.value) = (text("always the same"), value(n));
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
    judge::stored_as_acknowledged(history, topic(history), &sends)?;
    for (partition, stored) in judge::records(history, topic(history)) {
        for (_, record) in stored {
            let sent = sends.iter().find(|sent| sent.message.value == record.value);
            let asked = sent.and_then(|sent| sent.message.partition);
            ensure(asked == Some(partition), || {
                format!(
                    "record {} is in partition {partition}, though partition {asked:?} was named",
                    sent.map_or(0, |sent| sent.number)
                )
            })?;
        }
    }
    Ok(Verdict::pass(format!("{} in the partitions named", count(sends.len(), "record")))
        .log(format!("{} where they were sent to", count(sends.len(), "record"))))
}
