//! What a catalogue holds: clients and what they claim, and the closed lists they refer to. Parsed, validated and
//! cross-checked: a value of these types cannot be wrong.

mod value;

pub use value::*;

use crate::diagnostic::{Diagnostic, Span};
use crate::source::{SourceTree, Spanned};
use camino::Utf8PathBuf;
use std::collections::BTreeMap;

/// Everything that the input says, except guides and results.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// `clientbook.toml`.
    pub settings: Settings,
    /// `content/languages/`.
    pub languages: BTreeMap<LanguageId, Language>,
    /// `content/features/groups.toml`, in its order.
    pub groups: Vec<Group>,
    /// `content/features/`.
    pub features: BTreeMap<FeatureId, Feature>,
    /// `content/levels/`, in their order.
    pub levels: Vec<Level>,
    /// `content/registries/`, by purl type.
    pub registries: BTreeMap<String, Registry>,
    /// `content/examples/`.
    pub examples: BTreeMap<ExampleId, Example>,
    /// `content/scenarios/`.
    pub scenarios: BTreeMap<ScenarioId, Scenario>,
    /// `clients/`.
    pub clients: BTreeMap<ClientId, Client>,
}

impl Catalogue {
    /// Reads a whole catalogue. Entries with an error are reported and left out; the rest is whole and consistent.
    /// `None` only when `clientbook.toml` itself cannot be read.
    pub fn read(tree: &SourceTree) -> (Option<Catalogue>, Vec<Diagnostic>) {
        let _ = tree;
        todo!("R2")
    }
}

/// `clientbook.toml`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The book's name.
    pub title: String,
    /// What the clients are clients of: "Apache Kafka".
    pub subject: String,
    /// One sentence for search engines and feeds.
    pub description: String,
    /// Where the site will stand; ends in `/`.
    pub base_url: HttpsUrl,
    /// Address at which a source file is edited, with `{path}`; `None`: no edit links.
    pub edit_url: Option<String>,
    /// BCP 47 tag of the prose.
    pub language: String,
    /// After how many days a proof counts as ageing.
    pub proof_days: u32,
    /// After how many days a manifest counts as unchecked.
    pub checked_days: u32,
    /// Printed at the foot of every page.
    pub trademark: Option<String>,
    /// The main menu, in order.
    pub menu: Vec<MenuItem>,
    /// The home page's words.
    pub home: Home,
}

/// A titled path of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuItem {
    /// What is shown.
    pub title: String,
    /// A path of the site, from `/`; may end in a fragment.
    pub path: String,
    /// Where it stands in `clientbook.toml`.
    pub span: Span,
}

/// The home page's words.
#[derive(Debug, Clone)]
pub struct Home {
    /// The heading.
    pub heading: String,
    /// The paragraph below it.
    pub lead: String,
    /// Languages that get a tile, in order; the others are listed below.
    pub featured_languages: Vec<LanguageId>,
    /// Short cuts below the search box.
    pub needs: Vec<MenuItem>,
}

/// A programming language, or an interface that needs no library.
#[derive(Debug, Clone)]
pub struct Language {
    /// The file's stem.
    pub id: LanguageId,
    /// "Python".
    pub name: String,
    /// One to three characters for a tile.
    pub symbol: String,
    /// The grammar to highlight with.
    pub highlight: Option<String>,
    /// File name extensions of its source files.
    pub extensions: Vec<String>,
    /// Whether it is a language at all.
    pub kind: LanguageKind,
    /// Further words to find it by.
    pub aliases: Vec<String>,
    /// Lower comes first.
    pub order: i64,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

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

/// A package registry.
#[derive(Debug, Clone)]
pub struct Registry {
    /// The purl type, the file's stem.
    pub id: String,
    /// "PyPI".
    pub name: String,
    /// The address of a package's page, with `{namespace}`, `{name}` or `{full}`.
    pub page: String,
}

/// A small program that is written for every client.
#[derive(Debug, Clone)]
pub struct Example {
    /// The file's stem.
    pub id: ExampleId,
    /// "Produce".
    pub title: String,
    /// Lower comes first.
    pub order: i64,
    /// One line.
    pub summary: String,
    /// The expected lines of output; `{int}` stands for digits, `{any}` for anything.
    pub output: Vec<String>,
    /// What every program must do.
    pub body: Body,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

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

/// A value with the place it was read from, for cross-checks.
pub type Placed<T> = Spanned<T>;
