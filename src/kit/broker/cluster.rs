//! One node or three: format, start, ready by protocol, stop, kill, pause, resume, restart.

use super::artifacts::Artifacts;
use super::config::{self, Ports};
use super::{BrokerError, disk, tail};
use crate::kit::guard::{Guard, MARK};
use crate::kit::wire::Wire;
use rustix::process::{Pid, Signal, kill_process_group};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// How long a node may take to get ready: generous, for busy processors.
pub const READY: Duration = Duration::from_secs(120);

/// A running cluster. Dropping it kills it.
#[derive(Debug)]
pub struct Cluster {
    artifacts: Artifacts,
    guard: Guard,
    folder: PathBuf,
    nodes: Vec<Node>,
    ports: Vec<Ports>,
}

#[derive(Debug)]
struct Node {
    id: i32,
    child: Option<Child>,
}

impl Cluster {
    /// Formats and starts a cluster and waits until it answers. `proxies` are the ports that its nodes advertise, one each.
    pub async fn start(artifacts: &Artifacts, guard: &Guard, proxies: &[u16]) -> Result<Cluster, BrokerError> {
        let free = config::free_ports(proxies.len() * 3).map_err(disk("no free ports"))?;
        let ports: Vec<Ports> = proxies
            .iter()
            .zip(free.chunks_exact(3))
            .map(|(proxy, free)| Ports { controller: free[0], direct: free[1], behind: free[2], proxy: *proxy })
            .collect();
        let folder = guard.folder(&format!("broker-{}", ports[0].direct)).map_err(disk("no temporary folder"))?;
        let nodes = (1..=ports.len()).map(|id| Node { id: id as i32, child: None }).collect();
        let mut cluster = Cluster { artifacts: artifacts.clone(), guard: guard.clone(), folder, nodes, ports };
        cluster.format().await?;
        for node in 1..=cluster.nodes.len() {
            cluster.spawn(node as i32, &[])?;
        }
        cluster.ready().await?;
        Ok(cluster)
    }

    /// The broker's version.
    pub fn version(&self) -> &str {
        &self.artifacts.version
    }

    /// The ids of all nodes, running or not.
    pub fn nodes(&self) -> Vec<i32> {
        self.nodes.iter().map(|node| node.id).collect()
    }

    /// The nodes' ports, in the order of their ids.
    pub fn ports(&self) -> &[Ports] {
        &self.ports
    }

    /// Where the proxies connect to, in the order of the nodes.
    pub fn behind(&self) -> Vec<SocketAddr> {
        self.ports.iter().map(|ports| SocketAddr::from((Ipv4Addr::LOCALHOST, ports.behind))).collect()
    }

    /// Makes it whole for the next scenario: nodes that were stopped, killed or paused run again.
    pub async fn mend(&mut self) -> Result<(), BrokerError> {
        for node in self.nodes() {
            self.resume(node);
            if self.node_mut(node).child.is_none() {
                self.spawn(node, &[])?;
            }
        }
        self.ready().await
    }

    /// A connection of the kit's own to `node`, past the proxy.
    pub async fn wire(&self, node: i32) -> Result<Wire, BrokerError> {
        Ok(Wire::connect(self.port(node).direct_address(), Duration::from_secs(20)).await?)
    }

    /// A connection to any node that answers.
    pub async fn any_wire(&self) -> Result<Wire, BrokerError> {
        let mut last = None;
        for node in self.nodes.iter().filter(|node| node.child.is_some()) {
            match Wire::connect(self.port(node.id).direct_address(), Duration::from_secs(5)).await {
                Ok(wire) => return Ok(wire),
                Err(why) => last = Some(why),
            }
        }
        match last {
            Some(why) => Err(why.into()),
            None => Err(self.trouble(1, "no node is running".into())),
        }
    }

    /// Asks a node to end, and waits until it has.
    pub async fn stop(&mut self, node: i32) -> Result<ExitStatus, BrokerError> {
        self.end(node, Signal::TERM).await
    }

    /// Kills a node with SIGKILL.
    pub async fn kill(&mut self, node: i32) -> Result<ExitStatus, BrokerError> {
        self.end(node, Signal::KILL).await
    }

    /// Stops a node's clock: it neither answers nor ends.
    pub fn pause(&self, node: i32) {
        self.signal(node, Signal::STOP);
    }

    /// Lets a paused node go on.
    pub fn resume(&self, node: i32) {
        self.signal(node, Signal::CONT);
    }

    /// Starts a node that was stopped or killed, with its data, and waits until it answers.
    pub async fn restart(&mut self, node: i32) -> Result<(), BrokerError> {
        self.spawn(node, &[])?;
        self.ready().await
    }

    /// Waits until every running node answers, and all of them are in the metadata.
    pub async fn ready(&mut self) -> Result<(), BrokerError> {
        let until = Instant::now() + READY;
        let running: Vec<i32> = self.nodes.iter().filter(|node| node.child.is_some()).map(|node| node.id).collect();
        for node in &running {
            while !self.answers(*node, running.len()).await {
                if let Some(status) = self.node_mut(*node).child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                    return Err(self.trouble(*node, format!("ended with {status} instead of getting ready")));
                }
                if Instant::now() > until {
                    return Err(self.trouble(*node, format!("is not ready after {READY:?}")));
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }

    /// Whether `node` knows of at least `brokers` brokers that are alive.
    async fn answers(&self, node: i32, brokers: usize) -> bool {
        let address = self.port(node).direct_address();
        let Ok(mut wire) = Wire::connect(address, Duration::from_secs(2)).await else { return false };
        wire.metadata(&[]).await.is_ok_and(|metadata| metadata.brokers.len() >= brokers)
    }

    /// Ends all nodes and removes their data. They are killed: nobody needs what they would still write.
    pub async fn shut(mut self) {
        for node in &self.nodes {
            self.signal(node.id, Signal::KILL);
        }
        for node in self.nodes() {
            let _ = self.end(node, Signal::KILL).await;
        }
    }

    fn port(&self, node: i32) -> Ports {
        self.ports[usize::try_from(node - 1).unwrap_or(0).min(self.ports.len() - 1)]
    }

    fn node_mut(&mut self, node: i32) -> &mut Node {
        let last = self.nodes.len() - 1;
        &mut self.nodes[usize::try_from(node - 1).unwrap_or(0).min(last)]
    }

    fn home(&self, node: i32) -> PathBuf {
        self.folder.join(format!("node-{node}"))
    }

    fn trouble(&self, node: i32, what: String) -> BrokerError {
        let log = std::fs::read_to_string(self.home(node).join("log.txt")).unwrap_or_default();
        BrokerError::Node { node, what, log: tail(&log, 15) }
    }

    /// Writes each node's settings and lays formatted storage in its folder.
    async fn format(&mut self) -> Result<(), BrokerError> {
        for id in 1..=self.nodes.len() {
            let home = self.home(id as i32);
            let data = home.join("data");
            std::fs::create_dir_all(&home).map_err(disk(format!("cannot make {}", home.display())))?;
            let properties = home.join("server.properties");
            std::fs::write(&properties, config::properties(id, &self.ports, &data)).map_err(disk("cannot write settings"))?;
            let ready = self.artifacts.formats.join(format!("node-{id}-of-{}", self.nodes.len()));
            if !ready.is_dir() {
                self.format_afresh(id as i32, &properties, &data, &ready).await?;
                continue;
            }
            copy_tree(&ready, &data).map_err(disk("cannot copy formatted storage"))?;
        }
        Ok(())
    }

    async fn format_afresh(&self, node: i32, properties: &Path, data: &Path, keep: &Path) -> Result<(), BrokerError> {
        let mut command = self.java("64m");
        command.args(["kafka.tools.StorageTool", "format", "--cluster-id", config::CLUSTER_ID, "--config"]).arg(properties);
        let output = command.stdin(Stdio::null()).output().await.map_err(disk("cannot start java"))?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            return Err(BrokerError::Node { node, what: "cannot be formatted".into(), log: tail(&words, 15) });
        }
        let part = keep.with_extension(format!("{}", std::process::id()));
        let _ = copy_tree(data, &part).and_then(|()| std::fs::rename(&part, keep));
        let _ = std::fs::remove_dir_all(&part);
        Ok(())
    }

    fn java(&self, heap: &str) -> Command {
        let mut command = Command::new("java");
        command
            .env_clear()
            .envs(["PATH", "HOME", "JAVA_HOME", "LANG"].iter().filter_map(|name| Some((*name, std::env::var_os(name)?))))
            .env(MARK, self.guard.mark())
            .args(["-Xms64m", &format!("-Xmx{heap}"), "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"])
            .arg("-Xlog:disable")
            .arg(format!("-Dlog4j2.configurationFile={}", self.artifacts.logging.display()))
            .arg("-cp")
            .arg(&self.artifacts.classpath)
            .process_group(0)
            .kill_on_drop(true);
        command
    }

    fn spawn(&mut self, node: i32, extra: &[String]) -> Result<(), BrokerError> {
        let home = self.home(node);
        let log = std::fs::OpenOptions::new().create(true).append(true).open(home.join("log.txt"));
        let log = log.map_err(disk("cannot write a log"))?;
        let errors = log.try_clone().map_err(disk("cannot write a log"))?;
        let mut command = self.java("256m");
        // Options for Java must come before the class's name; the builder above has ended with the class path.
        command.args(extra);
        if extra.is_empty() && self.artifacts.archive.is_file() {
            command.arg(format!("-XX:SharedArchiveFile={}", self.artifacts.archive.display()));
        }
        command.arg("kafka.Kafka").arg(home.join("server.properties"));
        let child = command.stdin(Stdio::null()).stdout(log).stderr(errors).spawn().map_err(disk("cannot start java"))?;
        if let Some(id) = child.id() {
            self.guard.watch(id);
        }
        self.node_mut(node).child = Some(child);
        Ok(())
    }

    fn signal(&self, node: i32, signal: Signal) {
        let child = self.nodes.iter().find(|n| n.id == node).and_then(|n| n.child.as_ref());
        if let Some(group) = child.and_then(Child::id).and_then(|id| Pid::from_raw(id as i32)) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Sends `signal` and waits; what does not end in 30 seconds is killed.
    async fn end(&mut self, node: i32, signal: Signal) -> Result<ExitStatus, BrokerError> {
        self.signal(node, signal);
        let Some(mut child) = self.node_mut(node).child.take() else {
            return Err(self.trouble(node, "is not running".into()));
        };
        let group = child.id();
        let status = match timeout(Duration::from_secs(30), child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                let _ = child.start_kill();
                child.wait().await
            }
        };
        if let Some(group) = group {
            self.guard.forget(group);
        }
        status.map_err(disk("cannot wait for a node"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &self.nodes {
            self.signal(node.id, Signal::KILL);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Makes Java's archive of loaded classes, if there is none: starts a node once and ends it. A failure only costs time.
pub async fn archive(artifacts: &Artifacts, guard: &Guard, say: &(dyn Fn(&str) + Send + Sync)) -> Result<(), BrokerError> {
    if artifacts.archive.is_file() {
        return Ok(());
    }
    say("making Java's class archive for a quick start, once");
    let part = artifacts.archive.with_extension(format!("{}", std::process::id()));
    let free = config::free_ports(4).map_err(disk("no free ports"))?;
    let ports = vec![Ports { controller: free[0], direct: free[1], behind: free[2], proxy: free[3] }];
    let folder = guard.folder(&format!("archive-{}", free[0])).map_err(disk("no temporary folder"))?;
    let nodes = vec![Node { id: 1, child: None }];
    let mut cluster = Cluster { artifacts: artifacts.clone(), guard: guard.clone(), folder, nodes, ports };
    cluster.format().await?;
    cluster.spawn(1, &[format!("-XX:ArchiveClassesAtExit={}", part.display())])?;
    cluster.ready().await?;
    cluster.stop(1).await?;
    let _ = std::fs::rename(&part, &artifacts.archive);
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
