//! `content/levels/<id>.toml`.

use super::{FeatureId, LevelId, Line, Placed};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::table::{Reader, Table};
use camino::Utf8PathBuf;

/// A named set of features; levels are cumulative in their order.
#[derive(Debug, Clone)]
pub struct Level {
    /// The file's stem.
    pub id: LevelId,
    /// "Core".
    pub title: String,
    /// 1 is the first.
    pub order: i64,
    /// One line.
    pub summary: String,
    /// What it takes, beside the levels before it.
    pub features: Vec<FeatureId>,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

/// A level whose features are not checked yet.
#[derive(Debug)]
pub(super) struct RawLevel {
    pub id: LevelId,
    pub order: Option<Placed<i64>>,
    pub features: Vec<Placed<FeatureId>>,
    pub path: Utf8PathBuf,
    /// Title and summary; `None` when something is wrong with the file.
    pub words: Option<(String, String)>,
}

/// Reads a level.
pub(super) fn parse(id: LevelId, file: &SourceFile) -> (RawLevel, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let mut level = read(id, reader.parse());
    let findings = reader.into_findings();
    if findings.iter().any(Diagnostic::is_error) {
        level.words = None;
    }
    (level, findings)
}

/// Reads the table. Asks for every key before it decides anything.
pub(super) fn read(id: LevelId, mut table: Table<'_, '_>) -> RawLevel {
    let title = table.require::<Line<28>>(("title", "The level's name."));
    let order = table.require_integer(("order", "1 is the first; levels are cumulative in their order."));
    let summary = table.require::<Line<200>>(("summary", "What it is, in one line."));
    let features =
        table.require_some::<FeatureId>(("features", "Ids of the features it takes, beside those of the levels before it."));
    let path = table.reader().file().path.clone();
    table.finish();
    let words = title.zip(summary).map(|(title, summary)| (title.value.0, summary.value.0));
    RawLevel { id, order, features, path, words }
}
