//! What a scenario plays on: topics of its own, drivers, the broker, the proxy, and the log as it is.

use super::broker::BrokerError;
use super::broker::cluster::Cluster;
use super::driver::Program;
use super::driver::host::{Driver, Limits, Start};
use super::guard::Guard;
use super::history::{Entry, Halt, Inside, Recorder};
use super::protocol::{Options, Role};
use super::proxy::{Proxies, fault::Fault};
use super::seed::Seed;
use super::wire::batches::{self, Codec, Stored};
use super::wire::{Wire, WireError};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

/// How long a client may take for what should take no time: generous, for busy processors.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// One scenario's stage. Everything done on it is in the history.
pub struct Stage<'a> {
    /// The cluster; stop, kill, pause and restart its nodes through [`broker`](Self::broker).
    cluster: &'a mut Cluster,
    proxies: &'a Proxies,
    guard: &'a Guard,
    program: &'a Program,
    recorder: Recorder,
    seed: Seed,
    prefix: String,
    topics: u32,
    drivers: u64,
    step: String,
}

/// What a stage is made of.
pub struct Setting<'a> {
    /// The cluster.
    pub cluster: &'a mut Cluster,
    /// Its proxies.
    pub proxies: &'a Proxies,
    /// The guard.
    pub guard: &'a Guard,
    /// The client's driver.
    pub program: &'a Program,
    /// The history.
    pub recorder: Recorder,
    /// The scenario's own chance.
    pub seed: Seed,
    /// What the names of topics and groups begin with: unique in the cluster.
    pub prefix: String,
}

/// A topic that a scenario made.
#[derive(Debug, Clone)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// How many partitions it has.
    pub partitions: i32,
}

impl<'a> Stage<'a> {
    /// Sets the stage.
    pub fn new(setting: Setting<'a>) -> Self {
        let Setting { cluster, proxies, guard, program, recorder, seed, prefix } = setting;
        Stage { cluster, proxies, guard, program, recorder, seed, prefix, topics: 0, drivers: 0, step: String::new() }
    }

    /// Says what is done from now on: a failure names it.
    pub fn step(&mut self, step: &str) {
        step.clone_into(&mut self.step);
        self.recorder.record(Entry::Step { step: step.to_owned() });
    }

    /// What is done now.
    pub fn current_step(&self) -> &str {
        &self.step
    }

    /// Chance, drawn from the run's seed.
    pub fn seed(&mut self) -> &mut Seed {
        &mut self.seed
    }

    /// Tells the judge something.
    pub fn note(&self, name: &str, value: impl Into<serde_json::Value>) {
        self.recorder.record(Entry::Note { name: name.to_owned(), value: value.into() });
    }

    /// A name for a group, unique in the cluster.
    pub fn group(&mut self) -> String {
        self.topics += 1;
        format!("{}-group-{}", self.prefix, self.topics)
    }

    /// Makes a topic, replicated to all nodes (at most three), and waits until each partition has a leader.
    pub async fn topic(&mut self, partitions: i32, config: &[(&str, &str)]) -> Result<Topic, Halt> {
        self.topics += 1;
        let name = format!("{}-{}", self.prefix, self.topics);
        let replicas = self.cluster.nodes().len().min(3) as i16;
        let id = self.cluster.any_wire().await?.create_topic(&name, partitions, replicas, config).await?;
        let topic = Topic { name, id, partitions };
        for (partition, leader) in self.leaders(&topic).await? {
            self.answering(&topic, partition, leader).await?;
        }
        self.recorder.record(Entry::Topic { topic: topic.name.clone(), id: topic.id.clone(), partitions });
        Ok(topic)
    }

    /// Starts the client's driver; its options begin with the bootstrap address.
    pub async fn driver(&mut self, name: &str, role: Role, options: Options) -> Result<Driver, Halt> {
        self.driver_within(name, role, options, Limits::default()).await
    }

    /// Starts the client's driver with limits of the scenario's own.
    pub async fn driver_within(&mut self, name: &str, role: Role, options: Options, limits: Limits) -> Result<Driver, Halt> {
        let mut all = Options::new().with("--bootstrap-server", self.proxies.bootstrap());
        all.extend(options);
        self.drivers += 1;
        let start =
            Start { program: self.program, name, role, options: all, limits, first_id: (self.drivers - 1) * 1_000_000 + 1 };
        Driver::start(start, self.guard, &self.recorder, &self.step).await
    }

    /// The cluster, recorded: see [`Broker`].
    pub fn broker(&mut self) -> Broker<'_> {
        Broker { cluster: self.cluster, recorder: &self.recorder }
    }

    /// Adds a fault to the proxies.
    pub fn fault(&self, fault: Fault) {
        self.proxies.fault(fault);
    }

    /// The proxies.
    pub fn proxy(&self) -> &Proxies {
        self.proxies
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.proxies.heal();
    }

    /// Writes records with the kit's own client, as one batch: what "another client" wrote. Returns the first offset.
    pub async fn write(&mut self, topic: &Topic, partition: i32, codec: Codec, records: &[Stored]) -> Result<i64, Halt> {
        let batch = batches::write(codec, records).map_err(|trouble| Halt::Kit { trouble })?;
        let leader = self.leaders(topic).await?.get(&partition).copied().unwrap_or(1);
        Ok(self.cluster.wire(leader).await?.append(&topic.name, partition, batch).await?)
    }

    /// Reads all of a topic's log into the history.
    pub async fn read_log(&mut self, topic: &Topic) -> Result<(), Halt> {
        for (partition, leader) in self.leaders(topic).await? {
            let mut wire = self.cluster.wire(leader).await?;
            let batches = read_partition(&mut wire, &topic.name, partition).await?;
            self.recorder.record(Entry::Log { topic: topic.name.clone(), partition, batches });
        }
        Ok(())
    }

    /// Reads the log of a topic that only the kit has written to. That it does not hold `count` records is the kit's own trouble.
    pub async fn read_own_log(&mut self, topic: &Topic, count: usize) -> Result<(), Halt> {
        self.read_log(topic).await?;
        let log = super::judge::records(&self.recorder.history(), &topic.name).values().map(Vec::len).sum::<usize>();
        if log == count {
            Ok(())
        } else {
            Err(Halt::Kit { trouble: format!("the kit wrote {count} records, but the log holds {log}") })
        }
    }

    /// Reads all of a topic's log, and waits for up to ten seconds until it holds `count` records: for what nobody acknowledges.
    pub async fn settled_log(&mut self, topic: &Topic, count: usize) -> Result<(), Halt> {
        for _ in 0..50 {
            let mut held = 0;
            for (partition, leader) in self.leaders(topic).await? {
                held += self.cluster.wire(leader).await?.offset(&topic.name, partition, -1).await?;
            }
            if held >= count as i64 {
                break;
            }
            sleep(Duration::from_millis(200)).await;
        }
        self.read_log(topic).await
    }

    /// Whether a Fetch of `partition` at `offset` has gone by.
    pub fn saw_fetch(&self, topic: &Topic, partition: i32, offset: i64) -> bool {
        self.recorder.any(|entry| match entry {
            Entry::Frame { inside: Some(Inside::Fetch { parts, .. }), .. } => {
                parts.iter().any(|(name, p, o)| (*name == topic.name || *name == topic.id) && *p == partition && *o == offset)
            }
            _ => false,
        })
    }

    /// The offset that a group has committed, as the broker tells the kit; noted for the judge as `committed <partition>`.
    pub async fn committed(&mut self, group: &str, topic: &Topic, partition: i32) -> Result<Option<i64>, Halt> {
        let mut patience = 100;
        let offset = loop {
            match self.ask_committed(group, &topic.name, partition).await {
                // The coordinator is being made, loads its log, or has moved.
                Err(BrokerError::Wire(WireError::Refused { code: 14..=16, .. })) if patience > 0 => patience -= 1,
                other => break other?,
            }
            sleep(Duration::from_millis(100)).await;
        };
        self.note(&format!("committed {partition}"), offset);
        Ok(offset)
    }

    /// Waits until a new partition's leader does its work: the metadata may know of it a moment earlier.
    async fn answering(&self, topic: &Topic, partition: i32, leader: i32) -> Result<(), Halt> {
        for _ in 0..600 {
            match self.cluster.wire(leader).await?.offset(&topic.name, partition, -1).await {
                Err(WireError::Refused { .. }) => sleep(Duration::from_millis(50)).await,
                other => return Ok(other.map(drop)?),
            }
        }
        Err(Halt::Kit { trouble: format!("the leader of {}-{partition} does not take it up in 30 s", topic.name) })
    }

    async fn ask_committed(&self, group: &str, topic: &str, partition: i32) -> Result<Option<i64>, BrokerError> {
        let coordinator = self.cluster.any_wire().await?.coordinator(group).await?;
        Ok(self.cluster.wire(coordinator).await?.committed(group, topic, partition).await?)
    }

    /// Each partition's leader; waits until all have one.
    async fn leaders(&self, topic: &Topic) -> Result<BTreeMap<i32, i32>, Halt> {
        for _ in 0..600 {
            let metadata = self.cluster.any_wire().await?.metadata(&[&topic.name]).await?;
            let parts = metadata.topics.first().map(|t| t.partitions.as_slice()).unwrap_or_default();
            let led: BTreeMap<i32, i32> = parts
                .iter()
                .filter(|p| p.error_code == 0 && p.leader_id.0 > 0)
                .map(|p| (p.partition_index, p.leader_id.0))
                .collect();
            if led.len() >= topic.partitions as usize {
                return Ok(led);
            }
            sleep(Duration::from_millis(100)).await;
        }
        Err(Halt::Kit { trouble: format!("the partitions of {} have no leaders after 60 s", topic.name) })
    }
}

async fn read_partition(wire: &mut Wire, topic: &str, partition: i32) -> Result<Vec<batches::Batch>, Halt> {
    let mut offset = wire.offset(topic, partition, -2).await?;
    let mut all = Vec::new();
    for _ in 0..100_000 {
        let (bytes, end) = match wire.fetch(topic, partition, offset).await {
            // Just after a leader has moved it may not know yet how far it may answer.
            Err(WireError::Refused { code: 1 | 6 | 74 | 76, .. }) => {
                sleep(Duration::from_millis(100)).await;
                continue;
            }
            other => other?,
        };
        if offset >= end {
            return Ok(all);
        }
        let batches = batches::read(&bytes).map_err(|why| Halt::Kit { trouble: format!("{topic}-{partition}: {why}") })?;
        let Some(last) = batches.last() else { continue };
        offset = last.head.last_offset + 1;
        all.extend(batches);
    }
    Err(Halt::Kit { trouble: format!("{topic}-{partition} cannot be read to its end") })
}

/// The cluster under a scenario's hands: everything done to it is in the history.
pub struct Broker<'b> {
    cluster: &'b mut Cluster,
    recorder: &'b Recorder,
}

impl Broker<'_> {
    /// The nodes' ids.
    pub fn nodes(&self) -> Vec<i32> {
        self.cluster.nodes()
    }

    /// Asks a node to end, and waits.
    pub async fn stop(&mut self, node: i32) -> Result<(), Halt> {
        self.record(node, "stop");
        self.cluster.stop(node).await?;
        Ok(())
    }

    /// Kills a node with SIGKILL.
    pub async fn kill(&mut self, node: i32) -> Result<(), Halt> {
        self.record(node, "kill");
        self.cluster.kill(node).await?;
        Ok(())
    }

    /// Stops a node's clock.
    pub fn pause(&self, node: i32) {
        self.record(node, "pause");
        self.cluster.pause(node);
    }

    /// Lets it go on.
    pub fn resume(&self, node: i32) {
        self.record(node, "resume");
        self.cluster.resume(node);
    }

    /// Starts a node again, and waits until it answers.
    pub async fn restart(&mut self, node: i32) -> Result<(), Halt> {
        self.record(node, "restart");
        self.cluster.restart(node).await?;
        Ok(())
    }

    fn record(&self, node: i32, action: &str) {
        self.recorder.record(Entry::Broker { node, action: action.to_owned() });
    }
}
