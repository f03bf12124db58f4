//! Claims × results → cells with proof and age, contradictions, levels. Pure: no disk, no clock; the day is an argument.

use crate::catalogue::{Catalogue, Claim, ClientId, FeatureId, LevelId};
use crate::diagnostic::Diagnostic;
use crate::results::{Filed, Outcome};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// What is known of every client and feature on one day.
#[derive(Debug)]
pub struct Matrix<'c> {
    /// The day that ages are counted from.
    pub as_of: Date,
    /// Per client, in the order of ids.
    pub clients: BTreeMap<&'c ClientId, Row<'c>>,
}

/// What is known of one client.
#[derive(Debug)]
pub struct Row<'c> {
    /// One cell for each feature of the catalogue.
    pub cells: BTreeMap<&'c FeatureId, Cell<'c>>,
    /// The levels, in their order, each with what is missing.
    pub levels: Vec<Standing<'c>>,
    /// The highest level that is reached together with all before it.
    pub level: Option<&'c LevelId>,
    /// This client's reports, newest first.
    pub reports: Vec<&'c Filed>,
    /// The newest proof's day.
    pub last_proof: Option<Date>,
}

/// Claim, proof and age of one feature in one client.
#[derive(Debug)]
pub struct Cell<'c> {
    /// What is shown.
    pub state: State,
    /// Who says what.
    pub claim: Option<Claimed<'c>>,
    /// What the kit saw.
    pub proof: Proof<'c>,
}

/// A claim, and whose it is.
#[derive(Debug, Clone, Copy)]
pub struct Claimed<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// The engine it is inherited from; `None`: the client's own.
    pub from: Option<&'c ClientId>,
}

/// What is shown of a cell; the rules stand in `templates` beside the marks, and in `content/about.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Every scenario of the feature passed, on this client version, recently.
    Proven,
    /// As above, but longer ago or on an older version.
    ProvenAgeing,
    /// Claimed with a source, not proven.
    Claimed,
    /// Claimed by the engine, not overridden, not proven.
    Inherited,
    /// Claimed within limits.
    Partial,
    /// Claim and result disagree, whichever way.
    Contradicted,
    /// A source says no.
    No,
    /// Said to come.
    Planned,
    /// Was there once.
    Removed,
    /// Nobody has said.
    Unknown,
}

/// What the kit saw of a feature.
#[derive(Debug)]
pub enum Proof<'c> {
    /// The feature has no scenario yet.
    NoScenario,
    /// The client was never run against the feature's scenarios.
    NeverRun,
    /// It was run.
    Seen(Seen<'c>),
}

/// What the newest runs say of a feature.
#[derive(Debug)]
pub struct Seen<'c> {
    /// All outcomes of the feature's scenarios in the newest run that has any, taken together.
    pub verdict: Verdict,
    /// The version that ran.
    pub client_version: &'c str,
    /// Versions of the brokers on which that client version got this verdict, newest first.
    pub brokers: Vec<&'c str>,
    /// The day of the newest run.
    pub date: Date,
    /// Days from then to `as_of`.
    pub age_days: u32,
    /// Neither older than the limit nor on a version older than the newest release.
    pub current: bool,
    /// Every scenario of the feature in that run.
    pub outcomes: Vec<&'c crate::results::ScenarioOutcome>,
    /// The file.
    pub filed: &'c Filed,
}

/// A feature's outcomes taken together: the worst of them counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every scenario of the feature passed.
    Pass,
    /// At least one failed.
    Fail,
    /// None failed, and the driver says at least one cannot be done.
    Unsupported,
    /// Otherwise: some were skipped, ended in error or are missing.
    Open(Outcome),
}

/// A client's standing at a level.
#[derive(Debug)]
pub struct Standing<'c> {
    /// The level.
    pub level: &'c LevelId,
    /// Its features that are proven and current.
    pub proven: Vec<&'c FeatureId>,
    /// Its features that are not.
    pub missing: Vec<&'c FeatureId>,
}

impl Standing<'_> {
    /// Nothing is missing.
    pub fn is_reached(&self) -> bool {
        self.missing.is_empty()
    }
}

impl<'c> Matrix<'c> {
    /// Merges claims and results on the day `as_of`. Results that name no known client or scenario are findings.
    pub fn merge(catalogue: &'c Catalogue, reports: &'c [Filed], as_of: Date) -> (Matrix<'c>, Vec<Diagnostic>) {
        let _ = (catalogue, reports, as_of);
        todo!("R2")
    }
}
