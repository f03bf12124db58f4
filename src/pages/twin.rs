//! The same as data: the JSON twins, and the comparison as a table. Unknown features are absent, as in manifests.

use super::changes::{Change, changes};
use super::search::{Entry, entries};
use super::{CHANGES_MAX, Model};
use crate::catalogue::{Client, ClientId, Example, Feature, FeatureId, Language, LanguageId, PartialDate, Purl, Source, Version};
use crate::matrix::{Cell, Proof, State};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A page of data.
#[derive(Debug, Clone, Copy)]
pub enum Data<'m> {
    /// `/clients/index.json`
    Clients,
    /// `/clients/<id>/index.json`
    Client(&'m Client),
    /// `/languages/index.json`
    Languages,
    /// `/languages/<l>/index.json`
    Language(&'m Language),
    /// `/features/index.json`
    Features,
    /// `/features/<f>/index.json`
    Feature(&'m Feature),
    /// `/levels/index.json`
    Levels,
    /// `/compare/index.json`
    Compare,
    /// `/compare/index.csv`
    CompareTable,
    /// `/examples/index.json`
    Examples,
    /// `/examples/<e>/index.json`
    Example(&'m Example),
    /// `/changes/index.json`
    Changes,
    /// `/search/index.json`
    Search,
}

impl<'m> Data<'m> {
    /// Those that exist once.
    pub const WHOLE: [Data<'static>; 9] = [
        Data::Clients,
        Data::Languages,
        Data::Features,
        Data::Levels,
        Data::Compare,
        Data::CompareTable,
        Data::Examples,
        Data::Changes,
        Data::Search,
    ];

    /// The path from `/`.
    pub fn address(&self) -> String {
        match self {
            Data::Clients => "/clients/index.json".to_owned(),
            Data::Client(client) => format!("/clients/{}/index.json", client.id),
            Data::Languages => "/languages/index.json".to_owned(),
            Data::Language(language) => format!("/languages/{}/index.json", language.id),
            Data::Features => "/features/index.json".to_owned(),
            Data::Feature(feature) => format!("/features/{}/index.json", feature.id),
            Data::Levels => "/levels/index.json".to_owned(),
            Data::Compare => "/compare/index.json".to_owned(),
            Data::CompareTable => "/compare/index.csv".to_owned(),
            Data::Examples => "/examples/index.json".to_owned(),
            Data::Example(example) => format!("/examples/{}/index.json", example.id),
            Data::Changes => "/changes/index.json".to_owned(),
            Data::Search => "/search/index.json".to_owned(),
        }
    }

    /// What it holds.
    pub fn view(&self, model: &Model<'m>) -> DataView<'m> {
        let catalogue = model.catalogue;
        match *self {
            Data::Clients => DataView::Clients(model.by_name.iter().map(|client| short(model, client)).collect()),
            Data::Client(client) => DataView::Client(Box::new(client_data(model, client))),
            Data::Languages => DataView::Languages(
                model
                    .languages
                    .iter()
                    .map(|language| language_data(model, language))
                    .filter(|data| !data.clients.is_empty())
                    .collect(),
            ),
            Data::Language(language) => DataView::Language(Box::new(language_data(model, language))),
            Data::Features => {
                DataView::Features(catalogue.features.values().map(|feature| feature_data(model, feature, false)).collect())
            }
            Data::Feature(feature) => DataView::Feature(Box::new(feature_data(model, feature, true))),
            Data::Levels => DataView::Levels(
                catalogue
                    .levels
                    .iter()
                    .map(|level| LevelData {
                        id: level.id.as_str(),
                        title: &level.title,
                        order: level.order,
                        summary: &level.summary,
                        features: &level.features,
                    })
                    .collect(),
            ),
            Data::Compare => DataView::Compare(model.by_name.iter().map(|client| (&client.id, states(model, client))).collect()),
            Data::CompareTable => DataView::Text(table(model)),
            Data::Examples => DataView::Examples(
                super::example::in_order(model).into_iter().map(|example| example_data(model, example)).collect(),
            ),
            Data::Example(example) => DataView::Example(Box::new(example_data(model, example))),
            Data::Changes => DataView::Changes(changes(model).into_iter().take(CHANGES_MAX).collect()),
            Data::Search => DataView::Search(entries(model)),
        }
    }
}

/// What a page of data holds.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each is documented by its struct")]
pub enum DataView<'m> {
    Clients(Vec<ClientShort<'m>>),
    Client(Box<ClientData<'m>>),
    Languages(Vec<LanguageData<'m>>),
    Language(Box<LanguageData<'m>>),
    Features(Vec<FeatureData<'m>>),
    Feature(Box<FeatureData<'m>>),
    Levels(Vec<LevelData<'m>>),
    /// By client, by feature: the state's word.
    Compare(BTreeMap<&'m ClientId, BTreeMap<&'m FeatureId, &'static str>>),
    Examples(Vec<ExampleData<'m>>),
    Example(Box<ExampleData<'m>>),
    Changes(Vec<Change<'m>>),
    Search(Vec<Entry<'m>>),
    /// The text itself, not JSON.
    Text(String),
}

/// A client in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClientShort<'m> {
    /// Its id.
    pub id: &'m ClientId,
    /// Its name.
    pub name: &'m str,
    /// Ids of its languages.
    pub languages: &'m [LanguageId],
    /// `active`, …
    pub status: &'static str,
    /// `native`, …
    pub kind: &'static str,
    /// The engine's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub based_on: Option<&'m ClientId>,
    /// The newest release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_version: Option<&'m Version>,
    /// The highest level reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<&'m str>,
}

/// `/clients/<id>/index.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClientData<'m> {
    /// What lists say of it too.
    #[serde(flatten)]
    pub short: ClientShort<'m>,
    /// One sentence.
    pub summary: &'m str,
    /// Why it has its status.
    pub status_reason: &'m str,
    /// Where that can be seen.
    pub status_source: &'m Source,
    /// An SPDX expression.
    pub license: &'m str,
    /// Package addresses.
    pub packages: &'m [Purl],
    /// One command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<&'m str>,
    /// Its source.
    pub repository: &'m str,
    /// The day a person last checked the facts.
    pub checked: PartialDate,
    /// The day that ages count from.
    pub as_of: String,
    /// What is known of its features.
    pub features: BTreeMap<&'m FeatureId, CellData<'m>>,
    /// Whether the kit ever ran it.
    pub was_run: bool,
}

/// What is known of a feature in a client.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CellData<'m> {
    /// The state's word.
    pub state: &'static str,
    /// The claim's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<&'static str>,
    /// First version that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<&'m Version>,
    /// Limits and conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'m str>,
    /// Who claims it and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'m Source>,
    /// The engine it is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherited_from: Option<&'m ClientId>,
    /// The day of the newest proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// `/languages/<l>/index.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LanguageData<'m> {
    /// Its id.
    pub id: &'m LanguageId,
    /// Its name.
    pub name: &'m str,
    /// `language` or `interface`.
    pub kind: &'static str,
    /// Its clients.
    pub clients: Vec<ClientShort<'m>>,
}

/// `/features/<f>/index.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FeatureData<'m> {
    /// Its id.
    pub id: &'m FeatureId,
    /// Its title.
    pub title: &'m str,
    /// One plain line.
    pub meaning: &'m str,
    /// Its group's id.
    pub group: &'m str,
    /// Ids of its proposals.
    pub proposals: Vec<&'m str>,
    /// How many clients are in each state.
    pub counts: BTreeMap<&'static str, usize>,
    /// By client, the state's word; only on the feature's own page.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clients: BTreeMap<&'m ClientId, &'static str>,
}

/// A level.
#[derive(Debug, Serialize)]
pub struct LevelData<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// 1 is the first.
    pub order: i64,
    /// One line.
    pub summary: &'m str,
    /// What it takes beside the levels before.
    pub features: &'m [FeatureId],
}

/// `/examples/<e>/index.json`.
#[derive(Debug, Serialize)]
pub struct ExampleData<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
    /// The expected lines of output.
    pub output: &'m [String],
    /// By client, the file below its folder.
    pub clients: BTreeMap<&'m ClientId, &'m str>,
}

fn short<'m>(model: &Model<'m>, client: &'m Client) -> ClientShort<'m> {
    ClientShort {
        id: &client.id,
        name: &client.name,
        languages: &client.languages,
        status: client.status.value.word(),
        kind: client.kind.word(),
        based_on: client.based_on.as_ref(),
        latest_version: client.latest_release.as_ref().and_then(|release| release.version.as_ref()),
        level: model.row(client).and_then(|row| row.level).map(|level| level.as_str()),
    }
}

fn client_data<'m>(model: &Model<'m>, client: &'m Client) -> ClientData<'m> {
    let row = model.row(client);
    let known = row.into_iter().flat_map(|row| &row.cells).filter(|(_, cell)| cell.state != State::Unknown);
    ClientData {
        short: short(model, client),
        summary: &client.summary,
        status_reason: &client.status.reason,
        status_source: &client.status.source,
        license: &client.license,
        packages: &client.packages,
        install: client.install.as_deref(),
        repository: client.repository.as_str(),
        checked: client.checked,
        as_of: model.matrix.as_of.to_string(),
        features: known.map(|(id, cell)| (*id, cell_data(cell))).collect(),
        was_run: row.is_some_and(|row| !row.reports.is_empty()),
    }
}

fn word(state: State) -> &'static str {
    super::Mark::from(state).word
}

fn cell_data<'m>(cell: &'m Cell<'m>) -> CellData<'m> {
    let claim = cell.claim.as_ref().map(|claimed| claimed.claim);
    CellData {
        state: word(cell.state),
        claim: claim.map(|claim| claim.support.word()),
        since: claim.and_then(|claim| claim.since.as_ref()),
        note: claim.and_then(|claim| claim.note.as_deref()),
        source: claim.map(|claim| &claim.source),
        inherited_from: cell.claim.as_ref().and_then(|claimed| claimed.from),
        seen: match &cell.proof {
            Proof::Seen(seen) => Some(seen.date.to_string()),
            _ => None,
        },
    }
}

fn language_data<'m>(model: &Model<'m>, language: &'m Language) -> LanguageData<'m> {
    LanguageData {
        id: &language.id,
        name: &language.name,
        kind: language.kind.word(),
        clients: model.clients_of(language).iter().map(|client| short(model, client)).collect(),
    }
}

fn feature_data<'m>(model: &Model<'m>, feature: &'m Feature, with_clients: bool) -> FeatureData<'m> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut clients = BTreeMap::new();
    for client in model.by_name.iter().copied() {
        let state = model.cell(client, feature).map_or(State::Unknown, |cell| cell.state);
        *counts.entry(word(state)).or_default() += 1;
        if with_clients && state != State::Unknown {
            clients.insert(&client.id, word(state));
        }
    }
    FeatureData {
        id: &feature.id,
        title: &feature.title,
        meaning: &feature.meaning,
        group: feature.group.as_str(),
        proposals: feature.proposals.iter().map(|proposal| proposal.id.as_str()).collect(),
        counts,
        clients,
    }
}

fn states<'m>(model: &Model<'m>, client: &'m Client) -> BTreeMap<&'m FeatureId, &'static str> {
    let row = model.row(client);
    row.into_iter()
        .flat_map(|row| &row.cells)
        .filter(|(_, cell)| cell.state != State::Unknown)
        .map(|(id, cell)| (*id, word(cell.state)))
        .collect()
}

fn example_data<'m>(model: &Model<'m>, example: &'m Example) -> ExampleData<'m> {
    let clients = model.by_name.iter().copied().filter_map(|client| {
        let file = client.examples.get(&example.id)?;
        let folder = client.path.parent()?;
        Some((&client.id, file.path.strip_prefix(folder).ok()?.as_str()))
    });
    ExampleData {
        id: example.id.as_str(),
        title: &example.title,
        summary: &example.summary,
        output: &example.output,
        clients: clients.collect(),
    }
}

/// The comparison as comma-separated values: a line for each client, a column for each feature. Ids and words need no quotes.
fn table(model: &Model<'_>) -> String {
    let features: Vec<&FeatureId> = model.catalogue.groups.iter().flat_map(|group| &group.features).collect();
    let mut out = String::from("client,status");
    for feature in &features {
        let _ = write!(out, ",{feature}");
    }
    out.push('\n');
    for client in &model.by_name {
        let _ = write!(out, "{},{}", client.id, client.status.value.word());
        let row = model.row(client);
        for feature in &features {
            let state = row.and_then(|row| row.cells.get(feature)).map_or(State::Unknown, |cell| cell.state);
            let word = if state == State::ProvenAgeing { "proven-ageing" } else { word(state) };
            let _ = write!(out, ",{word}");
        }
        out.push('\n');
    }
    out
}
