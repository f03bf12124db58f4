//! The kit against a real broker: the right fake passes everything, and every mutant of it is caught.
//!
//! Needs Java 17 and Maven (or the cache, or `KAFKA_HOME`); runs only when asked: `cargo build --example fake_driver && cargo test --test kit_broker`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use clientbook::kit::broker::cluster::Cluster;
use clientbook::kit::broker::{VERSIONS, artifacts, cluster, config};
use clientbook::kit::driver::Program;
use clientbook::kit::guard::{FOLDER, Guard};
use clientbook::kit::run::{self, Plan, Progress};
use clientbook::kit::scenarios::{self, Scenario};
use clientbook::results::{Outcome, ScenarioOutcome};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

struct Quiet;

impl Progress for Quiet {
    fn working(&self, what: &str) {
        eprintln!("… {what}");
    }
    fn began(&self, _: &Scenario) {}
    fn ended(&self, _: &ScenarioOutcome, _: bool) {}
    fn troubled(&self, scenario: &Scenario, trouble: &str) {
        eprintln!("{}: {trouble}", scenario.id);
    }
}

fn guard() -> Guard {
    Guard::start(&[env!("CARGO_BIN_EXE_clientbook").to_owned(), "kit".to_owned(), "__guard".to_owned()]).unwrap()
}

fn program(folder: &Path, mode: &str) -> Program {
    let test = std::env::current_exe().unwrap();
    let fake = test.parent().unwrap().parent().unwrap().join("examples/fake_driver");
    assert!(fake.is_file(), "build the fakes first: cargo build --example fake_driver");
    std::fs::write(folder.join("driver.toml"), format!("schema = 1\nrun = [{:?}, {mode:?}]\n", fake.display().to_string()))
        .unwrap();
    Program::at(folder, "fake", folder).unwrap()
}

async fn play(mode: &str, chosen: Vec<&'static Scenario>) -> Vec<ScenarioOutcome> {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), mode);
    let progress: Arc<dyn Progress> = Arc::new(Quiet);
    let artifacts = run::provide(VERSIONS[0], &progress).await.unwrap();
    let info = program.info().await.unwrap();
    let out = folder.path().join("out");
    let plan = Plan { program, info, scenarios: chosen, artifacts, seed: 1, jobs: 1, out, resume: false };
    let ran = run::run(&plan, &guard(), &progress).await.unwrap();
    assert_eq!(ran.troubles, [], "{mode}");
    ran.report.outcomes
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_driver_passes_everything() {
    for outcome in play("right", scenarios::all()).await {
        assert_eq!(outcome.outcome, Outcome::Pass, "{}: {}", outcome.scenario, outcome.seen);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutant_is_caught() {
    let mutants = [
        ("drops-one", "produce-acknowledged"),
        ("swap-two", "produce-acknowledged"),
        ("sends-twice", "produce-acknowledged"),
        ("lies-about-offset", "produce-acknowledged"),
        ("null-as-empty", "produce-bytes"),
        ("text-only", "produce-bytes"),
        ("headers-as-map", "produce-headers"),
        ("own-timestamps", "produce-timestamps"),
        ("round-robin-keys", "produce-keys"),
        ("ignores-partition", "produce-partition"),
        ("ignores-acks", "produce-acks-all"),
        ("ignores-compression", "compress-zstd"),
        ("skips-one", "consume-partitions"),
        ("delivers-twice", "consume-partitions"),
        ("no-headers", "decompress-gzip"),
        ("ignores-latest", "consume-latest"),
        ("ignores-offset", "consume-offset"),
        ("ignores-seek", "consume-offset"),
        ("whole-batches", "consume-offset"),
        ("commits-early", "consume-commit"),
        ("commits-one-less", "consume-commit"),
        ("never-commits", "consume-commit"),
        ("ignores-pause", "consume-pause"),
        ("never-resumes", "consume-pause"),
    ];
    let mut missed = Vec::new();
    for (mutant, scenario) in mutants {
        let outcome = play(mutant, vec![scenarios::find(scenario).unwrap()]).await.remove(0);
        eprintln!("{mutant}: {} {}", outcome.outcome.word(), outcome.seen);
        if outcome.outcome != Outcome::Fail {
            missed.push((mutant, scenario, outcome.outcome, outcome.seen));
        }
    }
    assert_eq!(missed, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_version_starts_with_one_node_and_with_three_and_leaves_nothing() {
    let guard = guard();
    let progress: Arc<dyn Progress> = Arc::new(Quiet);
    for version in VERSIONS {
        let artifacts = run::provide(version, &progress).await.unwrap();
        cluster::archive(&artifacts, &guard, &|what: &str| eprintln!("… {what}")).await.unwrap();
        for nodes in [1, 3] {
            let begun = Instant::now();
            let unused = config::free_ports(nodes).unwrap();
            let mut cluster = Cluster::start(&artifacts, &guard, &unused).await.unwrap();
            eprintln!("{version}, {nodes} nodes: ready after {:?}", begun.elapsed());
            let last = nodes as i32;
            let begun = Instant::now();
            cluster.kill(last).await.unwrap();
            cluster.restart(last).await.unwrap();
            eprintln!("{version}, {nodes} nodes: restarted after SIGKILL in {:?}", begun.elapsed());
            cluster.shut().await;
        }
    }
    let mark = guard.mark().to_owned();
    drop(guard);
    let left = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let left: Vec<_> = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{FOLDER}{mark}"))).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(artifacts::cache().join("kafka").is_dir());
}
