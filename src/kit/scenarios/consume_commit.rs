//! A committed offset is where the group goes on after a restart.

use super::{Driving, Scenario, topic, value, written};
use crate::kit::history::{Halt, History};
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Command, Options, Role};
use crate::kit::stage::{PATIENCE, Stage, Topic};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-commit",
    feature: "manual-offset-commit",
    group: "consume",
    nodes: 1,
    expected: "a manual commit stores the offset after the last record polled, nothing is committed before, and a new member goes on there",
    drive,
    judge,
};

const RECORDS: usize = 100;
const FIRST: usize = 40;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        let group = stage.group();
        stage.step("write 100 records");
        stage.write(&topic, 0, Codec::None, &written(RECORDS, value)).await?;
        stage.step("read 40 records and commit");
        let mut first = member(stage, "first member", &topic, &group).await?;
        first.collect(FIRST, PATIENCE).await?;
        let early = stage.committed(&group, &topic, 0).await?;
        stage.note("committed early", early);
        first.must(Command::CommitOffsets { offsets: None }, PATIENCE).await?;
        stage.committed(&group, &topic, 0).await?;
        first.close(PATIENCE).await?;
        stage.step("start a new member of the group and read on");
        let mut second = member(stage, "second member", &topic, &group).await?;
        second.collect(RECORDS - FIRST, PATIENCE).await?;
        second.linger(2).await?;
        second.close(PATIENCE).await?;
        stage.read_own_log(&topic, RECORDS).await
    })
}

async fn member(stage: &mut Stage<'_>, name: &str, topic: &Topic, group: &str) -> Result<crate::kit::driver::host::Driver, Halt> {
    let options = Options::new()
        .with("--topic", &topic.name)
        .with("--group-id", group)
        .with("--offset-reset", "earliest")
        .with("--auto-commit", "false");
    stage.driver(name, Role::Consumer, options).await
}

fn judge(history: &History) -> Judged {
    let first = judge::delivered(history, "first member");
    ensure(first.len() == FIRST, || format!("the first member got {} of {FIRST} records", first.len()))?;
    let early = history.note("committed early").and_then(serde_json::Value::as_i64);
    ensure(early.is_none(), || {
        format!("offset {} was committed before the application asked for it", early.unwrap_or_default())
    })?;
    let committed = history.note("committed 0").and_then(serde_json::Value::as_i64);
    ensure(committed == Some(FIRST as i64), || match committed {
        Some(offset) => format!("the broker holds the committed offset {offset}; after {FIRST} records it is {FIRST}"),
        None => "the broker holds no committed offset, though the commit was reported as done".to_owned(),
    })?;
    let second = judge::delivered(history, "second member");
    let got = judge::delivered_once(history, topic(history), &second, &BTreeMap::from([(0, FIRST as i64)]))
        .map_err(|failure| Verdict::fail(format!("the second member: {}", failure.seen)))?;
    let on_wire = judge::commit_requests(history, topic(history));
    Ok(Verdict::pass(format!("offset {FIRST} committed; the next member got the other {}", count(got, "record")))
        .log(format!("the broker holds offset {FIRST} for the group"))
        .wire(count(on_wire, "OffsetCommit request")))
}
