//! A node's settings.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

/// The id of every cluster of the kit: it lives for minutes, on loopback.
pub const CLUSTER_ID: &str = "Q2xpZW50Ym9va0tpdEtpdA";

/// The ports of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// Between the nodes, for the quorum.
    pub controller: u16,
    /// Between the nodes and for the kit's own client; advertised as it is.
    pub direct: u16,
    /// Where the proxy connects to; the proxy's port is advertised in its place.
    pub behind: u16,
    /// The proxy's port.
    pub proxy: u16,
}

impl Ports {
    /// Where the kit's own client connects to.
    pub fn direct_address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.direct))
    }
}

/// `count` ports that are free on loopback just now.
pub fn free_ports(count: usize) -> std::io::Result<Vec<u16>> {
    let held: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect::<Result<_, _>>()?;
    held.iter().map(|listener| listener.local_addr().map(|address| address.port())).collect()
}

/// The text of a node's `server.properties`: `node` counts from 1, `ports[n]` are those of node `n + 1`.
pub fn properties(node: usize, ports: &[Ports], data: &Path) -> String {
    let own = ports[node - 1];
    let count = ports.len();
    let replicas = count.min(3);
    let voters: Vec<String> = ports.iter().enumerate().map(|(n, p)| format!("{}@127.0.0.1:{}", n + 1, p.controller)).collect();
    let mut text = String::new();
    let mut set = |key: &str, value: &dyn std::fmt::Display| {
        let _ = writeln!(text, "{key}={value}");
    };
    set("process.roles", &"broker,controller");
    set("node.id", &node);
    set("controller.quorum.voters", &voters.join(","));
    set("controller.listener.names", &"CONTROLLER");
    set("inter.broker.listener.name", &"DIRECT");
    set("listener.security.protocol.map", &"CONTROLLER:PLAINTEXT,DIRECT:PLAINTEXT,PROXIED:PLAINTEXT");
    set(
        "listeners",
        &format!(
            "CONTROLLER://127.0.0.1:{},DIRECT://127.0.0.1:{},PROXIED://127.0.0.1:{}",
            own.controller, own.direct, own.behind
        ),
    );
    set("advertised.listeners", &format!("DIRECT://127.0.0.1:{},PROXIED://127.0.0.1:{}", own.direct, own.proxy));
    set("log.dirs", &data.display());
    for coordinator in ["offsets.topic", "transaction.state.log", "share.coordinator.state.topic"] {
        set(&format!("{coordinator}.num.partitions"), &4);
        set(&format!("{coordinator}.replication.factor"), &replicas);
    }
    for log in ["transaction.state.log", "share.coordinator.state.topic"] {
        set(&format!("{log}.min.isr"), &1);
    }
    for (key, value) in FIXED {
        set(key, value);
    }
    text
}

/// Settings of every node: small, quick to notice a death, nothing made by accident.
const FIXED: &[(&str, &str)] = &[
    ("auto.create.topics.enable", "false"),
    ("group.initial.rebalance.delay.ms", "0"),
    ("broker.heartbeat.interval.ms", "500"),
    ("broker.session.timeout.ms", "3000"),
    // Scenarios write records of any age; none may be swept away meanwhile.
    ("log.retention.ms", "-1"),
    ("replica.lag.time.max.ms", "3000"),
    ("unclean.leader.election.enable", "false"),
    ("log.cleaner.dedupe.buffer.size", "4194304"),
    ("log.cleaner.io.buffer.size", "65536"),
    ("num.io.threads", "4"),
    ("num.network.threads", "2"),
    ("background.threads", "2"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_nodes_know_each_other_and_advertise_the_proxy() {
        let ports: Vec<Ports> =
            (0..3).map(|n| Ports { controller: 10 + n, direct: 20 + n, behind: 30 + n, proxy: 40 + n }).collect();
        let text = properties(2, &ports, Path::new("/x"));
        assert!(text.contains("controller.quorum.voters=1@127.0.0.1:10,2@127.0.0.1:11,3@127.0.0.1:12\n"));
        assert!(text.contains("advertised.listeners=DIRECT://127.0.0.1:21,PROXIED://127.0.0.1:41\n"));
        assert!(text.contains("offsets.topic.replication.factor=3\n"));
    }

    #[test]
    fn free_ports_differ() {
        let mut ports = free_ports(8).unwrap();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 8);
    }
}
