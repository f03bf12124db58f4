//! A real Apache Kafka, started as child processes: one node or three, of pinned versions, on loopback.

pub mod artifacts;
pub mod cluster;
pub mod config;

use super::wire::WireError;
use std::path::PathBuf;

/// The broker's name, as in `kafka:4.4.0` and in results.
pub const NAME: &str = "kafka";

/// The broker that is taken when none is named.
pub fn default() -> String {
    format!("{NAME}:{}", VERSIONS[0])
}

/// The version in a name as `kafka:4.4.0`, or in a bare `4.4.0`.
pub fn version_of(name: &str) -> Result<&str, String> {
    let version = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix(':')).unwrap_or(name);
    if version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(|c| c.is_ascii_digit() || c == '.') {
        Ok(version)
    } else {
        Err(format!("{name:?} is not a broker: write it as {}", default()))
    }
}

/// The broker versions the kit knows, the default one first.
pub const VERSIONS: &[&str] = &["4.4.0", "4.1.2"];

/// Why there is no broker.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// A program is missing.
    #[error("{program} is needed {purpose}, and is not on the PATH: {install}")]
    MissingProgram {
        /// Its name.
        program: &'static str,
        /// What for.
        purpose: &'static str,
        /// How to get it.
        install: &'static str,
    },
    /// Java is too old.
    #[error(
        "Kafka {version} needs Java 17 or newer; `java -version` says {found}: install a newer JDK, or put it first on the PATH"
    )]
    OldJava {
        /// The broker's version.
        version: String,
        /// What was found.
        found: String,
    },
    /// `KAFKA_HOME` is not what it should be.
    #[error("KAFKA_HOME is {home}, which {why}; unset it to let the kit fetch Kafka itself")]
    BadHome {
        /// Its value.
        home: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Maven could not fetch it.
    #[error("Maven could not fetch Kafka {version}; its last words:\n{words}")]
    Fetch {
        /// The version.
        version: String,
        /// The end of Maven's output.
        words: String,
    },
    /// A node ended, or did not get ready.
    #[error("node {node} {what}; the end of its log:\n{log}")]
    Node {
        /// Which.
        node: i32,
        /// What it did.
        what: String,
        /// The end of its log.
        log: String,
    },
    /// The disk said no.
    #[error("{0}: {1}")]
    Disk(String, std::io::Error),
    /// The broker did not answer.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Turns a disk error into one that says what was tried.
pub(crate) fn disk(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> BrokerError {
    let what = what.into();
    move |why| BrokerError::Disk(what, why)
}

/// The last `count` lines of `text`.
pub(crate) fn tail(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
