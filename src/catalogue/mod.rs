//! What a catalogue holds: clients and what they claim, and the closed lists they refer to. Parsed, validated and
//! cross-checked: a value of these types cannot be wrong.
//!
//! `folders` says which file is what, one file of code for each kind of entry reads it, `cross` checks what they say of each
//! other. What a reader asks for is also the schema (`schema`), so the two cannot part.

mod address;
mod client;
pub mod codes;
mod cross;
mod example;
mod feature;
mod folders;
mod language;
mod level;
mod license;
pub mod manifest;
mod registry;
mod scenario;
pub mod schema;
mod settings;
mod text;
mod value;
mod version;

pub use address::{HttpsUrl, Purl, Source, percent_encode};
pub use client::{Brokers, Claim, Client, ExampleFile, Pitfall, Release, Status};
pub use example::Example;
pub use feature::{Body, Feature, Group, Proposal};
pub use language::Language;
pub use level::Level;
pub use license::License;
pub use registry::Registry;
pub use scenario::Scenario;
pub use settings::{Home, MenuItem, Settings};
pub use text::{Line, Text, hidden};
pub use value::*;
pub use version::{Day, PartialDate, Version};

use crate::diagnostic::Diagnostic;
use crate::source::{SourceFile, SourceTree, Spanned};
use manifest::RawClient;
use std::collections::BTreeMap;

/// A value with the place it was read from, for cross-checks.
pub type Placed<T> = Spanned<T>;

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
        Catalogue::read_with(tree, manifest::parse)
    }

    /// As [`read`](Catalogue::read), with `parse` in the place of [`manifest::parse`]: one that remembers what the same bytes
    /// gave before.
    pub fn read_with(
        tree: &SourceTree,
        parse: impl Fn(&SourceFile) -> (RawClient, Vec<Diagnostic>) + Sync,
    ) -> (Option<Catalogue>, Vec<Diagnostic>) {
        let (folders, mut findings) = folders::sort(tree);
        let (raw, more) = cross::RawCatalogue::read(&folders, parse);
        findings.extend(more);
        let (catalogue, more) = cross::resolve(raw);
        findings.extend(more);
        (catalogue, findings)
    }

    /// The claim that `client` inherits on `feature`: the nearest along its engines, and whose it is. Does not look at the
    /// client's own claims.
    pub fn inherited(&self, client: &Client, feature: &FeatureId) -> Option<(&ClientId, &Claim)> {
        self.engines(client).find_map(|engine| Some((&engine.id, engine.claims.get(feature)?)))
    }

    /// The engines of `client`, the nearest first.
    pub fn engines(&self, client: &Client) -> impl Iterator<Item = &Client> {
        let engine_of = |client: &Client| client.based_on.as_ref().and_then(|id| self.clients.get(id));
        // No chain is longer than the catalogue: a circle is never let in, and would not hang us if it were.
        std::iter::successors(engine_of(client), move |client| engine_of(client)).take(self.clients.len())
    }
}
