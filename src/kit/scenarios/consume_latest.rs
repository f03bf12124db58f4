//! A consumer that begins at the end gets what is written afterwards, and nothing before.

use super::{Driving, Scenario, topic, value, written};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-latest",
    feature: "consumer",
    group: "consume",
    nodes: 1,
    expected: "a consumer that begins at the end gets no older record, and every record written once it fetches there",
    drive,
    judge,
};

const BEFORE: usize = 20;
const AFTER: usize = 30;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        stage.step("write 20 records before the consumer starts");
        stage.write(&topic, 0, Codec::None, &written(BEFORE, value)).await?;
        stage.step("start at the end, and poll until a fetch at the end goes by");
        let options = Options::new().with("--assign", format!("{}:0:latest", topic.name));
        let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
        for _ in 0..60 {
            consumer.poll(100, 500).await?;
            if stage.saw_fetch(&topic, 0, BEFORE as i64) {
                break;
            }
        }
        stage.step("write 30 records more and read them");
        stage.write(&topic, 0, Codec::None, &written(AFTER, |n| value(BEFORE + n))).await?;
        consumer.collect(AFTER, PATIENCE).await?;
        consumer.linger(2).await?;
        consumer.close(PATIENCE).await?;
        stage.read_own_log(&topic, BEFORE + AFTER).await
    })
}

fn judge(history: &History) -> Judged {
    let got = judge::delivered(history, "consumer");
    if let Some(old) = got.iter().find(|record| record.offset < BEFORE as i64) {
        return Err(Verdict::fail(format!(
            "offset {} was delivered, though the consumer began at the end, {BEFORE}",
            old.offset
        )));
    }
    let fetched = judge::first_fetch(history, topic(history), 0);
    ensure(fetched == Some(BEFORE as i64), || format!("the first fetch is at offset {fetched:?}, not at the end, {BEFORE}"))?;
    let count_got = judge::delivered_once(history, topic(history), &got, &BTreeMap::from([(0, BEFORE as i64)]))?;
    Ok(Verdict::pass(format!("{} delivered, none of the {BEFORE} older ones", count(count_got, "record")))
        .wire(format!("the first fetch is at offset {BEFORE}")))
}
