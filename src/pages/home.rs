//! `/`: what the book is, in one screen, and the way to every language.

use super::cell::Told;
use super::frame::{Frame, Link, age_words};
use super::language::Tile;
use super::{Model, When};
use crate::catalogue::{Client, Feature, LanguageKind};
use crate::matrix::State;
use serde::Serialize;

/// `home.html`.
#[derive(Debug, Serialize)]
pub struct HomePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// The heading.
    pub heading: &'m str,
    /// The paragraph below it.
    pub lead: &'m str,
    /// How many clients there are.
    pub clients_total: usize,
    /// How many of them are active or in maintenance.
    pub living_total: usize,
    /// How many languages have a client.
    pub languages_total: usize,
    /// How many features there are.
    pub features_total: usize,
    /// Short cuts below the search box.
    pub needs: Vec<Link<'m>>,
    /// One cell of the book, to explain them all.
    pub specimen: Option<Specimen<'m>>,
    /// Languages that get a tile.
    pub tiles: Vec<Tile<'m>>,
    /// The other languages.
    pub more: Vec<Tile<'m>>,
    /// Ways in that need no library.
    pub interfaces: Vec<Tile<'m>>,
    /// The levels.
    pub levels: Vec<LevelLine<'m>>,
    /// After how many days a proof counts as ageing.
    pub proof_days: u32,
    /// An engine that others are built on, for the legend.
    pub engine: Option<&'m str>,
    /// Whether the kit ran anything yet.
    pub has_results: bool,
    /// Every client, by name; empty when they are too many for this page.
    pub all: Vec<Named<'m>>,
    /// The day the book was built for.
    pub as_of: When,
}

/// One cell of the book.
#[derive(Debug, Serialize)]
pub struct Specimen<'m> {
    /// The client.
    pub client: Link<'m>,
    /// Its newest version.
    pub version: Option<&'m str>,
    /// The feature.
    pub feature: Link<'m>,
    /// Claim and proof.
    pub told: Told<'m>,
    /// The proof's age in words.
    pub age: Option<String>,
}

/// A level in one line.
#[derive(Debug, Serialize)]
pub struct LevelLine<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
}

/// A client by name.
#[derive(Debug, Serialize)]
pub struct Named<'m> {
    /// The client.
    pub client: Link<'m>,
    /// Its languages.
    pub languages: String,
    /// Active or in maintenance.
    pub living: bool,
}

/// The most clients that the home page names.
const ALL_MAX: usize = 400;

pub(super) fn view<'m>(model: &Model<'m>) -> HomePage<'m> {
    let catalogue = model.catalogue;
    let settings = &catalogue.settings;
    let featured = &settings.home.featured_languages;
    let inhabited = || model.languages.iter().copied().filter(|language| !model.clients_of(language).is_empty());
    HomePage {
        page: Frame::new("/", settings.title.as_str(), settings.description.as_str())
            .from_file(model, camino::Utf8Path::new("clientbook.toml")),
        heading: &settings.home.heading,
        lead: &settings.home.lead,
        clients_total: catalogue.clients.len(),
        living_total: catalogue.clients.values().filter(|client| client.status.value.is_living()).count(),
        languages_total: inhabited().filter(|language| language.kind == LanguageKind::Language).count(),
        features_total: catalogue.features.len(),
        needs: settings.home.needs.iter().map(|need| Link::new(need.title.as_str(), need.path.as_str())).collect(),
        specimen: specimen(model),
        tiles: featured
            .iter()
            .filter_map(|id| catalogue.languages.get(id))
            .filter(|language| !model.clients_of(language).is_empty())
            .map(|language| model.tile(language))
            .collect(),
        more: inhabited()
            .filter(|language| language.kind == LanguageKind::Language && !featured.contains(&language.id))
            .map(|language| model.tile(language))
            .collect(),
        interfaces: inhabited()
            .filter(|language| language.kind == LanguageKind::Interface && !featured.contains(&language.id))
            .map(|language| model.tile(language))
            .collect(),
        levels: level_lines(model),
        proof_days: settings.proof_days,
        engine: model
            .by_engine
            .iter()
            .max_by_key(|(_, clients)| clients.len())
            .and_then(|(id, _)| catalogue.clients.get(*id))
            .map(|engine| engine.name.as_str()),
        has_results: model.has_results(),
        all: if model.by_name.len() <= ALL_MAX { named(model) } else { Vec::new() },
        as_of: model.matrix.as_of.into(),
    }
}

fn level_lines<'m>(model: &Model<'m>) -> Vec<LevelLine<'m>> {
    model
        .catalogue
        .levels
        .iter()
        .map(|level| LevelLine { id: level.id.as_str(), title: &level.title, summary: &level.summary })
        .collect()
}

/// Every client by name.
pub(super) fn named<'m>(model: &Model<'m>) -> Vec<Named<'m>> {
    model
        .by_name
        .iter()
        .copied()
        .map(|client| Named {
            client: Link::client(client),
            languages: model.language_links(client).iter().map(|link| link.text.as_ref()).collect::<Vec<_>>().join(", "),
            living: client.status.value.is_living(),
        })
        .collect()
}

/// The cell that tells most: a proof if there is one, else a claim that names its first version; of a featured language's
/// living client, in a feature of the middle levels, which people ask for.
fn specimen<'m>(model: &Model<'m>) -> Option<Specimen<'m>> {
    let catalogue = model.catalogue;
    let middle = catalogue.levels.len() / 2;
    let levels = catalogue.levels[middle..].iter().chain(&catalogue.levels[..middle]);
    let features: Vec<&'m Feature> =
        levels.flat_map(|level| &level.features).filter_map(|id| catalogue.features.get(id)).collect();
    let clients: Vec<&'m Client> = catalogue
        .settings
        .home
        .featured_languages
        .iter()
        .filter_map(|id| model.by_language.get(id))
        .flatten()
        .copied()
        .filter(|client| client.status.value.is_living())
        .collect();
    let find = |wanted: State| {
        features.iter().find_map(|feature| {
            clients.iter().find_map(|client| {
                let cell = model.cell(client, feature).filter(|cell| cell.state == wanted)?;
                cell.claim.as_ref().filter(|claimed| claimed.claim.since.is_some())?;
                Some((*client, *feature, cell))
            })
        })
    };
    let (client, feature, cell) = find(State::Proven).or_else(|| find(State::Claimed))?;
    let age = match &cell.proof {
        crate::matrix::Proof::Seen(seen) => Some(age_words(seen.age_days)),
        _ => None,
    };
    Some(Specimen {
        client: Link::client(client),
        version: client.latest_release.as_ref().and_then(|release| release.version.as_ref()).map(|version| version.as_str()),
        feature: Link::new(feature.title.as_str(), format!("/features/{}/", feature.id)),
        told: model.told(feature, cell)?,
        age,
    })
}
