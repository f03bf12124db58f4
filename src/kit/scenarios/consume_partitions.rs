//! Every record once, over many fetches and partitions.

use super::{Driving, Scenario, topic, written};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count};
use crate::kit::protocol::{Blob, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-partitions",
    feature: "consumer",
    group: "consume",
    nodes: 1,
    expected: "every record of four partitions of different length is delivered once, each partition in order, over many fetches",
    drive,
    judge,
};

/// Records in each partition, in batches of up to 100.
const RECORDS: [usize; 4] = [700, 300, 1, 0];

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(4, &[]).await?;
        stage.step("write 1001 records to three of four partitions");
        for (partition, records) in RECORDS.into_iter().enumerate() {
            for begin in (0..records).step_by(100) {
                let value = |n: usize| Some(Blob(format!("record {partition}.{} {}", begin + n, "x".repeat(2000)).into_bytes()));
                stage.write(&topic, partition as i32, Codec::None, &written(100.min(records - begin), value)).await?;
            }
        }
        stage.step("read all partitions");
        let assign = |options: Options, p| options.with("--assign", format!("{}:{p}:earliest", topic.name));
        let options = (0..4).fold(Options::new(), assign);
        let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
        consumer.collect(RECORDS.iter().sum(), PATIENCE).await?;
        consumer.linger(2).await?;
        consumer.close(PATIENCE).await?;
        stage.read_own_log(&topic, RECORDS.iter().sum()).await
    })
}

fn judge(history: &History) -> Judged {
    let got = judge::delivered_once(history, topic(history), &judge::delivered(history, "consumer"), &BTreeMap::new())?;
    Ok(Verdict::pass(format!("{} delivered once, each partition in order", count(got, "record")))
        .log(format!("{} in three of four partitions", count(got, "record"))))
}
