//! A new group that resets to the earliest offset reads everything.

use super::{Driving, Scenario, topic, value, written};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-earliest",
    feature: "consumer-groups",
    group: "consume",
    nodes: 1,
    expected: "a member of a new group with offset reset earliest gets every record of the topic, each once, in order",
    drive,
    judge,
};

const RECORDS: usize = 60;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(2, &[]).await?;
        let group = stage.group();
        stage.step("write 60 records to two partitions");
        for partition in 0..2 {
            stage.write(&topic, partition, Codec::None, &written(RECORDS / 2, value)).await?;
        }
        stage.step("read them as a member of a new group");
        let options = Options::new().with("--topic", &topic.name).with("--group-id", group).with("--offset-reset", "earliest");
        let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
        consumer.collect(RECORDS, PATIENCE).await?;
        consumer.linger(2).await?;
        consumer.close(PATIENCE).await?;
        stage.read_own_log(&topic, RECORDS).await
    })
}

fn judge(history: &History) -> Judged {
    let got = judge::delivered_once(history, topic(history), &judge::delivered(history, "consumer"), &BTreeMap::new())?;
    Ok(Verdict::pass(format!("{} delivered once, in order", count(got, "record")))
        .log(format!("{} in two partitions", count(got, "record"))))
}
