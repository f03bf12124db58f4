//! A run: the scenarios asked for, on clusters that they share, with histories kept and a report at the end.

use super::broker::artifacts::{self, Artifacts};
use super::broker::cluster::Cluster;
use super::broker::{self, BrokerError, disk};
use super::driver::Program;
use super::guard::Guard;
use super::history::{Entry, Halt, History, Recorder};
use super::judge;
use super::protocol::Info;
use super::proxy::Proxies;
use super::scenarios::Scenario;
use super::seed::Seed;
use super::stage::{Setting, Stage};
use crate::results::{Broker, Kit, Machine, Outcome, Report, SCHEMA, ScenarioOutcome, Tried};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// How long a scenario may take in all.
const SCENARIO: Duration = Duration::from_secs(300);

/// How often a scenario is played again when the kit or the broker failed.
const AGAIN: usize = 1;

/// What is to be run.
#[derive(Clone)]
pub struct Plan {
    /// The client's driver, built.
    pub program: Program,
    /// What it says it is.
    pub info: Info,
    /// The scenarios, in order.
    pub scenarios: Vec<&'static Scenario>,
    /// The broker.
    pub artifacts: Artifacts,
    /// Everything random is drawn from it.
    pub seed: u64,
    /// How many clusters work side by side.
    pub jobs: usize,
    /// Where histories go.
    pub out: PathBuf,
    /// Whether histories found there count as done.
    pub resume: bool,
}

/// What the run tells while it goes on.
pub trait Progress: Send + Sync {
    /// A cluster is being started, or something else takes a while.
    fn working(&self, what: &str);
    /// A scenario begins.
    fn began(&self, scenario: &Scenario);
    /// A scenario has an outcome; `kept` when it was judged from a history kept from before.
    fn ended(&self, outcome: &ScenarioOutcome, kept: bool);
    /// A scenario has none: the kit or the broker failed.
    fn troubled(&self, scenario: &Scenario, trouble: &str);
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// The report; scenarios without an outcome are not in it.
    pub report: Report,
    /// Scenarios without an outcome, and why.
    pub troubles: Vec<(String, String)>,
}

/// Which part of the scenarios a machine takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a shard: write it as 1/4");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (number, of) = (number.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if (1..=of).contains(&number) { Ok(Shard { number, of }) } else { Err(wrong()) }
    }
}

impl Shard {
    /// Its part: every `of`-th.
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().enumerate().filter(|(n, _)| n % self.of == self.number - 1).map(|(_, one)| one).collect()
    }
}

/// Whether `id` fits a pattern, in which `*` stands for anything.
pub fn fits(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == id,
        Some((begin, rest)) => id
            .strip_prefix(begin)
            .is_some_and(|tail| tail.char_indices().map(|(n, _)| &tail[n..]).chain([""]).any(|tail| fits(rest, tail))),
    }
}

/// Runs a plan. One client's scenarios share the starts of brokers.
pub async fn run(plan: &Plan, guard: &Guard, progress: &Arc<dyn Progress>) -> Result<Ran, BrokerError> {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    std::fs::create_dir_all(&plan.out).map_err(disk(format!("cannot make {}", plan.out.display())))?;
    let say = Arc::clone(progress);
    artifacts_ready(plan, guard, &say).await?;
    let done = Arc::new(Mutex::new(Done::default()));
    for nodes in [1, 3] {
        let queue: VecDeque<_> = plan.scenarios.iter().copied().filter(|scenario| scenario.nodes == nodes).collect();
        let jobs = plan.jobs.clamp(1, queue.len().max(1));
        let queue = Arc::new(Mutex::new(queue));
        let mut workers = tokio::task::JoinSet::new();
        for job in 0..jobs {
            let worker = Worker {
                plan: plan.clone(),
                guard: guard.clone(),
                progress: Arc::clone(progress),
                queue: Arc::clone(&queue),
                done: Arc::clone(&done),
                nodes,
                job,
            };
            workers.spawn(worker.work());
        }
        while workers.join_next().await.is_some() {}
    }
    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
    let order = |id: &str| plan.scenarios.iter().position(|scenario| scenario.id == id);
    done.outcomes.sort_by_key(|outcome| order(&outcome.scenario));
    let outcomes = std::mem::take(&mut done.outcomes);
    let nodes = plan.scenarios.iter().map(|scenario| scenario.nodes).max().unwrap_or(1);
    Ok(Ran { report: report(plan, date, outcomes, nodes), troubles: std::mem::take(&mut done.troubles) })
}

async fn artifacts_ready(plan: &Plan, guard: &Guard, progress: &Arc<dyn Progress>) -> Result<(), BrokerError> {
    let progress = Arc::clone(progress);
    super::broker::cluster::archive(&plan.artifacts, guard, &move |what: &str| progress.working(what)).await
}

fn report(plan: &Plan, date: String, outcomes: Vec<ScenarioOutcome>, nodes: usize) -> Report {
    Report {
        schema: SCHEMA,
        kit: Kit { version: env!("CARGO_PKG_VERSION").to_owned() },
        client: Tried { id: plan.program.client.clone(), version: plan.info.version.clone() },
        engine: plan.info.engine.as_ref().map(|engine| Tried { id: engine.name.clone(), version: engine.version.clone() }),
        broker: Broker { name: broker::NAME.to_owned(), version: plan.artifacts.version.clone(), nodes: nodes as u32 },
        date,
        seed: plan.seed,
        machine: machine(),
        outcomes,
    }
}

/// This machine's fingerprint.
pub fn machine() -> Machine {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    Machine { os: std::env::consts::OS.to_owned(), arch: std::env::consts::ARCH.to_owned(), cpus, memory_mib: kib / 1024 }
}

#[derive(Default)]
struct Done {
    outcomes: Vec<ScenarioOutcome>,
    troubles: Vec<(String, String)>,
}

/// One cluster at a time, scenario after scenario.
struct Worker {
    plan: Plan,
    guard: Guard,
    progress: Arc<dyn Progress>,
    queue: Arc<Mutex<VecDeque<&'static Scenario>>>,
    done: Arc<Mutex<Done>>,
    nodes: usize,
    job: usize,
}

/// A cluster behind its proxies.
struct Ground {
    cluster: Cluster,
    proxies: Proxies,
}

impl Worker {
    async fn work(self) {
        let mut ground = None;
        loop {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(scenario) = next else { break };
            if self.known(scenario) {
                continue;
            }
            self.progress.began(scenario);
            let mut trouble = String::new();
            for _ in 0..=AGAIN {
                match self.attempt(scenario, &mut ground).await {
                    Ok(outcome) => {
                        trouble.clear();
                        self.progress.ended(&outcome, false);
                        self.done.lock().unwrap_or_else(PoisonError::into_inner).outcomes.push(outcome);
                        break;
                    }
                    Err(why) => {
                        trouble = why;
                        ground = None; // a fresh cluster for the next attempt
                    }
                }
            }
            if !trouble.is_empty() {
                self.progress.troubled(scenario, &trouble);
                self.done.lock().unwrap_or_else(PoisonError::into_inner).troubles.push((scenario.id.to_owned(), trouble));
            }
        }
        if let Some(Ground { cluster, proxies }) = ground {
            drop(proxies);
            cluster.shut().await;
        }
    }

    /// Takes what needs no run: a feature the driver says the client does not have, or a history kept from before.
    fn known(&self, scenario: &'static Scenario) -> bool {
        let outcome = match self.plan.program.manifest.unsupported.get(scenario.feature) {
            Some(cannot) => {
                let recorder = self.recorder(scenario);
                let halt = Halt::Unsupported { reason: cannot.reason.clone(), link: cannot.link.clone() };
                recorder.record(Entry::Halted { halt });
                judge::outcome(scenario, &recorder.history()).ok()
            }
            None if self.plan.resume => {
                let kept = History::load(&self.path(scenario)).ok();
                let kept = kept.filter(|history| history.begun().is_some_and(|(.., seed)| seed == self.plan.seed));
                kept.and_then(|history| judge::outcome(scenario, &history).ok())
            }
            None => None,
        };
        let Some(outcome) = outcome else { return false };
        self.progress.ended(&outcome, true);
        self.done.lock().unwrap_or_else(PoisonError::into_inner).outcomes.push(outcome);
        true
    }

    fn path(&self, scenario: &Scenario) -> PathBuf {
        self.plan.out.join(scenario.id).with_extension("jsonl")
    }

    fn recorder(&self, scenario: &Scenario) -> Recorder {
        let recorder = Recorder::default();
        let client = self.plan.program.client.clone();
        recorder.record(Entry::Begun { scenario: scenario.id.to_owned(), client, seed: self.plan.seed });
        recorder
    }

    /// Plays a scenario once, keeps its history, judges it. The error is the kit's own trouble.
    async fn attempt(&self, scenario: &'static Scenario, ground: &mut Option<Ground>) -> Result<ScenarioOutcome, String> {
        if ground.is_none() {
            self.progress.working(&format!(
                "starting Kafka {} with {} node{}",
                self.plan.artifacts.version,
                self.nodes,
                if self.nodes == 1 { "" } else { "s" }
            ));
            *ground = Some(self.start().await.map_err(|why| why.to_string())?);
        }
        let Some(Ground { cluster, proxies }) = ground else { return Err("no cluster".to_owned()) };
        let recorder = self.recorder(scenario);
        proxies.record_into(Some(recorder.clone()));
        let setting = Setting {
            cluster,
            proxies,
            guard: &self.guard,
            program: &self.plan.program,
            recorder: recorder.clone(),
            seed: Seed::new(self.plan.seed, scenario.id),
            prefix: format!("{}-{:x}", scenario.id, recorder_nonce()),
        };
        let mut stage = Stage::new(setting);
        let driven = timeout(SCENARIO, (scenario.drive)(&mut stage)).await;
        let halt = match driven {
            Ok(Ok(())) => None,
            Ok(Err(halt)) => Some(halt),
            Err(_) => Some(Halt::Hung {
                driver: "the scenario".to_owned(),
                step: stage.current_step().to_owned(),
                waited_ms: SCENARIO.as_millis() as u64,
            }),
        };
        drop(stage);
        proxies.record_into(None);
        proxies.heal();
        proxies.cut_all();
        if let Some(halt) = halt {
            recorder.record(Entry::Halted { halt });
        }
        let history = recorder.history();
        write_whole(&self.path(scenario), &history.to_text()).map_err(|why| why.to_string())?;
        let outcome = judge::outcome(scenario, &history);
        if cluster.mend().await.is_err() {
            *ground = None;
        }
        outcome
    }

    async fn start(&self) -> Result<Ground, BrokerError> {
        // A port that was free a moment ago may be taken: then once more, with others.
        match self.start_once().await {
            Err(BrokerError::Node { .. }) => self.start_once().await,
            other => other,
        }
    }

    async fn start_once(&self) -> Result<Ground, BrokerError> {
        let mut proxies = Proxies::bind(self.nodes).await.map_err(disk(format!("no free ports for job {}", self.job)))?;
        let cluster = Cluster::start(&self.plan.artifacts, &self.guard, proxies.ports()).await?;
        proxies.serve(cluster.behind());
        Ok(Ground { cluster, proxies })
    }
}

/// Makes the names of one attempt differ from those of another on the same cluster.
fn recorder_nonce() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64 & 0xff_ffff_ffff)
}

/// Writes a file so that it is there as a whole or not at all.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, text)?;
    std::fs::rename(part, path)
}

/// Provides a broker version with progress.
pub async fn provide(version: &str, progress: &Arc<dyn Progress>) -> Result<Artifacts, BrokerError> {
    let progress = Arc::clone(progress);
    artifacts::provide(version, &artifacts::cache(), &move |what: &str| progress.working(what)).await
}

/// How many outcomes of each kind, in words, as in `12 pass, 1 fail`.
pub fn summary(outcomes: &[ScenarioOutcome]) -> String {
    let kinds = [Outcome::Pass, Outcome::Fail, Outcome::Error, Outcome::Unsupported, Outcome::Skipped];
    let count = |kind| outcomes.iter().filter(|outcome| outcome.outcome == kind).count();
    let words: Vec<String> =
        kinds.into_iter().filter(|kind| count(*kind) > 0).map(|kind| format!("{} {}", count(kind), kind.word())).collect();
    if words.is_empty() { "nothing ran".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_take_every_scenario_once() {
        let parts: Vec<Vec<u32>> = (1..=3).map(|number| Shard { number, of: 3 }.of((0..10).collect())).collect();
        assert_eq!(parts[0], [0, 3, 6, 9]);
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 10);
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, of: 4 }));
        for wrong in ["", "0/2", "3/2", "x/2", "2"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("1/4"));
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, id, does) in [
            ("*", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*", "b", false),
            ("abc", "abcd", false),
            ("*-zstd", "compress-zstd", true),
            ("*é*", "aé", true),
        ] {
            assert_eq!(fits(pattern, id), does, "{pattern} {id}");
        }
    }
}
