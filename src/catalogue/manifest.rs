//! `clients/<id>/manifest.toml`: a pure function of the file, so that its outcome can be kept until the file changes.

use super::{
    Brokers, Claim, Client, ClientId, ClientKind, Day, FeatureId, HttpsUrl, LanguageId, License, Line, PartialDate, Pitfall,
    Placed, Purl, Release, Source, Status, StatusValue, Support, Text, Version, codes,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, Reader, Table};
use crate::source::{SourceFile, Spanned};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The format's version.
pub const SCHEMA: i64 = 1;

/// The line that tells editors where the schema is.
pub const SCHEMA_LINE: &str = "#:schema ../../static/schema/manifest.schema.json";

/// A manifest that was read by itself: what it refers to is not checked yet.
#[derive(Debug, Clone)]
pub struct RawClient {
    pub(super) languages: Vec<Placed<LanguageId>>,
    pub(super) based_on: Option<Placed<ClientId>>,
    pub(super) aliases: Vec<Placed<ClientId>>,
    pub(super) packages: Vec<Placed<Purl>>,
    /// The features that it claims anything of, whether the claim is right or not.
    pub(super) features: Vec<Placed<FeatureId>>,
    /// Without languages, engine, aliases, packages and examples; `None` when something is wrong with the manifest.
    pub(super) client: Option<Client>,
}

/// Reads a manifest. Looks at nothing but `file`.
pub fn parse(file: &SourceFile) -> (RawClient, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let id = file.path.parent().and_then(|folder| folder.file_name()).and_then(|name| ClientId::from_text(name).ok());
    let mut raw = read(id, reader.parse());
    check_first_line(&reader);
    let findings = reader.into_findings();
    raw.client = raw.client.filter(|_| !findings.iter().any(Diagnostic::is_error));
    (raw, findings)
}

fn check_first_line(reader: &Reader<'_>) {
    let first = reader.text().lines().next().unwrap_or_default();
    if first == SCHEMA_LINE {
        return;
    }
    let (span, replacement) = match first.starts_with("#:schema") {
        true => (Span::from(0..first.len()), SCHEMA_LINE.to_owned()),
        false => (Span::from(0..0), format!("{SCHEMA_LINE}\n")),
    };
    let path = &reader.file().path;
    reader.report(
        Diagnostic::new(&codes::SCHEMA_LINE, "the first line does not name the schema")
            .at(path, Span::from(0..first.len()), format!("expected `{SCHEMA_LINE}` above"))
            .help("with this line, editors complete the keys and check the values")
            .fix(path, span, replacement),
    );
}

/// Reads the table. Asks for every key before it decides anything.
pub(super) fn read(id: Option<ClientId>, mut table: Table<'_, '_>) -> RawClient {
    let schema = table.require_integer(("schema", "The format's version: 1."));
    let name = table.require::<Line<60>>(("name", "Display name, as its project writes it."));
    let summary = table.require::<Line<200>>(("summary", "What it is, in one neutral sentence."));
    let languages = table.require_some::<LanguageId>(("languages", "Ids of the languages it is used from."));
    let kind = table.require::<ClientKind>((
        "kind",
        "`native`: speaks the protocol itself; `binding`: a thin layer over an engine in another language; `wrapper`: a nicer API over \
         another client; `framework`: integration into streams, actors or a web framework; `bridge`: a proxy for another protocol; \
         `tool`: a command line.",
    ));
    let based_on = table.optional::<ClientId>(("based-on", "Id of the client that is its engine; claims are inherited from it."));
    let aliases = table.list::<ClientId>(("aliases", "Old ids that keep leading here."));
    let license = table.require::<License>(("license", "An SPDX licence expression."));
    let packages = table.list::<Package>(("packages", "Its packages as purls, without a version."));
    let install = table.optional::<Line<300>>(("install", "One command that installs it."));
    let repository = table.require::<HttpsUrl>(("repository", "Its source."));
    let documentation = table.optional::<HttpsUrl>(("documentation", "Its manual."));
    let maintainer = table.optional::<Line<120>>(("maintainer", "Who keeps it."));
    let checked = table.require::<Day>(("checked", "The day a person last checked these facts."));
    let status = table.require_table(("status", "Whether it is alive.")).map(read_status);
    let first_release = table.table(("first-release", "When it began.")).map(read_first_release);
    let latest_release = table.table(("latest-release", "The newest release.")).map(read_latest_release);
    let brokers = table.table(("brokers", "Brokers it says it works with.")).map(read_brokers);
    let (features, claims) =
        read_claims(table.table(("features", "What it claims, by feature. A feature that is absent is unknown.")));
    let pitfalls = table.tables(("pitfalls", "What bites.")).into_iter().map(read_pitfall).collect::<Option<Vec<_>>>();
    let reader = table.reader();
    table.finish();

    check_schema(reader, schema.as_ref());
    let client = (|| {
        Some(Client {
            id: id?,
            name: name?.value.0,
            summary: summary?.value.0,
            languages: Vec::new(),
            kind: kind?.value,
            based_on: None,
            aliases: Vec::new(),
            license: license?.value.0,
            packages: Vec::new(),
            install: install.map(|install| install.value.0),
            repository: repository?.value,
            documentation: documentation.map(|url| url.value),
            maintainer: maintainer.map(|maintainer| maintainer.value.0),
            checked: checked.as_ref()?.value.0,
            checked_span: checked.as_ref()?.span,
            status: status??,
            first_release: transpose(first_release)?,
            latest_release: transpose(latest_release)?,
            brokers: transpose(brokers)?,
            claims,
            pitfalls: pitfalls?,
            examples: BTreeMap::new(),
            example_setup: None,
            example_run: BTreeMap::new(),
            notes: None,
            path: reader.file().path.clone(),
        })
    })();
    if let Some(client) = &client {
        check_times(reader, client);
    }
    let packages = packages.into_iter().map(|package| Spanned { value: package.value.0, span: package.span }).collect();
    RawClient { languages, based_on, aliases, packages, features, client }
}

/// An optional table that must be right if it is there.
#[expect(clippy::option_option, reason = "absent and broken are two things")]
fn transpose<T>(table: Option<Option<T>>) -> Option<Option<T>> {
    match table {
        Some(None) => None,
        Some(value) => Some(value),
        None => Some(None),
    }
}

fn check_schema(reader: &Reader<'_>, schema: Option<&Spanned<i64>>) {
    let Some(schema) = schema.filter(|schema| schema.value != SCHEMA) else { return };
    let title = format!("version {} of the manifest format is not supported", schema.value);
    reader.report_at(&codes::SCHEMA_NUMBER, title, schema.span, format!("expected {SCHEMA}"));
}

fn read_status(mut table: Table<'_, '_>) -> Option<Status> {
    let value = table.require::<StatusValue>((
        "value",
        "`active`: new releases; `maintenance`: fixes only; `dormant`: nothing happens and nobody said so; `archived`: its owner ended it.",
    ));
    let reason = table.require::<Line<300>>(("reason", "Why, in one sentence with dates."));
    let source = table.require::<Source>(SOURCE);
    table.finish();
    Some(Status { value: value?.value, reason: reason?.value.0, source: source?.value })
}

const SOURCE: (&str, &str) = ("source", "Where that can be seen: an `https:` address, or a purl with its version.");
const DATE: (&str, &str) = ("date", "Its day, month or year, as far as known.");

fn read_first_release(mut table: Table<'_, '_>) -> Option<Release> {
    let date = table.require::<PartialDate>(DATE);
    let version = table.optional::<Version>(("version", "Its version."));
    let source = table.require::<Source>(SOURCE);
    table.finish();
    Some(Release { version: version.map(|version| version.value), date: Some(date?.value), source: source?.value })
}

fn read_latest_release(mut table: Table<'_, '_>) -> Option<Release> {
    let version = table.require::<Version>(("version", "Its version."));
    let date = table.optional::<PartialDate>(DATE);
    let source = table.require::<Source>(SOURCE);
    table.finish();
    Some(Release { version: Some(version?.value), date: date.map(|date| date.value), source: source?.value })
}

fn read_brokers(mut table: Table<'_, '_>) -> Option<Brokers> {
    let from = table.optional::<Version>(("from", "The oldest."));
    let to = table.optional::<Version>(("to", "The newest."));
    let note = table.optional::<Line<300>>(("note", "What else is to be said."));
    let source = table.require::<Source>(SOURCE);
    if let (Some(from), Some(to)) = (&from, &to)
        && from.value.precedence(&to.value) == Ordering::Greater
    {
        let title = format!("brokers from `{}` to `{}`", from.value, to.value);
        table.reader().report_at(&codes::RANGE, title, to.span, format!("expected `{}` or newer", from.value));
    }
    table.finish();
    let plain = |version: Option<Spanned<Version>>| version.map(|version| version.value);
    Some(Brokers { from: plain(from), to: plain(to), note: note.map(|note| note.value.0), source: source?.value })
}

fn read_claims(table: Option<Table<'_, '_>>) -> (Vec<Placed<FeatureId>>, BTreeMap<FeatureId, Claim>) {
    let (mut features, mut claims) = (Vec::new(), BTreeMap::new());
    for (feature, table) in table.map(|mut table| table.each_table::<FeatureId>()).unwrap_or_default() {
        if let Some(claim) = read_claim(&feature, table) {
            claims.insert(feature.value.clone(), claim);
        }
        features.push(feature);
    }
    (features, claims)
}

fn read_claim(feature: &Placed<FeatureId>, mut table: Table<'_, '_>) -> Option<Claim> {
    let support = table.require::<Support>((
        "support",
        "`yes`; `partial`: within limits that the note says; `no`; `planned`: said to come; `removed`: was there once.",
    ));
    let since = table.optional::<Version>(("since", "First version that has it."));
    let until = table.optional::<Version>(("until", "For `removed`: last version that had it."));
    let note = table.optional::<Line<400>>(("note", "Required for `partial`; short and plain."));
    let source = table.require::<Source>(SOURCE);
    let reader = table.reader();
    table.finish();
    let support = support?;
    if support.value == Support::Partial && note.is_none() {
        let title = format!("the partial claim on `{}` has no note", feature.value);
        reader.report_at(&codes::NOTE_MISSING, title, support.span, "expected a `note` that says what is missing");
    }
    if let Some(until) = until.as_ref().filter(|_| support.value != Support::Removed) {
        let title = format!("`until` beside `support = \"{}\"`", support.value.word());
        reader.report_at(&codes::UNTIL_NOT_REMOVED, title, until.span, "expected only where `support = \"removed\"`");
    }
    if let (Some(since), Some(until)) = (&since, &until)
        && since.value.precedence(&until.value) == Ordering::Greater
    {
        let title = format!("there from `{}` until `{}`", since.value, until.value);
        reader.report_at(&codes::RANGE, title, until.span, format!("expected `{}` or newer", since.value));
    }
    Some(Claim {
        support: support.value,
        since: since.map(|version| version.value),
        until: until.map(|version| version.value),
        note: note.map(|note| note.value.0),
        source: source?.value,
        span: feature.span,
    })
}

fn read_pitfall(mut table: Table<'_, '_>) -> Option<Pitfall> {
    let title = table.require::<Line<100>>(("title", "What bites, in a few words."));
    let detail = table.require::<Text<1000>>(("detail", "One to three plain sentences."));
    let source = table.require::<Source>(SOURCE);
    table.finish();
    Some(Pitfall { title: title?.value.0, detail: detail?.value.0, source: source?.value })
}

/// Days and versions that cannot both be true.
fn check_times(reader: &Reader<'_>, client: &Client) {
    let first = client.first_release.as_ref().and_then(|release| release.date);
    if let Some(first) = first.filter(|first| client.checked.latest_day() < first.first_day()) {
        let title = format!("checked on {}, before the first release of {first}", client.checked);
        reader.report_at(&codes::CHECKED_TOO_EARLY, title, client.checked_span, format!("expected a day from {first} on"));
    }
    let Some(latest) = client.latest_release.as_ref().and_then(|release| release.version.as_ref()) else { return };
    for (feature, claim) in &client.claims {
        if let Some(since) = claim.since.as_ref().filter(|since| since.precedence(latest) == Ordering::Greater) {
            let title = format!("`{feature}` is claimed since {since}, but the latest release is {latest}");
            let planned = if claim.support == Support::Planned { "" } else { ", or `support = \"planned\"`" };
            reader.report_at(&codes::SINCE_NOT_RELEASED, title, claim.span, format!("expected {latest} or older{planned}"));
        }
    }
}

/// A purl without a version.
struct Package(Purl);

impl FromText for Package {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let purl = Purl::from_text(text)?;
        if purl.version.is_none() {
            return Ok(Package(purl));
        }
        let bare = Purl { version: None, ..purl }.to_string();
        Err(Fault::expected("a package address without a version")
            .of_kind(&codes::PACKAGE_VERSION, "a package with a version")
            .meant(Some(bare)))
    }

    fn shape() -> TextShape {
        Purl::shape()
    }
}
