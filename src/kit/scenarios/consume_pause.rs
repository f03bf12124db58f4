//! A paused partition delivers nothing; after resume nothing of it is missing.

use super::{Driving, Scenario, topic, value, written};
use crate::kit::history::{Entry, History};
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Command, Event, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "consume-pause",
    feature: "pause-resume",
    group: "consume",
    nodes: 1,
    expected: "while a partition is paused the other one flows and none of its records is delivered; after resume they all come, once",
    drive,
    judge,
};

const RECORDS: usize = 50;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(2, &[]).await?;
        stage.step("write 50 records to each of two partitions");
        for partition in 0..2 {
            stage.write(&topic, partition, Codec::None, &written(RECORDS, value)).await?;
        }
        let options = Options::new()
            .with("--assign", format!("{}:0:earliest", topic.name))
            .with("--assign", format!("{}:1:earliest", topic.name));
        stage.step("pause partition 0 and read");
        let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
        let partitions = || vec![(topic.name.clone(), 0)];
        consumer.must(Command::Pause { partitions: partitions() }, PATIENCE).await?;
        consumer.collect(RECORDS, PATIENCE).await?;
        consumer.linger(3).await?;
        stage.step("resume partition 0 and read on");
        consumer.step("resume partition 0 and read on");
        consumer.must(Command::Resume { partitions: partitions() }, PATIENCE).await?;
        consumer.collect(RECORDS, PATIENCE).await?;
        consumer.linger(2).await?;
        consumer.close(PATIENCE).await?;
        stage.read_own_log(&topic, 2 * RECORDS).await
    })
}

fn judge(history: &History) -> Judged {
    let mut paused = true;
    let mut meanwhile = 0;
    for at in &history.entries {
        match &at.entry {
            Entry::Sent { asked, .. } if matches!(asked.command, Command::Resume { .. }) => paused = false,
            Entry::Said { event: Event::RecordsConsumed { records, .. }, .. } if paused => {
                meanwhile += records.iter().filter(|record| record.partition == 1).count();
                if let Some(record) = records.iter().find(|record| record.partition == 0) {
                    return Err(Verdict::fail(format!(
                        "offset {} of partition 0 was delivered while the partition was paused",
                        record.offset
                    )));
                }
            }
            _ => {}
        }
    }
    ensure(meanwhile == RECORDS, || {
        format!("{meanwhile} of {RECORDS} records of partition 1 were delivered while partition 0 was paused")
    })?;
    let got = judge::delivered_once(history, topic(history), &judge::delivered(history, "consumer"), &BTreeMap::new())?;
    Ok(Verdict::pass(format!("nothing of the paused partition, {meanwhile} of the other; {} in all", count(got, "record")))
        .log(format!("{RECORDS} records in each partition")))
}
