//! The scenarios: what each does, and how it is judged. Its page is `content/scenarios/<id>.md`, held one to one by a test.
//!
//! To add one: a file here with `drive` (plays on the [`Stage`]; asserts nothing) and `judge` (a pure function of the
//! history), a line in [`all`], and its page.

mod compress;
mod consume_commit;
mod consume_earliest;
mod consume_latest;
mod consume_offset;
mod consume_partitions;
mod consume_pause;
mod decompress;
mod produce_acknowledged;
mod produce_acks;
mod produce_bytes;
mod produce_headers;
mod produce_keys;
mod produce_partition;
mod produce_timestamps;

use super::history::{Halt, History};
use super::judge::Judged;
use super::protocol::{Blob, Message};
use super::stage::{Stage, Topic};
use super::wire::batches::Stored;
use std::pin::Pin;

/// What [`Scenario::drive`] gives back.
pub type Driving<'s> = Pin<Box<dyn Future<Output = Result<(), Halt>> + Send + 's>>;

/// One behaviour that the kit checks.
pub struct Scenario {
    /// Its id, as in `content/scenarios/<id>.md`.
    pub id: &'static str,
    /// The feature it certifies.
    pub feature: &'static str,
    /// `produce`, `compress`, `consume`, `robust`, `errors` …
    pub group: &'static str,
    /// How many nodes it needs: 1 or 3.
    pub nodes: usize,
    /// The expected behaviour in one sentence.
    pub expected: &'static str,
    /// Plays it. Asserts nothing: it makes the history.
    pub drive: for<'s> fn(&'s mut Stage<'_>) -> Driving<'s>,
    /// Judges the history.
    pub judge: fn(&History) -> Judged,
}

/// Every scenario, in the order they run.
pub fn all() -> Vec<&'static Scenario> {
    let mut all = vec![
        &produce_acknowledged::SCENARIO,
        &produce_bytes::SCENARIO,
        &produce_headers::SCENARIO,
        &produce_timestamps::SCENARIO,
        &produce_partition::SCENARIO,
        &produce_keys::SCENARIO,
    ];
    all.extend(produce_acks::SCENARIOS);
    all.extend(compress::SCENARIOS);
    all.extend(decompress::SCENARIOS);
    all.extend([
        &consume_earliest::SCENARIO,
        &consume_latest::SCENARIO,
        &consume_offset::SCENARIO,
        &consume_partitions::SCENARIO,
        &consume_commit::SCENARIO,
        &consume_pause::SCENARIO,
    ]);
    all
}

/// The scenario called `id`.
pub fn find(id: &str) -> Option<&'static Scenario> {
    all().into_iter().find(|scenario| scenario.id == id)
}

/// Text as bytes.
fn text(text: impl Into<String>) -> Option<Blob> {
    Some(Blob(text.into().into_bytes()))
}

/// A record for `topic` without anything.
fn message(topic: &Topic, partition: Option<i32>) -> Message {
    Message { topic: topic.name.clone(), partition, key: None, value: None, headers: Vec::new(), timestamp: None }
}

/// The value of the record with a number: every record of a scenario differs from every other.
fn value(number: usize) -> Option<Blob> {
    text(format!("record {number}"))
}

/// `count` records as another client would write them.
fn written(count: usize, mut value: impl FnMut(usize) -> Option<Blob>) -> Vec<Stored> {
    let record = |n: usize| Stored {
        offset: n as i64,
        timestamp: 1_750_000_000_000 + n as i64,
        key: text(format!("key {n}")),
        value: value(n),
        headers: vec![("number".to_owned(), text(n.to_string()))],
    };
    (0..count).map(record).collect()
}

/// The only topic of a scenario.
fn topic(history: &History) -> &str {
    history.topics().first().map_or("", |(name, ..)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_scenario_has_its_page_and_every_page_its_scenario() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("content/scenarios");
        let pages: BTreeSet<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".md").to_owned())
            .collect();
        let ids: BTreeSet<String> = all().iter().map(|scenario| scenario.id.to_owned()).collect();
        assert_eq!(ids, pages);
        assert_eq!(ids.len(), all().len(), "an id comes twice");
        for scenario in all() {
            let page = std::fs::read_to_string(folder.join(scenario.id).with_extension("md")).unwrap();
            let front = page.split("+++").nth(1).unwrap();
            let front: toml::Table = toml::from_str(front).unwrap();
            assert_eq!(front["feature"].as_str(), Some(scenario.feature), "{}", scenario.id);
            assert_eq!(front["group"].as_str(), Some(scenario.group), "{}", scenario.id);
            let feature = folder.join("../features").join(scenario.feature).with_extension("md");
            assert!(feature.is_file(), "{}: there is no feature {}", scenario.id, scenario.feature);
        }
    }
}
