//! Claims × results → cells with proof and age, contradictions, levels. Pure: no disk, no clock; the day is an argument.
//!
//! `rules` decides what is shown of a cell; `merge` collects what it decides from.

pub mod codes;
mod merge;
mod rules;

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
    pub cells: Cells<'c>,
    /// The levels, in their order, each with what is missing.
    pub levels: Vec<Standing<'c>>,
    /// The highest level that is reached together with all before it.
    pub level: Option<&'c LevelId>,
    /// This client's reports: the newest client version first, then the newest run.
    pub reports: Vec<&'c Filed>,
    /// The day of the newest run in which a feature passed.
    pub last_proof: Option<Date>,
}

/// The cells of a client: a map by feature that is one piece of memory, because most cells hold nothing.
#[derive(Debug)]
pub struct Cells<'c>(Vec<Cell<'c>>);

impl<'c> Cells<'c> {
    /// The cell of `feature`; `None` only for a feature that is not in the catalogue.
    pub fn get(&self, feature: &FeatureId) -> Option<&Cell<'c>> {
        self.0.binary_search_by(|cell| cell.feature.cmp(feature)).ok().and_then(|at| self.0.get(at))
    }

    /// Every cell, in the order of the features' ids.
    pub fn values(&self) -> std::slice::Iter<'_, Cell<'c>> {
        self.0.iter()
    }
}

impl<'a, 'c> IntoIterator for &'a Cells<'c> {
    type Item = (&'a &'c FeatureId, &'a Cell<'c>);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, Cell<'c>>, fn(&'a Cell<'c>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|cell| (&cell.feature, cell))
    }
}

/// Claim, proof and age of one feature in one client.
#[derive(Debug)]
pub struct Cell<'c> {
    /// The feature.
    pub feature: &'c FeatureId,
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

/// What is shown of a cell; the rules stand in `matrix/rules.rs`.
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
    Seen(Box<Seen<'c>>),
}

/// What the newest runs say of a feature.
#[derive(Debug)]
pub struct Seen<'c> {
    /// All outcomes of the feature's scenarios in the newest run that has any, taken together. The newest run is the one of
    /// the newest client version, and among those the last.
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
    /// Otherwise: some ended in error, were skipped, or are missing; the worst of these, where missing counts as skipped.
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
    /// Merges claims and results on the day `as_of`. Results from after that day, and outcomes of scenarios that the catalogue
    /// does not know, are findings and count for nothing.
    pub fn merge(catalogue: &'c Catalogue, reports: &'c [Filed], as_of: Date) -> (Matrix<'c>, Vec<Diagnostic>) {
        merge::merge(catalogue, reports, as_of)
    }

    /// The cell of `client` and `feature`.
    pub fn cell(&self, client: &ClientId, feature: &FeatureId) -> Option<&Cell<'c>> {
        self.clients.get(client)?.cells.get(feature)
    }
}
