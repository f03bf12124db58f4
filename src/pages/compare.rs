//! `/compare/` and `/compare/<l>/`: the wide matrix.

use super::frame::{Frame, Link, Mark, age_short};
use super::language::is_there;
use super::{COLUMNS_MAX, Model};
use crate::catalogue::{Client, Feature, Language};
use crate::matrix::{Cell, Proof, State};
use serde::Serialize;

/// `compare.html`.
#[derive(Debug, Serialize)]
pub struct ComparePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// The language, if the page is about one.
    pub language: Option<Link<'m>>,
    /// The columns.
    pub columns: Vec<Column<'m>>,
    /// Clients that would have a column if there were room.
    pub more: usize,
    /// How many features there are.
    pub features_total: usize,
    /// The rows, by group.
    pub groups: Vec<RowGroup<'m>>,
    /// The states that occur, for the legend.
    pub states: Vec<Mark>,
    /// Every language that has a comparison of its own.
    pub languages: Vec<Link<'m>>,
}

/// A client.
#[derive(Debug, Serialize)]
pub struct Column<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// Its languages, by name.
    pub languages: String,
    /// Active or in maintenance.
    pub living: bool,
    /// `active`, …
    pub status: &'static str,
}

/// A group of features.
#[derive(Debug, Serialize)]
pub struct RowGroup<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// For each column, how many are proven, claimed or inherited.
    pub sums: Vec<usize>,
    /// Its features.
    pub rows: Vec<CompareRow<'m>>,
}

/// A feature.
#[derive(Debug, Serialize)]
pub struct CompareRow<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// The first of its proposals.
    pub proposal: Option<&'m str>,
    /// One for each column.
    pub cells: Vec<CompareCell<'m>>,
}

/// A state in short.
#[derive(Debug, Serialize)]
pub struct CompareCell<'m> {
    /// The class of the state.
    pub mark: &'static str,
    /// The state's word.
    pub word: &'static str,
    /// The second line: the age of the proof, the engine, or the version that brought it.
    pub line: Option<std::borrow::Cow<'m, str>>,
}

pub(super) fn view<'m>(model: &Model<'m>, language: Option<&'m Language>) -> ComparePage<'m> {
    let clients: Vec<&'m Client> = match language {
        Some(language) => model.clients_of(language).to_vec(),
        None => super::clients::in_order(model).into_iter().filter(|client| client.status.value.is_living()).collect(),
    };
    let shown = nearest(&clients);
    let shown = shown.as_slice();
    let mut seen = std::collections::BTreeSet::new();
    let groups = groups(model, shown, &mut seen);
    let states = super::STATES.iter().filter(|state| seen.contains(*state)).map(|state| Mark::from(*state)).collect();
    ComparePage {
        page: frame(model, language),
        language: language.map(|language| Link::new(language.name.as_str(), format!("/languages/{}/", language.id))),
        columns: shown.iter().map(|client| column(model, client)).collect(),
        more: clients.len() - shown.len(),
        features_total: model.catalogue.features.len(),
        groups,
        states,
        languages: model
            .languages
            .iter()
            .filter(|language| !model.clients_of(language).is_empty())
            .map(|language| Link::new(language.name.as_str(), format!("/compare/{}/", language.id)))
            .collect(),
    }
}

/// As many as there is room for: those that stand nearest to the protocol, in their order.
fn nearest<'m>(clients: &[&'m Client]) -> Vec<&'m Client> {
    let mut places: Vec<usize> = (0..clients.len()).collect();
    places.sort_by_key(|&at| (!clients[at].status.value.is_living(), super::distance(clients[at].kind)));
    places.truncate(COLUMNS_MAX);
    places.sort_unstable();
    places.into_iter().map(|at| clients[at]).collect()
}

fn frame<'m>(model: &Model<'m>, language: Option<&'m Language>) -> Frame<'m> {
    let subject = &model.catalogue.settings.subject;
    match language {
        Some(language) => Frame::new(
            format!("/compare/{}/", language.id),
            format!("Compare {} clients", language.name),
            format!("Every {} client for {subject} beside the others, feature by feature.", language.name),
        )
        .below(vec![Link::new("Compare", "/compare/")]),
        None => {
            Frame::new("/compare/", "Compare", format!("The living clients for {subject} beside each other, feature by feature."))
                .with_twin()
                .below(Vec::new())
        }
    }
}

fn column<'m>(model: &Model<'m>, client: &'m Client) -> Column<'m> {
    let languages: Vec<&str> = client
        .languages
        .iter()
        .filter_map(|id| model.catalogue.languages.get(id))
        .map(|language| language.name.as_str())
        .collect();
    Column {
        id: client.id.as_str(),
        name: &client.name,
        languages: languages.join(", "),
        living: client.status.value.is_living(),
        status: client.status.value.word(),
    }
}

fn groups<'m>(model: &Model<'m>, clients: &[&'m Client], seen: &mut std::collections::BTreeSet<State>) -> Vec<RowGroup<'m>> {
    let mut groups = Vec::with_capacity(model.catalogue.groups.len());
    for group in &model.catalogue.groups {
        let mut told = RowGroup { id: group.id.as_str(), title: &group.title, sums: vec![0; clients.len()], rows: Vec::new() };
        for feature in group.features.iter().filter_map(|id| model.catalogue.features.get(id)) {
            let mut cells = Vec::with_capacity(clients.len());
            for (client, sum) in clients.iter().zip(&mut told.sums) {
                let cell = model.cell(client, feature);
                let state = cell.map_or(State::Unknown, |cell| cell.state);
                *sum += usize::from(is_there(state));
                seen.insert(state);
                cells.push(compare_cell(model, state, cell));
            }
            told.rows.push(row(feature, cells));
        }
        groups.push(told);
    }
    groups
}

fn row<'m>(feature: &'m Feature, cells: Vec<CompareCell<'m>>) -> CompareRow<'m> {
    CompareRow {
        id: feature.id.as_str(),
        title: &feature.title,
        proposal: feature.proposals.first().map(|proposal| proposal.id.as_str()),
        cells,
    }
}

fn compare_cell<'m>(model: &Model<'m>, state: State, cell: Option<&'m Cell<'m>>) -> CompareCell<'m> {
    let Mark { mark, word } = state.into();
    let line = cell.and_then(|cell| {
        if let Proof::Seen(seen) = &cell.proof
            && matches!(state, State::Proven | State::ProvenAgeing)
        {
            return Some(age_short(seen.age_days).into());
        }
        let claimed = cell.claim.as_ref()?;
        match state {
            State::Inherited => model.catalogue.clients.get(claimed.from?).map(|engine| engine.name.as_str().into()),
            State::Removed => claimed.claim.until.as_ref().map(|version| version.as_str().into()),
            _ => claimed.claim.since.as_ref().map(|version| version.as_str().into()),
        }
    });
    CompareCell { mark, word: if state == State::ProvenAgeing { "proven" } else { word }, line }
}
