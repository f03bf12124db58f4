//! Stands between driver and broker: records what goes by, and breaks it on purpose.
//!
//! The broker advertises the proxy's port, so no address is ever rewritten. Frames that the kit does not need to change pass as
//! they are, whatever their version.

mod connection;
pub mod fault;
pub mod frame;

use crate::kit::history::{Entry, Recorder};
use fault::{Fault, Faults, Stage, What};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The proxies of a cluster, one for each node. Dropping them closes everything.
#[derive(Debug)]
pub struct Proxies {
    shared: Arc<Shared>,
    waiting: Vec<TcpListener>,
    ports: Vec<u16>,
    tasks: Vec<JoinHandle<()>>,
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    faults: Mutex<Faults>,
    /// Counts healings; what is held waits for the next one.
    healed: watch::Sender<u64>,
    /// Counts the orders to close all connections.
    closed: watch::Sender<u64>,
    recorder: Mutex<Option<Recorder>>,
    connections: AtomicU64,
}

impl Shared {
    fn record(&self, entry: Entry) {
        if let Some(recorder) = self.recorder.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            recorder.record(entry);
        }
    }

    fn is_recording(&self) -> bool {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn strike(&self, stage: Stage, node: i32, api: i16) -> Option<What> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).strike(stage, node, api)
    }
}

impl Proxies {
    /// Takes `count` free ports on loopback. Nothing is accepted before [`serve`](Self::serve).
    pub async fn bind(count: usize) -> std::io::Result<Proxies> {
        let mut waiting = Vec::new();
        for _ in 0..count {
            waiting.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?);
        }
        let ports = waiting.iter().map(|l| l.local_addr().map(|a| a.port())).collect::<Result<_, _>>()?;
        let shared = Shared {
            faults: Mutex::default(),
            healed: watch::Sender::new(0),
            closed: watch::Sender::new(0),
            recorder: Mutex::default(),
            connections: AtomicU64::new(1),
        };
        Ok(Proxies { shared: Arc::new(shared), waiting, ports, tasks: Vec::new() })
    }

    /// The ports, in the order of the nodes.
    pub fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// What a client is given to find the cluster.
    pub fn bootstrap(&self) -> String {
        self.ports.iter().map(|port| format!("127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }

    /// Begins to accept; `behind` are the nodes' addresses, in the order of the nodes.
    pub fn serve(&mut self, behind: Vec<SocketAddr>) {
        for ((n, listener), address) in self.waiting.drain(..).enumerate().zip(behind) {
            let shared = Arc::clone(&self.shared);
            self.tasks.push(tokio::spawn(accept(listener, address, n as i32 + 1, shared)));
        }
    }

    /// Records into `recorder` from now on; `None`: nowhere.
    pub fn record_into(&self, recorder: Option<Recorder>) {
        *self.shared.recorder.lock().unwrap_or_else(PoisonError::into_inner) = recorder;
    }

    /// Adds a fault.
    pub fn fault(&self, fault: Fault) {
        self.shared.record(Entry::Fault { fault: fault.to_string() });
        self.shared.faults.lock().unwrap_or_else(PoisonError::into_inner).add(fault);
    }

    /// Ends all faults, lets go what is held and cuts what is black-holed.
    pub fn heal(&self) {
        self.shared.faults.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.shared.healed.send_modify(|count| *count += 1);
        self.shared.record(Entry::Fault { fault: "healed".to_owned() });
    }

    /// Cuts every connection.
    pub fn cut_all(&self) {
        self.shared.closed.send_modify(|count| *count += 1);
    }
}

impl Drop for Proxies {
    fn drop(&mut self) {
        self.cut_all();
        for task in &self.tasks {
            task.abort();
        }
    }
}

async fn accept(listener: TcpListener, behind: SocketAddr, node: i32, shared: Arc<Shared>) {
    loop {
        let Ok((client, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            continue;
        };
        if shared.strike(Stage::Connect, node, -1).is_some() {
            continue; // dropping it closes it
        }
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(connection::run(client, behind, node, number, Arc::clone(&shared)));
    }
}
