//! `content/features/`: each feature's file, and `groups.toml` that puts them in order.

use super::{FeatureId, GroupId, HttpsUrl, Line, Placed, codes, text};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::front_matter::front_matter;
use crate::source::table::{Reader, Table};
use camino::Utf8PathBuf;

/// A group of features.
#[derive(Debug, Clone)]
pub struct Group {
    /// In kebab-case.
    pub id: GroupId,
    /// "Exactly once".
    pub title: String,
    /// One line.
    pub summary: String,
    /// Its features, in order.
    pub features: Vec<FeatureId>,
}

/// Something a client can do.
#[derive(Debug, Clone)]
pub struct Feature {
    /// The file's stem.
    pub id: FeatureId,
    /// Short, for tables.
    pub title: String,
    /// One plain line.
    pub meaning: String,
    /// The proposals behind it.
    pub proposals: Vec<Proposal>,
    /// Its group.
    pub group: GroupId,
    /// Its prose.
    pub body: Body,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

/// A proposal (a KIP, a PEP, an RFC …) behind a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// "KIP-98".
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub url: HttpsUrl,
}

/// Markdown that `guide` will read: where it starts in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Body {
    /// First byte after the front matter.
    pub start: usize,
}

/// A feature whose group is not known yet.
#[derive(Debug)]
pub(super) struct RawFeature {
    pub title: String,
    pub meaning: String,
    pub proposals: Vec<Proposal>,
    pub body: Body,
}

/// A group whose features are not checked yet.
#[derive(Debug)]
pub(super) struct RawGroup {
    pub id: Option<Placed<GroupId>>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub features: Vec<Placed<FeatureId>>,
}

/// Reads a Markdown file with a front matter: `read` gets the table and the body's start. `None` when something is wrong.
pub(super) fn parse_markdown<T>(
    file: &SourceFile,
    read: impl FnOnce(Table<'_, '_>, Body) -> Option<T>,
) -> (Option<T>, Vec<Diagnostic>) {
    let head = match front_matter(file) {
        Ok(head) => head,
        Err(finding) => return (None, vec![finding]),
    };
    let reader = head.reader();
    let value = read(reader.parse(), Body { start: head.body });
    let body = file.text().and_then(|text| text.get(head.body..)).unwrap_or_default();
    if let Some((span, c)) = text::hidden_span(body, head.body) {
        let title = format!("a hidden character, {}, in a text", text::name(c));
        reader.report_at(&codes::HIDDEN_CHARACTER, title, span, "expected text in which every character can be seen");
    }
    let findings = reader.into_findings();
    (value.filter(|_| !findings.iter().any(Diagnostic::is_error)), findings)
}

/// Reads a feature's front matter. Asks for every key before it decides anything.
pub(super) fn read(mut table: Table<'_, '_>, body: Body) -> Option<RawFeature> {
    let title = table.require::<Line<28>>(("title", "Short, for tables."));
    let meaning = table.require::<Line<200>>(("meaning", "What it is, in one plain line."));
    let proposals = read_proposals(&mut table);
    table.finish();
    Some(RawFeature { title: title?.value.0, meaning: meaning?.value.0, proposals: proposals?, body })
}

/// Reads `proposals`.
pub(super) fn read_proposals(table: &mut Table<'_, '_>) -> Option<Vec<Proposal>> {
    let tables = table.tables(("proposals", "The proposals behind it; may be empty."));
    tables
        .into_iter()
        .map(|mut table| {
            let id = table.require::<Line<40>>(("id", "As `KIP-98`."));
            let title = table.require::<Line<200>>(("title", "Its title."));
            let url = table.require::<HttpsUrl>(("url", "Where it stands."));
            table.finish();
            Some(Proposal { id: id?.value.0, title: title?.value.0, url: url?.value })
        })
        .collect()
}

/// Reads `groups.toml`.
pub(super) fn parse_groups(file: &SourceFile) -> (Vec<RawGroup>, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let groups = read_groups(reader.parse());
    (groups, reader.into_findings())
}

/// Reads the table of groups.
pub(super) fn read_groups(mut table: Table<'_, '_>) -> Vec<RawGroup> {
    let tables = table.require_tables(("groups", "The groups, in order; each feature is in exactly one."));
    table.finish();
    tables
        .into_iter()
        .map(|mut table| {
            let id = table.require::<GroupId>(("id", "In kebab-case."));
            let title = table.require::<Line<40>>(("title", "The group's name."));
            let summary = table.require::<Line<200>>(("summary", "What it is, in one line."));
            let features = table.require_list::<FeatureId>(("features", "Ids of its features, in order."));
            table.finish();
            RawGroup { id, title: title.map(|t| t.value.0), summary: summary.map(|t| t.value.0), features }
        })
        .collect()
}
