//! A consumer begins at the offset it is given, and seeks.

use super::{Driving, Scenario, topic, value, written};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Command, Options, Place, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-offset",
    feature: "consumer",
    group: "consume",
    nodes: 1,
    expected: "a consumer that is given an offset, in the middle of a batch, gets that record first; after a seek it reads on from there",
    drive,
    judge,
};

const RECORDS: usize = 100;
const FIRST: i64 = 37;
const AGAIN: i64 = 90;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        stage.step("write 100 records in two batches");
        for batch in 0..2 {
            stage.write(&topic, 0, Codec::None, &written(RECORDS / 2, |n| value(batch * RECORDS / 2 + n))).await?;
        }
        stage.step("read from offset 37 to the end");
        let options = Options::new().with("--assign", format!("{}:0:{FIRST}", topic.name));
        let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
        consumer.collect(RECORDS - FIRST as usize, PATIENCE).await?;
        stage.step("seek to offset 90 and read on");
        consumer.step("seek to offset 90 and read on");
        consumer.must(Command::Seek(Place { topic: topic.name.clone(), partition: 0, offset: AGAIN }), PATIENCE).await?;
        consumer.collect(RECORDS - AGAIN as usize, PATIENCE).await?;
        consumer.linger(2).await?;
        consumer.close(PATIENCE).await?;
        stage.read_own_log(&topic, RECORDS).await
    })
}

fn judge(history: &History) -> Judged {
    let got = judge::delivered(history, "consumer");
    ensure(!got.is_empty(), || "nothing was delivered".to_owned())?;
    let (before, after) = got.split_at(got.len().min(RECORDS - FIRST as usize));
    let first = judge::delivered_once(history, topic(history), before, &BTreeMap::from([(0, FIRST)]))?;
    let again = judge::delivered_once(history, topic(history), after, &BTreeMap::from([(0, AGAIN)]))
        .map_err(|failure| Verdict::fail(format!("after the seek to {AGAIN}: {}", failure.seen)))?;
    Ok(Verdict::pass(format!("{} from offset {FIRST} on, then {again} from {AGAIN} on", count(first, "record")))
        .log(format!("offsets 0 to {}", RECORDS - 1)))
}
