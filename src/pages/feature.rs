//! `/features/` and `/features/<f>/`: what a feature is, and who has it.

use super::cell::{ProofTold, Told};
use super::frame::{Frame, Link, Mark, Markup, STATES, Seen};
use super::{Model, NAMED_MAX};
use crate::catalogue::{Client, Feature, Proposal};
use crate::matrix::{Cell, State};
use serde::Serialize;
use std::borrow::Cow;

/// `/features/`.
#[derive(Debug, Serialize)]
pub struct FeaturesPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// How many features there are.
    pub total: usize,
    /// In their order.
    pub groups: Vec<Group<'m>>,
}

/// A group of features.
#[derive(Debug, Serialize)]
pub struct Group<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
    /// Its features.
    pub features: Vec<Entry<'m>>,
}

/// A feature in a list.
#[derive(Debug, Serialize)]
pub struct Entry<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One plain line.
    pub meaning: &'m str,
    /// Ids of its proposals.
    pub proposals: Vec<&'m str>,
    /// How many living clients are in each state that occurs.
    pub counts: Vec<super::strip::Count>,
}

/// `/features/<f>/`.
#[derive(Debug, Serialize)]
pub struct FeaturePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Its id.
    pub id: &'m str,
    /// One plain line.
    pub meaning: &'m str,
    /// Its group.
    pub group: Link<'m>,
    /// How a reader knows whether they need it.
    pub body: Option<Markup<'m>>,
    /// The proposals behind it.
    pub proposals: Vec<ProposalTold<'m>>,
    /// The level that asks for it.
    pub level: Option<&'m str>,
    /// Who is in which state; states that nobody is in are left out.
    pub states: Vec<InState<'m>>,
    /// The scenarios that check it.
    pub scenarios: Vec<&'m str>,
}

/// A proposal.
#[derive(Debug, Serialize)]
pub struct ProposalTold<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// Where it stands.
    pub url: &'m str,
}

/// The clients in one state.
#[derive(Debug, Serialize)]
pub struct InState<'m> {
    /// The class of the state.
    pub mark: &'static str,
    /// The state's word.
    pub word: &'static str,
    /// How many clients are in it.
    pub count: usize,
    /// The first of them, living first; empty where they are told by engine.
    pub rows: Vec<Holder<'m>>,
    /// The first of those that inherit it, by engine.
    pub engines: Vec<ByEngine<'m>>,
    /// How many more there are.
    pub more: usize,
}

/// The clients that inherit a claim from an engine.
#[derive(Debug, Serialize)]
pub struct ByEngine<'m> {
    /// The engine.
    pub engine: Link<'m>,
    /// Where it says so.
    pub source: Option<Seen<'m>>,
    /// First version of the engine that has it.
    pub since: Option<&'m str>,
    /// Limits and conditions.
    pub note: Option<&'m str>,
    /// Living first.
    pub clients: Vec<Heir<'m>>,
}

/// A client that inherits.
#[derive(Debug, Serialize)]
pub struct Heir<'m> {
    /// The client.
    pub link: Link<'m>,
    /// `active`, …
    pub status: &'static str,
    /// Active or in maintenance.
    pub living: bool,
}

/// A client in a state.
#[derive(Debug, Serialize)]
pub struct Holder<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// `active`, …
    pub status: &'static str,
    /// Active or in maintenance.
    pub living: bool,
    /// Its languages.
    pub languages: Vec<Link<'m>>,
    /// First version that has it.
    pub since: Option<&'m str>,
    /// Last version that had it.
    pub until: Option<&'m str>,
    /// The engine whose claim this is.
    pub engine: Option<Link<'m>>,
    /// Who claims it and where.
    pub source: Option<Seen<'m>>,
    /// Limits and conditions.
    pub note: Option<&'m str>,
    /// What the kit saw.
    pub proof: Option<ProofTold<'m>>,
}

pub(super) fn index<'m>(model: &Model<'m>) -> FeaturesPage<'m> {
    let catalogue = model.catalogue;
    let groups = catalogue
        .groups
        .iter()
        .map(|group| Group {
            id: group.id.as_str(),
            title: &group.title,
            summary: &group.summary,
            features: group
                .features
                .iter()
                .filter_map(|id| catalogue.features.get(id))
                .map(|feature| entry(model, feature))
                .collect(),
        })
        .collect();
    let subject = &catalogue.settings.subject;
    let page = Frame::new(
        "/features/",
        "Features",
        format!("What a client for {subject} can do, what each feature means, and how many clients have it."),
    )
    .with_twin()
    .below(Vec::new());
    FeaturesPage { page, total: catalogue.features.len(), groups }
}

fn entry<'m>(model: &Model<'m>, feature: &'m Feature) -> Entry<'m> {
    let mut counts = [0usize; STATES.len()];
    for client in model.by_name.iter().filter(|client| client.status.value.is_living()) {
        counts[place(model.cell(client, feature).map_or(State::Unknown, |cell| cell.state))] += 1;
    }
    Entry {
        id: feature.id.as_str(),
        title: &feature.title,
        meaning: &feature.meaning,
        proposals: feature.proposals.iter().map(|proposal| proposal.id.as_str()).collect(),
        counts: STATES
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(state, count)| {
                let Mark { mark, word } = (*state).into();
                super::strip::Count { mark, word, count }
            })
            .collect(),
    }
}

fn place(state: State) -> usize {
    STATES.iter().position(|s| *s == state).unwrap_or(STATES.len() - 1)
}

impl<'m> Model<'m> {
    /// What is known of a feature in a client.
    pub(super) fn cell(&self, client: &Client, feature: &Feature) -> Option<&'m Cell<'m>> {
        self.row(client)?.cells.get(&feature.id)
    }
}

pub(super) fn view<'m>(model: &Model<'m>, feature: &'m Feature) -> FeaturePage<'m> {
    let catalogue = model.catalogue;
    let group = catalogue.groups.iter().find(|group| group.id == feature.group);
    let scenarios =
        catalogue.scenarios.values().filter(|scenario| scenario.feature == feature.id).map(|s| s.title.as_str()).collect();
    let page = Frame::new(format!("/features/{}/", feature.id), feature.title.as_str(), feature.meaning.as_str())
        .from_file(model, &feature.path)
        .with_twin()
        .below(vec![Link::new("Features", "/features/")]);
    FeaturePage {
        page,
        id: feature.id.as_str(),
        meaning: &feature.meaning,
        group: Link::new(group.map_or("", |group| group.title.as_str()), format!("/features/#{}", feature.group)),
        body: model.prose(&feature.path).map(|prose| Markup::new(&prose.html)),
        proposals: feature.proposals.iter().map(proposal_told).collect(),
        level: catalogue.levels.iter().find(|level| level.features.contains(&feature.id)).map(|level| level.title.as_str()),
        states: states(model, feature),
        scenarios,
    }
}

fn proposal_told(proposal: &Proposal) -> ProposalTold<'_> {
    ProposalTold { id: &proposal.id, title: &proposal.title, url: proposal.url.as_str() }
}

fn states<'m>(model: &Model<'m>, feature: &'m Feature) -> Vec<InState<'m>> {
    let mut states: Vec<InState<'m>> = STATES
        .iter()
        .map(|state| {
            let Mark { mark, word } = (*state).into();
            InState { mark, word, count: 0, rows: Vec::new(), engines: Vec::new(), more: 0 }
        })
        .collect();
    let (living, resting): (Vec<_>, Vec<_>) = model.by_name.iter().copied().partition(|client| client.status.value.is_living());
    for client in living.into_iter().chain(resting) {
        let cell = model.cell(client, feature);
        let state = &mut states[place(cell.map_or(State::Unknown, |cell| cell.state))];
        state.count += 1;
        if state.count > NAMED_MAX {
            state.more += 1;
            continue;
        }
        match cell.and_then(|cell| model.told(feature, cell)) {
            Some(told) if state.mark == "i" && told.engine.is_some() => inherit(state, client, told),
            told => state.rows.push(holder(model, client, told)),
        }
    }
    states.retain(|state| state.count > 0);
    states
}

fn holder<'m>(model: &Model<'m>, client: &'m Client, told: Option<Told<'m>>) -> Holder<'m> {
    let (since, until, engine, source, note, proof) = match told {
        Some(told) => (told.since, told.until, told.engine, seen(told.href, told.source), told.note, told.proof),
        None => (None, None, None, None, None, None),
    };
    Holder {
        id: client.id.as_str(),
        name: &client.name,
        status: client.status.value.word(),
        living: client.status.value.is_living(),
        languages: model.language_links(client),
        since,
        until,
        engine,
        source,
        note,
        proof,
    }
}

/// Puts a client below the engine that it inherits from.
fn inherit<'m>(state: &mut InState<'m>, client: &'m Client, told: Told<'m>) {
    let Some(engine) = told.engine else { return };
    let heir = Heir { link: Link::client(client), status: client.status.value.word(), living: client.status.value.is_living() };
    match state.engines.iter_mut().find(|by| by.engine == engine) {
        Some(by) => by.clients.push(heir),
        None => {
            let (source, since, note) = (seen(told.href, told.source), told.since, told.note);
            state.engines.push(ByEngine { engine, source, since, note, clients: vec![heir] });
        }
    }
}

fn seen<'m>(href: Option<Cow<'m, str>>, text: Option<Cow<'m, str>>) -> Option<Seen<'m>> {
    text.map(|text| Seen { href, text })
}
