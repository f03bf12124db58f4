//! The result format: what one run of the kit writes and the site reads. The contract between the two halves.

mod check;
pub mod codes;
mod locate;

use crate::catalogue::{ClientId, Version};
use crate::diagnostic::{Diagnostic, Span};
use crate::source::table::shown_up_to;
use crate::source::{SourceFile, SourceTree};
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format's version; a file that says another is refused.
pub const SCHEMA: u32 = 1;

/// One run's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Report {
    /// Always 1.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// The kit that ran.
    pub kit: Kit,
    /// What was tried.
    pub client: Tried,
    /// The engine underneath, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Tried>,
    /// What it was tried against.
    pub broker: Broker,
    /// When the run began: RFC 3339, UTC.
    #[schemars(extend("pattern" = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$", "format" = "date-time"))]
    pub date: String,
    /// The seed that every fault was drawn from.
    pub seed: u64,
    /// Where it ran.
    pub machine: Machine,
    /// One for each scenario, each scenario at most once.
    pub outcomes: Vec<ScenarioOutcome>,
}

/// The kit that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Kit {
    /// Its version.
    pub version: String,
}

/// A client at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tried {
    /// A client's id.
    #[schemars(extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub id: String,
    /// The version that ran.
    pub version: String,
}

/// A broker at a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Broker {
    /// Its name, in lower case.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How many nodes.
    pub nodes: u32,
}

/// A machine's fingerprint: enough to tell runs apart, nothing that names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Machine {
    /// `linux`, `macos`, `windows`.
    pub os: String,
    /// `x86_64`, `aarch64`.
    pub arch: String,
    /// Processors.
    pub cpus: u32,
    /// Memory, in MiB.
    pub memory_mib: u64,
}

/// How a scenario ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The client did what it should.
    Pass,
    /// The client did the wrong thing.
    Fail,
    /// The driver says that the client cannot do it.
    Unsupported,
    /// The driver crashed, hung or spoke nonsense.
    Error,
    /// Not run, with a reason and a link.
    Skipped,
}

impl Outcome {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Unsupported => "unsupported",
            Outcome::Error => "error",
            Outcome::Skipped => "skipped",
        }
    }
}

/// A scenario's outcome, with what was expected and what the kit saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend(
    "if" = { "properties": { "outcome": { "enum": ["unsupported", "skipped"] } } },
    "then" = { "required": ["reason"] },
))]
pub struct ScenarioOutcome {
    /// A scenario's id.
    #[schemars(extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub scenario: String,
    /// The feature it certifies.
    #[schemars(extend("pattern" = "^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub feature: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was expected.
    pub expected: String,
    /// What was seen.
    pub seen: String,
    /// What the kit itself saw.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Why not; required for `unsupported` and `skipped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where that is discussed: an `https:` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = "^https://[^/]"))]
    pub link: Option<String>,
}

/// What the kit itself saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Evidence {
    /// Where it was seen.
    pub kind: EvidenceKind,
    /// What was seen, in words.
    pub text: String,
}

/// Where evidence was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// Bytes on the wire.
    Wire,
    /// Records in the log.
    Log,
    /// Time taken.
    Time,
    /// The driver's process.
    Process,
}

/// A report and the file it came from.
#[derive(Debug, Clone)]
pub struct Filed {
    /// The file.
    pub path: Utf8PathBuf,
    /// The client; its folder's name.
    pub client: ClientId,
    /// The client's version.
    pub version: Version,
    /// When the run began.
    pub time: Timestamp,
    /// What it says.
    pub report: Report,
}

impl Filed {
    /// The day of the run, in UTC.
    pub fn day(&self) -> Date {
        TimeZone::UTC.to_datetime(self.time).date()
    }
}

/// Reads every `clients/<id>/results/*.json`, in the order of their paths. A file that is not a report is reported and left out.
pub fn read(tree: &SourceTree) -> (Vec<Filed>, Vec<Diagnostic>) {
    let files: Vec<&SourceFile> = tree.files().filter(|file| is_report(&file.path)).collect();
    let read: Vec<(Option<Filed>, Vec<Diagnostic>)> = files.into_par_iter().map(parse).collect();
    let mut findings = Vec::new();
    let reports = read.into_iter().filter_map(|(filed, more)| {
        findings.extend(more);
        filed
    });
    (reports.collect(), findings)
}

/// The JSON Schema of a result, with the stem of its file.
pub fn schema() -> (&'static str, serde_json::Value) {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("title".to_owned(), "clients/<id>/results/*.json: what one run of the kit saw".into());
    ("result", schema.to_value())
}

fn is_report(path: &Utf8Path) -> bool {
    let mut segments = path.as_str().split('/');
    matches!(
        (segments.next(), segments.next(), segments.next(), segments.next(), segments.next()),
        (Some("clients"), Some(_), Some("results"), Some(name), None) if name.ends_with(".json") && !name.starts_with('.')
    )
}

/// Reads one file; `None` when something is wrong with it. Looks at nothing but `file`.
pub fn parse(file: &SourceFile) -> (Option<Filed>, Vec<Diagnostic>) {
    let Some(text) = file.text() else { return (None, Vec::new()) }; // `source` has reported it.
    // Serde would take an array for an object, its members in the order of the fields.
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('{') && !text[start..].is_empty() {
        let finding = Diagnostic::new(&codes::NOT_A_REPORT, "a result is one JSON object");
        return (None, vec![finding.at(&file.path, Span::from(start..start), "expected `{`")]);
    }
    match serde_json::from_str::<Report>(text) {
        Ok(report) => check::check(file, text, report),
        Err(error) => (None, vec![syntax_finding(file, text, &error)]),
    }
}

fn syntax_finding(file: &SourceFile, text: &str, error: &serde_json::Error) -> Diagnostic {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let at = locate::offset(text, error.line(), error.column());
    let code = if error.is_data() { &codes::NOT_A_REPORT } else { &codes::SYNTAX };
    Diagnostic::new(code, shown_up_to(message, 300)).at(&file.path, Span::from(at..at), "here")
}
