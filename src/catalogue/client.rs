//! A client: what its manifest, its examples and its notes say, checked.

use super::{
    ClientId, ClientKind, ExampleId, FeatureId, HttpsUrl, LanguageId, PartialDate, Purl, Source, StatusValue, Support, Version,
};
use crate::diagnostic::Span;
use camino::Utf8PathBuf;
use std::collections::BTreeMap;

/// A library (or tool) that talks to the broker.
#[derive(Debug, Clone)]
pub struct Client {
    /// The folder's name.
    pub id: ClientId,
    /// Display name.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// At least one.
    pub languages: Vec<LanguageId>,
    /// How it relates to the protocol.
    pub kind: ClientKind,
    /// Its engine: claims are inherited from it unless overridden. Never a circle.
    pub based_on: Option<ClientId>,
    /// Old ids that redirect here.
    pub aliases: Vec<ClientId>,
    /// An SPDX expression.
    pub license: String,
    /// Its packages.
    pub packages: Vec<Purl>,
    /// One command.
    pub install: Option<String>,
    /// Its source.
    pub repository: HttpsUrl,
    /// Its manual.
    pub documentation: Option<HttpsUrl>,
    /// Who keeps it.
    pub maintainer: Option<String>,
    /// The day a person last checked these facts.
    pub checked: PartialDate,
    /// Where that stands in the manifest.
    pub checked_span: Span,
    /// Alive or not, and why.
    pub status: Status,
    /// When it began.
    pub first_release: Option<Release>,
    /// The newest release known.
    pub latest_release: Option<Release>,
    /// Brokers it says it works with.
    pub brokers: Option<Brokers>,
    /// What it says of itself; a feature that is absent is unknown.
    pub claims: BTreeMap<FeatureId, Claim>,
    /// What bites.
    pub pitfalls: Vec<Pitfall>,
    /// The standard examples it has.
    pub examples: BTreeMap<ExampleId, ExampleFile>,
    /// One command before the examples can run.
    pub example_setup: Option<String>,
    /// How each example runs.
    pub example_run: BTreeMap<ExampleId, String>,
    /// `notes.md`, if there is one.
    pub notes: Option<Utf8PathBuf>,
    /// The manifest.
    pub path: Utf8PathBuf,
}

/// Alive or not, and why.
#[derive(Debug, Clone)]
pub struct Status {
    /// The word.
    pub value: StatusValue,
    /// One sentence.
    pub reason: String,
    /// Where that can be seen.
    pub source: Source,
}

/// A release of a client.
#[derive(Debug, Clone)]
pub struct Release {
    /// Its version.
    pub version: Option<Version>,
    /// Its day, as far as known.
    pub date: Option<PartialDate>,
    /// Where that can be seen.
    pub source: Source,
}

/// Brokers a client says it works with.
#[derive(Debug, Clone)]
pub struct Brokers {
    /// The oldest.
    pub from: Option<Version>,
    /// The newest.
    pub to: Option<Version>,
    /// What else is to be said.
    pub note: Option<String>,
    /// Where that is said.
    pub source: Source,
}

/// What a manifest says of a feature.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The word.
    pub support: Support,
    /// First version that has it.
    pub since: Option<Version>,
    /// Last version that had it, for `removed`.
    pub until: Option<Version>,
    /// Required for `partial`.
    pub note: Option<String>,
    /// Who claims it and where.
    pub source: Source,
    /// Where the claim stands in the manifest.
    pub span: Span,
}

/// What bites.
#[derive(Debug, Clone)]
pub struct Pitfall {
    /// Short.
    pub title: String,
    /// One to three sentences.
    pub detail: String,
    /// Where that can be seen.
    pub source: Source,
}

/// A standard example in a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFile {
    /// The file.
    pub path: Utf8PathBuf,
    /// Its language, by extension among the client's languages.
    pub language: Option<LanguageId>,
}
