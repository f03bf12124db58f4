//! `content/scenarios/<id>.md`.

use super::feature::{Body, Proposal, parse_markdown, read_proposals};
use super::{FeatureId, Line, Placed, ScenarioId};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::table::Table;
use camino::Utf8PathBuf;

/// One behaviour the kit checks.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's stem.
    pub id: ScenarioId,
    /// Short.
    pub title: String,
    /// The feature it certifies.
    pub feature: FeatureId,
    /// The group of scenarios it stands in.
    pub group: String,
    /// The proposals behind it.
    pub proposals: Vec<Proposal>,
    /// Protocol error codes it touches.
    pub errors: Vec<i64>,
    /// Why, and the expected behaviour.
    pub body: Body,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

/// A scenario whose feature is not checked yet.
#[derive(Debug)]
pub(super) struct RawScenario {
    pub feature: Option<Placed<FeatureId>>,
    /// `None` when something is wrong with the file. Its `feature` is the one above.
    pub scenario: Option<Scenario>,
    pub path: Utf8PathBuf,
}

/// Reads a scenario; `None` when it has no front matter.
pub(super) fn parse(id: ScenarioId, file: &SourceFile) -> (Option<RawScenario>, Vec<Diagnostic>) {
    let mut raw = None;
    let (whole, findings) = parse_markdown(file, |table, body| {
        let read = read(id, table, body);
        let whole = read.scenario.is_some();
        raw = Some(read);
        whole.then_some(())
    });
    if let Some(raw) = raw.as_mut().filter(|_| whole.is_none()) {
        raw.scenario = None;
    }
    (raw, findings)
}

/// Reads a scenario's front matter. Asks for every key before it decides anything.
pub(super) fn read(id: ScenarioId, mut table: Table<'_, '_>, body: Body) -> RawScenario {
    let title = table.require::<Line<120>>(("title", "Short."));
    let feature = table.require::<FeatureId>(("feature", "Id of the feature it certifies."));
    let group = table.require::<Line<40>>(("group", "The group of scenarios it stands in."));
    let proposals = read_proposals(&mut table);
    let errors = table.integers(("errors", "Protocol error codes it touches."));
    let path = table.reader().file().path.clone();
    table.finish();
    let scenario = (|| {
        Some(Scenario {
            id,
            title: title?.value.0,
            feature: feature.as_ref()?.value.clone(),
            group: group?.value.0,
            proposals: proposals?,
            errors: errors.iter().map(|code| code.value).collect(),
            body,
            path: path.clone(),
        })
    })();
    RawScenario { feature, scenario, path }
}
