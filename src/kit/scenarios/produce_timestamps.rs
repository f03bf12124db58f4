//! A record carries the time the application gives it, or the time of sending.

use super::{Driving, Scenario, message, topic, value};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, ensure};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-timestamps",
    feature: "timestamps",
    group: "produce",
    nodes: 1,
    expected: "a timestamp given by the application is stored as it is; without one, the time of sending is stored",
    drive,
    judge,
};

/// 14 November 2023 and some years around it, in milliseconds since 1970.
const GIVEN: [i64; 3] = [1_700_000_000_123, 1_600_000_000_000, 1_700_000_000_124];

/// How far the clocks of two processes on one machine may seem apart, in milliseconds.
const SLACK: i64 = 1000;

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0))
}

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(1, &[]).await?;
        stage.step("send records with and without a timestamp");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        stage.note("before", now());
        let timestamps = GIVEN.into_iter().map(Some).chain([None, None]);
        let messages = timestamps.enumerate().map(|(n, timestamp)| {
            let mut message = message(&topic, Some(0));
            (message.value, message.timestamp) = (value(n), timestamp);
            message
        });
        producer.send_messages(messages, PATIENCE).await?;
        stage.note("after", now());
        producer.close(PATIENCE).await?;
        stage.read_log(&topic).await
    })
}

fn judge(history: &History) -> Judged {
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    judge::stored_as_acknowledged(history, topic(history), &sends)?;
    let at = |name: &str| history.note(name).and_then(serde_json::Value::as_i64).unwrap_or(0);
    let (before, after) = (at("before") - SLACK, at("after") + SLACK);
    let log = judge::records(history, topic(history));
    for sent in &sends {
        let Some(record) = judge::stored(&log, sent) else { continue };
        let (number, stored) = (sent.number, record.timestamp);
        match sent.message.timestamp {
            Some(given) => {
                ensure(given == stored, || format!("record {number} was given the timestamp {given}, but {stored} is stored"))?
            }
            None => ensure((before..=after).contains(&stored), || {
                format!("record {number} was sent without a timestamp between {before} and {after}, but {stored} is stored")
            })?,
        }
    }
    Ok(Verdict::pass("given timestamps are stored as given, the others are the time of sending")
        .log("3 given timestamps, 2 of the client's own clock"))
}
