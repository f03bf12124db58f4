//! The kit against drivers that it must see through; no broker is needed.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use clientbook::kit::driver::Program;
use clientbook::kit::driver::host::{Driver, Limits, Start};
use clientbook::kit::guard::Guard;
use clientbook::kit::history::{Entry, Halt, History, Recorder};
use clientbook::kit::judge;
use clientbook::kit::protocol::{Command, Options, Role};
use clientbook::kit::scenarios;
use clientbook::results::Outcome;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn fake() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let fake = test.parent().unwrap().parent().unwrap().join("examples/fake_driver");
    assert!(fake.is_file(), "build the fakes first: cargo build --example fake_driver");
    fake
}

fn program(folder: &Path, mode: &str) -> Program {
    let run = format!("schema = 1\nrun = [{:?}, {mode:?}]\n", fake().display().to_string());
    std::fs::write(folder.join("driver.toml"), run).unwrap();
    Program::at(folder, "fake", folder).unwrap()
}

fn guard() -> Guard {
    Guard::start(&[env!("CARGO_BIN_EXE_clientbook").to_owned(), "kit".to_owned(), "__guard".to_owned()]).unwrap()
}

fn quick() -> Limits {
    Limits { start: Duration::from_secs(20), command: Duration::from_secs(20), memory_mib: 1024, ..Limits::default() }
}

/// Starts a fake as a consumer, has it polled once, and closes it: how far does it come?
async fn play(mode: &str, limits: Limits, patience: Duration) -> (Result<(), Halt>, History) {
    let folder = tempfile::tempdir().unwrap();
    let (program, guard, recorder) = (program(folder.path(), mode), guard(), Recorder::default());
    let played = async {
        let options = Options::new().with("--bootstrap-server", "127.0.0.1:1");
        let start = Start { program: &program, name: "consumer", role: Role::Consumer, options, limits, first_id: 1 };
        let mut driver = Driver::start(start, &guard, &recorder, "poll once").await?;
        driver.send(Command::Poll { max: 1, timeout_ms: 10 }).await?;
        driver.settle(patience).await?;
        driver.close(patience).await
    };
    let result = played.await;
    (result, recorder.history())
}

async fn halted(mode: &str) -> Halt {
    play(mode, quick(), Duration::from_secs(20)).await.0.unwrap_err()
}

#[tokio::test]
async fn a_silent_driver_hangs_and_the_step_is_named() {
    let limits = Limits { start: Duration::from_millis(300), ..quick() };
    let (result, _) = play("silent", limits, Duration::from_secs(1)).await;
    assert_eq!(result.unwrap_err(), Halt::Hung { driver: "consumer".into(), step: "start the driver".into(), waited_ms: 300 });
    let (result, _) = play("mute", quick(), Duration::from_millis(300)).await;
    assert_eq!(result.unwrap_err(), Halt::Hung { driver: "consumer".into(), step: "poll once".into(), waited_ms: 300 });
}

#[tokio::test]
async fn a_chatty_driver_is_told_to_use_standard_error() {
    let Halt::Spoke { bad, .. } = halted("chatty").await else { panic!() };
    assert_eq!((bad.code.as_str(), bad.line.as_str()), ("CB610", "connecting to the broker …"));
    assert!(bad.cause.contains("standard error"));
}

#[tokio::test]
async fn a_crash_is_told_with_its_last_words() {
    let Halt::Crashed { step, how, .. } = halted("crash-at-start").await else { panic!() };
    assert_eq!(step, "start the driver");
    assert!(how.contains("134") && how.contains("no such option"), "{how}");
    let (result, history) = play("crash-midway", quick(), Duration::from_secs(20)).await;
    let Halt::Crashed { step, how, .. } = result.unwrap_err() else { panic!() };
    assert_eq!(step, "poll once");
    assert!(how.contains("Segmentation fault"), "{how}");
    assert!(history.entries.iter().any(|at| matches!(&at.entry, Entry::Exited { code: Some(139), .. })));
}

#[tokio::test]
async fn a_flood_is_cut_off() {
    let limits = Limits { lines: 10_000, ..quick() };
    let Halt::Spoke { bad, .. } = play("flood", limits, Duration::from_secs(20)).await.0.unwrap_err() else { panic!() };
    assert_eq!(bad.code, "CB617");
    let limits = Limits { line: 1 << 20, ..quick() };
    let Halt::Spoke { bad, .. } = play("long-line", limits, Duration::from_secs(20)).await.0.unwrap_err() else { panic!() };
    assert_eq!(bad.code, "CB617");
    assert!(bad.line.len() <= 200);
}

#[tokio::test]
async fn wrong_ids_are_refused() {
    let Halt::Spoke { bad, .. } = halted("wrong-ids").await else { panic!() };
    assert_eq!(bad.code, "CB614");
    assert!(bad.cause.contains("never sent a command with the id 8"), "{bad}");
}

#[tokio::test]
async fn a_driver_that_hoards_memory_is_ended() {
    let limits = Limits { memory_mib: 100, ..quick() };
    let Halt::Memory { mib, .. } = play("memory", limits, Duration::from_secs(30)).await.0.unwrap_err() else { panic!() };
    assert!(mib > 100);
}

#[tokio::test]
async fn an_option_without_a_way_is_unsupported_with_a_link() {
    let halt = halted("unsupported-option").await;
    assert_eq!(
        halt,
        Halt::Unsupported { reason: "--acks: it has no such setting".into(), link: Some("https://example.org/acks".into()) }
    );
}

#[tokio::test]
async fn info_is_held_to_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(program(folder.path(), "right").info().await.unwrap().version, "1.0.0");
    let why = program(folder.path(), "no-version").info().await.unwrap_err().to_string();
    assert!(why.contains("CB613"), "{why}");
}

#[test]
fn each_halt_gets_the_outcome_it_deserves() {
    let scenario = scenarios::find("produce-acknowledged").unwrap();
    let outcome = |halt: Halt| {
        let recorder = Recorder::default();
        recorder.record(Entry::Halted { halt });
        judge::outcome(scenario, &recorder.history()).map(|outcome| outcome.outcome)
    };
    let (driver, step) = (|| "d".to_owned(), || "s".to_owned());
    assert_eq!(outcome(Halt::Hung { driver: driver(), step: step(), waited_ms: 1 }), Ok(Outcome::Error));
    assert_eq!(outcome(Halt::Crashed { driver: driver(), step: step(), how: step() }), Ok(Outcome::Error));
    assert_eq!(outcome(Halt::Failed { driver: driver(), step: step(), failure: step() }), Ok(Outcome::Fail));
    assert_eq!(outcome(Halt::Unsupported { reason: step(), link: None }), Ok(Outcome::Unsupported));
    assert_eq!(
        outcome(Halt::Kit { trouble: "no broker".into() }),
        Err("no broker".to_owned()),
        "the kit's trouble is not the client's"
    );
}

/// Saved histories: `histories/<scenario>.<outcome>[.<what>].jsonl`.
#[test]
fn saved_histories_are_judged_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit/histories");
    let mut judged = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut parts = name.split('.');
        let scenario = scenarios::find(parts.next().unwrap()).unwrap();
        let outcome = judge::outcome(scenario, &History::load(&path).unwrap()).unwrap();
        assert_eq!(Some(outcome.outcome.word()), parts.next(), "{name}: {}", outcome.seen);
        judged += 1;
    }
    assert!(judged >= 4);
}
