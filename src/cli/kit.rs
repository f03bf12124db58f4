//! `clientbook kit …`: runs clients against real brokers, and tells what came of it.

use super::{Exit, Stop, Terminal};
use crate::kit::broker::{self, artifacts, cluster::Cluster, config};
use crate::kit::driver::Program;
use crate::kit::guard::{self, Guard};
use crate::kit::history::History;
use crate::kit::judge;
use crate::kit::report::{self, Format};
use crate::kit::run::{self, Plan, Progress, Shard};
use crate::kit::scenarios::{self, Scenario};
use crate::results::{Outcome, Report, ScenarioOutcome};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What to do with the kit.
#[derive(Debug, clap::Subcommand)]
pub enum Kit {
    /// Scenarios, brokers, and drivers with what each still needs
    List,
    /// Run a client's driver through the scenarios against a real broker
    Run(Run),
    /// Ten seconds that tell a driver's author what is wrong with it
    Smoke {
        /// The client's id
        client: String,
    },
    /// Show results as text, JSON, JUnit or HTML
    Report {
        /// Result files
        #[arg(required = true)]
        results: Vec<PathBuf>,
        /// human, json, junit or html
        #[arg(long = "as", value_name = "FORMAT", default_value = "human")]
        shape: Format,
    },
    /// Judge saved histories again, without running anything
    Replay {
        /// Files that `kit run` kept
        #[arg(required = true)]
        histories: Vec<PathBuf>,
    },
    /// A broker left running for a person to play with
    #[command(subcommand)]
    Broker(Play),
    /// Cleans up when the kit is gone
    #[command(name = "__guard", hide = true)]
    Guard {
        /// The kit's mark
        mark: String,
    },
    /// Holds the broker of `kit broker up`
    #[command(name = "__hold", hide = true)]
    Hold {
        /// The broker's version
        version: String,
        /// How many nodes
        nodes: usize,
    },
}

/// What to run.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The client's id
    #[arg(required_unless_present = "all")]
    client: Option<String>,
    /// Every client that has a driver
    #[arg(long, conflicts_with = "client")]
    all: bool,
    /// The broker: its name and version
    #[arg(long, default_value_t = broker::default())]
    broker: String,
    /// Only scenarios whose id fits; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    scenario: Vec<String>,
    /// Everything random is drawn from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Clusters that work side by side
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// This machine's part, as in 1/4
    #[arg(long)]
    shard: Option<Shard>,
    /// Where histories and results go
    #[arg(long, value_name = "DIR", default_value = ".clientbook/kit")]
    out: PathBuf,
    /// Count histories of the same seed that are there already as done
    #[arg(long)]
    resume: bool,
}

/// What to do with the broker to play with.
#[derive(Debug, clap::Subcommand)]
pub enum Play {
    /// Start it
    Up {
        /// The version
        #[arg(long, default_value = broker::VERSIONS[0])]
        version: String,
        /// One node or three
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=3))]
        nodes: u8,
    },
    /// End it
    Down,
    /// Say whether it runs, and where
    Status,
}

type Done = Result<Exit, String>;

impl Kit {
    /// Whether it needs a catalogue's folder.
    pub(super) fn needs_catalogue(&self) -> bool {
        matches!(self, Kit::List | Kit::Run(_) | Kit::Smoke { .. })
    }
}

/// Does it. `root` is the catalogue's folder. Findings: a scenario failed, or could not be judged.
pub(super) fn run(kit: &Kit, root: &Path, terminal: &Terminal) -> Result<Exit, Stop> {
    if let Kit::Guard { mark } = kit {
        guard::serve(mark, std::io::stdin().lock());
        return Ok(Exit::Clean);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Stop::new(format!("cannot start: {why}")))?;
    runtime.block_on(dispatch(kit, root, terminal)).map_err(Stop::new)
}

async fn dispatch(kit: &Kit, root: &Path, terminal: &Terminal) -> Done {
    match kit {
        Kit::List => list(root, terminal).await,
        Kit::Run(run) => until_interrupted(run_clients(run, root)).await,
        Kit::Smoke { client } => until_interrupted(smoke(client, root)).await,
        Kit::Report { results, shape } => report(results, *shape, terminal),
        Kit::Replay { histories } => replay(histories, terminal),
        Kit::Broker(play) => play_broker(play).await,
        Kit::Hold { version, nodes } => hold(version, *nodes).await,
        Kit::Guard { .. } => Ok(Exit::Clean),
    }
}

fn print(terminal: &Terminal, text: &str) -> Result<(), String> {
    terminal.print(text).map_err(|stop| stop.what)
}

/// Ctrl-C drops what is running: drivers and brokers are killed, histories that are whole stay.
async fn until_interrupted(work: impl Future<Output = Done>) -> Done {
    tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err("interrupted; finished scenarios are kept: go on with --resume".to_owned()),
    }
}

fn start_guard() -> Result<Guard, String> {
    let program = std::env::current_exe().map_err(|why| format!("cannot find this program: {why}"))?;
    let command = [program.display().to_string(), "kit".to_owned(), "__guard".to_owned()];
    Guard::start(&command).map_err(|why| format!("cannot start the guard: {why}"))
}

async fn list(root: &Path, terminal: &Terminal) -> Done {
    let mut lines = vec!["Scenarios".to_owned()];
    for scenario in scenarios::all() {
        let nodes = if scenario.nodes == 1 { "1 node " } else { "3 nodes" };
        lines.push(format!("  {:22} {:9} {nodes} {:22} {}", scenario.id, scenario.group, scenario.feature, scenario.expected));
    }
    lines.push("\nBrokers".to_owned());
    for version in broker::VERSIONS {
        let cached =
            if artifacts::is_cached(version, &artifacts::cache()) { "in the cache" } else { "to be fetched through Maven" };
        lines.push(format!("  {}:{version}  {cached}", broker::NAME));
    }
    lines.push("\nDrivers".to_owned());
    for client in Program::list(root) {
        let state = match Program::find(root, &client, &artifacts::cache()) {
            Ok(program) => {
                program.check_needs().await.map_or_else(|why| why.to_string(), |()| "ready to be built and run".to_owned())
            }
            Err(why) => why.to_string(),
        };
        lines.push(format!("  {client:22} {state}"));
    }
    print(terminal, &(lines.join("\n") + "\n"))?;
    Ok(Exit::Clean)
}

async fn run_clients(args: &Run, root: &Path) -> Done {
    let version = broker::version_of(&args.broker)?;
    let clients = match &args.client {
        Some(client) => vec![client.clone()],
        None => Program::list(root),
    };
    let mut chosen = scenarios::all();
    if !args.scenario.is_empty() {
        chosen.retain(|scenario| args.scenario.iter().any(|pattern| run::fits(pattern, scenario.id)));
    }
    if let Some(shard) = args.shard {
        chosen = shard.of(chosen);
    }
    if chosen.is_empty() {
        return Err("no scenario fits: `clientbook kit list` names them all".to_owned());
    }
    let guard = start_guard()?;
    let progress: Arc<dyn Progress> = Arc::new(Lines::new(chosen.len()));
    let artifacts = run::provide(version, &progress).await.map_err(|why| why.to_string())?;
    let mut clean = true;
    for client in &clients {
        let (program, info) = match ready(root, client, &progress).await {
            Ok(ready) => ready,
            // One client's trouble does not block the others.
            Err(why) if clients.len() > 1 => {
                eprintln!("error: {why}");
                clean = false;
                continue;
            }
            Err(why) => return Err(why),
        };
        let folder = args.out.join(format!("{client}-{}-{}-{version}", info.version, broker::NAME));
        let plan = Plan {
            program,
            info,
            scenarios: chosen.clone(),
            artifacts: artifacts.clone(),
            seed: args.seed,
            jobs: args.jobs,
            out: folder.clone(),
            resume: args.resume,
        };
        clean &= run_plan(&plan, &guard, &progress, &folder).await?;
    }
    Ok(if clean { Exit::Clean } else { Exit::Findings })
}

async fn ready(root: &Path, client: &str, progress: &Arc<dyn Progress>) -> Result<(Program, crate::kit::protocol::Info), String> {
    let program = Program::find(root, client, &artifacts::cache()).map_err(|why| why.to_string())?;
    program.check_needs().await.map_err(|why| why.to_string())?;
    progress.working(&format!("building the driver of {client}"));
    program.build().await.map_err(|why| why.to_string())?;
    let info = program.info().await.map_err(|why| why.to_string())?;
    Ok((program, info))
}

async fn run_plan(plan: &Plan, guard: &Guard, progress: &Arc<dyn Progress>, folder: &Path) -> Result<bool, String> {
    let ran = run::run(plan, guard, progress).await.map_err(|why| why.to_string())?;
    let path = folder.join("result.json");
    std::fs::write(&path, report::json(&ran.report)).map_err(|why| format!("{}: {why}", path.display()))?;
    print!("{}", report::write(std::slice::from_ref(&ran.report), Format::Human));
    for (scenario, trouble) in &ran.troubles {
        println!("  not judged  {scenario}: {trouble}");
    }
    println!("result: {}", path.display());
    let fine = |outcome: &ScenarioOutcome| !matches!(outcome.outcome, Outcome::Fail | Outcome::Error);
    Ok(ran.troubles.is_empty() && ran.report.outcomes.iter().all(fine))
}

/// What `kit smoke` plays: one of each kind.
const SMOKE: &[&str] = &[
    "produce-bytes",
    "produce-headers",
    "produce-keys",
    "compress-none",
    "consume-earliest",
    "consume-offset",
    "consume-commit",
];

async fn smoke(client: &str, root: &Path) -> Done {
    let guard = start_guard()?;
    let chosen: Vec<&'static Scenario> = SMOKE.iter().filter_map(|id| scenarios::find(id)).collect();
    let progress: Arc<dyn Progress> = Arc::new(Lines::new(chosen.len()));
    let (program, info) = ready(root, client, &progress).await?;
    println!("{client} {} ({})", info.version, info.language);
    let artifacts = run::provide(broker::VERSIONS[0], &progress).await.map_err(|why| why.to_string())?;
    let out = guard.folder("smoke").map_err(|why| why.to_string())?;
    let plan = Plan { program, info, scenarios: chosen, artifacts, seed: 1, jobs: 1, out, resume: false };
    let ran = run::run(&plan, &guard, &progress).await.map_err(|why| why.to_string())?;
    print!("{}", report::write(std::slice::from_ref(&ran.report), Format::Human));
    for (scenario, trouble) in &ran.troubles {
        println!("  not judged  {scenario}: {trouble}");
    }
    let wrong = |outcome: &ScenarioOutcome| matches!(outcome.outcome, Outcome::Fail | Outcome::Error);
    let clean = !ran.report.outcomes.iter().any(wrong) && ran.troubles.is_empty();
    println!(
        "{}",
        if clean {
            "nothing is wrong with this driver as far as the smoke test goes"
        } else {
            "mend the first finding first: later ones often follow from it"
        }
    );
    Ok(if clean { Exit::Clean } else { Exit::Findings })
}

fn report(results: &[PathBuf], format: Format, terminal: &Terminal) -> Done {
    let read = |path: &PathBuf| -> Result<Report, String> {
        let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
        serde_json::from_str(&text).map_err(|why| format!("{} is not a result: {why}", path.display()))
    };
    let reports: Vec<Report> = results.iter().map(read).collect::<Result<_, _>>()?;
    print(terminal, &report::write(&reports, format))?;
    Ok(Exit::Clean)
}

fn replay(histories: &[PathBuf], terminal: &Terminal) -> Done {
    let mut clean = true;
    for path in histories {
        let history = History::load(path)?;
        let (id, client, _) =
            history.begun().ok_or_else(|| format!("{}: it does not say which scenario it is of", path.display()))?;
        let scenario = scenarios::find(id).ok_or_else(|| format!("{}: there is no scenario {id:?}", path.display()))?;
        match judge::outcome(scenario, &history) {
            Ok(outcome) => {
                clean &= !matches!(outcome.outcome, Outcome::Fail | Outcome::Error);
                let mut text = format!("{client} {id}: {}: {}\n", outcome.outcome.word(), outcome.seen);
                for evidence in outcome.evidence {
                    text += &format!("    {:?}: {}\n", evidence.kind, evidence.text);
                }
                print(terminal, &text)?;
            }
            Err(trouble) => {
                clean = false;
                print(terminal, &format!("{client} {id}: not judged: {trouble}\n"))?;
            }
        }
    }
    Ok(if clean { Exit::Clean } else { Exit::Findings })
}

/// Where the broker to play with is written down.
fn state() -> PathBuf {
    artifacts::cache().join("broker.json")
}

fn held() -> Option<(i32, String)> {
    let state: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(state()).ok()?).ok()?;
    let pid = i32::try_from(state["pid"].as_i64()?).ok()?;
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid)?).ok()?;
    Some((pid, format!("{} {} at {}", broker::NAME, state["version"].as_str()?, state["bootstrap"].as_str()?)))
}

async fn play_broker(play: &Play) -> Done {
    match (play, held()) {
        (Play::Up { .. }, Some((_, what))) => Err(format!("a broker is up already: {what}")),
        (Play::Up { version, nodes }, None) => up(version, *nodes).await,
        (Play::Status, Some((_, what))) => {
            println!("up: {what}");
            Ok(Exit::Clean)
        }
        (Play::Down, Some((pid, _))) => {
            if let Some(pid) = rustix::process::Pid::from_raw(pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
            for _ in 0..400 {
                if held().is_none() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let _ = std::fs::remove_file(state());
            println!("down");
            Ok(Exit::Clean)
        }
        (_, None) => {
            println!("no broker is up");
            Ok(Exit::Findings)
        }
    }
}

async fn up(version: &str, nodes: u8) -> Done {
    let _ = std::fs::remove_file(state());
    let progress: Arc<dyn Progress> = Arc::new(Lines::new(0));
    run::provide(version, &progress).await.map_err(|why| why.to_string())?;
    let program = std::env::current_exe().map_err(|why| why.to_string())?;
    let mut command = std::process::Command::new(program);
    command.args(["kit", "__hold", version, &nodes.to_string()]);
    let null = std::process::Stdio::null;
    let mut child = command.stdin(null()).stdout(null()).stderr(null()).spawn().map_err(|why| why.to_string())?;
    for _ in 0..1500 {
        if let Some((_, what)) = held() {
            println!("up: {what}; end it with `clientbook kit broker down`");
            return Ok(Exit::Clean);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("the broker ended with {status}"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let _ = child.kill();
    Err("the broker is not up after 150 s".to_owned())
}

async fn hold(version: &str, nodes: usize) -> Done {
    let _ = rustix::process::setsid();
    let guard = start_guard()?;
    let progress: Arc<dyn Progress> = Arc::new(Lines::new(0));
    let artifacts = run::provide(version, &progress).await.map_err(|why| why.to_string())?;
    let unused = config::free_ports(nodes).map_err(|why| why.to_string())?;
    let cluster = Cluster::start(&artifacts, &guard, &unused).await.map_err(|why| why.to_string())?;
    let bootstrap: Vec<String> = cluster.ports().iter().map(|ports| ports.direct_address().to_string()).collect();
    let text = serde_json::json!({ "pid": std::process::id(), "version": version, "bootstrap": bootstrap.join(",") });
    std::fs::write(state(), text.to_string()).map_err(|why| why.to_string())?;
    let terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    if let Ok(mut terminated) = terminated {
        terminated.recv().await;
    }
    cluster.shut().await;
    Ok(Exit::Clean)
}

/// Progress: one line for each scenario; on a terminal the current one is shown while it runs.
struct Lines {
    total: usize,
    done: std::sync::atomic::AtomicUsize,
    live: bool,
}

impl Lines {
    fn new(total: usize) -> Self {
        Lines { total, done: 0.into(), live: std::io::stderr().is_terminal() }
    }

    fn line(&self, text: &str, stays: bool) {
        let mut err = std::io::stderr().lock();
        let _ = match (self.live, stays) {
            (true, true) => writeln!(err, "\r\x1b[K{text}"),
            (true, false) => write!(err, "\r\x1b[K{text}").and_then(|()| err.flush()),
            (false, true) => writeln!(err, "{text}"),
            (false, false) => Ok(()),
        };
    }

    fn count(&self) -> String {
        let done = self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        if self.total > 0 { format!("[{:>2}/{}] ", (done - 1) % self.total + 1, self.total) } else { String::new() }
    }
}

impl Progress for Lines {
    fn working(&self, what: &str) {
        self.line(&format!("… {what}"), !self.live);
    }

    fn began(&self, scenario: &Scenario) {
        self.line(&format!("… {}", scenario.id), false);
    }

    fn ended(&self, outcome: &ScenarioOutcome, kept: bool) {
        let seconds = outcome.duration_ms as f64 / 1000.0;
        let kept = if kept { ", kept" } else { "" };
        self.line(&format!("{}{} {} ({seconds:.1} s{kept})", self.count(), outcome.outcome.word(), outcome.scenario), true);
    }

    fn troubled(&self, scenario: &Scenario, trouble: &str) {
        self.line(&format!("{}not judged {}: {trouble}", self.count(), scenario.id), true);
    }
}
