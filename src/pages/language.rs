//! `/languages/` and `/languages/<l>/`: which clients are alive, what each can do and on whose word, and how to send with it.

use super::clients::{ClientRow, Parts, Standing};
use super::example::Tab;
use super::frame::{Frame, Link, Mark, Seen, capital, count_words, list_words};
use super::{ABREAST_MAX, Model, part_address};
use crate::catalogue::{Client, ClientKind, Language, LanguageKind};
use crate::matrix::State;
use serde::Serialize;

/// `/languages/`.
#[derive(Debug, Serialize)]
pub struct LanguagesPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Programming languages with clients.
    pub languages: Vec<Tile<'m>>,
    /// Ways in that need no library.
    pub interfaces: Vec<Tile<'m>>,
    /// Languages of the list that have no client yet.
    pub empty: Vec<&'m str>,
}

/// A language in a list.
#[derive(Debug, Serialize)]
pub struct Tile<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// One to three characters.
    pub symbol: &'m str,
    /// How many clients are active or in maintenance.
    pub living: usize,
    /// How many are not.
    pub resting: usize,
    /// The highest standing of its clients.
    pub level: Standing<'m>,
    /// The first of its living clients, by name.
    pub names: Vec<&'m str>,
}

/// `/languages/<l>/`.
#[derive(Debug, Serialize)]
pub struct LanguagePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// What there is, in words.
    pub lead: String,
    /// Clients that are active or in maintenance.
    pub living: Vec<ClientRow<'m>>,
    /// The others.
    pub resting: Vec<ClientRow<'m>>,
    /// The clients whose features are shown, in the order of the columns.
    pub heads: Vec<Head<'m>>,
    /// Living clients beyond those.
    pub more_heads: usize,
    /// The features of the levels, by level.
    pub levels: Vec<LevelRows<'m>>,
    /// How many features the catalogue has.
    pub features_total: usize,
    /// The standard examples.
    pub examples: Vec<ExampleTabs<'m>>,
    /// The other parts of the list.
    pub parts: Parts,
    /// Whether this is the first part, the only one with features and examples.
    pub is_first: bool,
}

/// A column's client.
#[derive(Debug, Serialize)]
pub struct Head<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// The engine it is built on.
    pub engine: Option<&'m str>,
}

/// The features of a level.
#[derive(Debug, Serialize)]
pub struct LevelRows<'m> {
    /// The level's id.
    pub id: &'m str,
    /// The level's title.
    pub title: &'m str,
    /// For each column, how many are proven, claimed or inherited.
    pub sums: Vec<usize>,
    /// How many there are.
    pub total: usize,
    /// Its features.
    pub rows: Vec<Row<'m>>,
}

/// A feature's row.
#[derive(Debug, Serialize)]
pub struct Row<'m> {
    /// The feature's id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One plain line.
    pub meaning: &'m str,
    /// One for each column.
    pub cells: Vec<GlanceCell<'m>>,
}

/// A cell, with whose word it is.
#[derive(Debug, Serialize)]
pub struct GlanceCell<'m> {
    /// The class of the state.
    pub mark: &'static str,
    /// The state's word.
    pub word: &'static str,
    /// The engine's name, for what is inherited from another engine than the one that the column's head names.
    pub engine: Option<&'m str>,
    /// Where it is said.
    pub source: Option<Seen<'m>>,
    /// First version that has it.
    pub since: Option<&'m str>,
}

/// An example in every client of the language.
#[derive(Debug, Serialize)]
pub struct ExampleTabs<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
    /// One for each client that has it.
    pub tabs: Vec<Tab<'m>>,
    /// Living clients that have none.
    pub missing: Vec<Link<'m>>,
}

pub(super) fn index<'m>(model: &Model<'m>) -> LanguagesPage<'m> {
    let (mut languages, mut interfaces, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for language in model.languages.iter().copied() {
        if model.clients_of(language).is_empty() {
            empty.push(language.name.as_str());
        } else if language.kind == LanguageKind::Language {
            languages.push(model.tile(language));
        } else {
            interfaces.push(model.tile(language));
        }
    }
    let subject = &model.catalogue.settings.subject;
    let page = Frame::new(
        "/languages/",
        "Languages",
        format!("Every language that has a client for {subject}, and how many of them are alive."),
    )
    .with_twin()
    .below(Vec::new());
    LanguagesPage { page, languages, interfaces, empty }
}

impl<'m> Model<'m> {
    /// A language in a list.
    pub(super) fn tile(&self, language: &'m Language) -> Tile<'m> {
        let clients = self.clients_of(language);
        let living = clients.iter().filter(|client| client.status.value.is_living()).count();
        let level = clients
            .iter()
            .map(|client| self.standing(client))
            .max_by_key(|standing| (standing.step, standing.word != "never run"))
            .unwrap_or(Standing { step: 0, word: "never run", age: None });
        Tile {
            id: language.id.as_str(),
            name: &language.name,
            symbol: &language.symbol,
            living,
            resting: clients.len() - living,
            level,
            names: clients.iter().take(living.min(4)).map(|client| client.name.as_str()).collect(),
        }
    }
}

pub(super) fn view<'m>(model: &Model<'m>, language: &'m Language, part: usize) -> LanguagePage<'m> {
    let clients = model.clients_of(language);
    let first = format!("/languages/{}/", language.id);
    let parts = Parts::new(&first, part, clients.len());
    let (living, resting): (Vec<_>, Vec<_>) =
        parts.slice(clients).iter().map(|client| model.client_row(client)).partition(|row| is_living(row));
    let is_first = part == 1;
    let alive: Vec<&'m Client> = clients.iter().copied().filter(|client| client.status.value.is_living()).collect();
    let abreast = if is_first { &alive[..alive.len().min(ABREAST_MAX)] } else { &[] };
    LanguagePage {
        page: frame(model, language, part),
        id: language.id.as_str(),
        name: &language.name,
        lead: lead(model, clients),
        living,
        resting,
        heads: abreast
            .iter()
            .map(|client| Head {
                id: client.id.as_str(),
                name: &client.name,
                engine: model.engine(client).map(|engine| engine.name.as_str()),
            })
            .collect(),
        more_heads: if is_first { alive.len() - abreast.len() } else { 0 },
        levels: if abreast.is_empty() { Vec::new() } else { levels(model, abreast) },
        features_total: model.catalogue.features.len(),
        examples: if is_first { examples(model, clients) } else { Vec::new() },
        parts,
        is_first,
    }
}

fn is_living(row: &ClientRow<'_>) -> bool {
    matches!(row.status, "active" | "maintenance")
}

fn frame<'m>(model: &Model<'m>, language: &'m Language, part: usize) -> Frame<'m> {
    let subject = &model.catalogue.settings.subject;
    let name = &language.name;
    let title = match (part, language.kind) {
        (1, _) => name.clone(),
        (part, _) => format!("{name}, part {part}"),
    };
    let description = match language.kind {
        LanguageKind::Language => format!(
            "The {name} clients for {subject}: which are alive, what each can do and on whose word, and how to send a message with each."
        ),
        LanguageKind::Interface => {
            format!("Ways to reach {subject} by {name}: which are alive, what each can do, and on whose word.")
        }
    };
    let first = format!("/languages/{}/", language.id);
    let frame = Frame::new(part_address(&first, part), title, description).from_file(model, &language.path);
    let frame = if part == 1 { frame.with_twin() } else { frame };
    frame.below(vec![Link::new("Languages", "/languages/")])
}

impl<'m> Model<'m> {
    fn engine(&self, client: &'m Client) -> Option<&'m Client> {
        client.based_on.as_ref().and_then(|id| self.catalogue.clients.get(id))
    }
}

/// "Six living clients: two speak the protocol themselves, one is a binding of librdkafka. Two are at rest."
fn lead<'m>(model: &Model<'m>, clients: &[&'m Client]) -> String {
    let living: Vec<&Client> = clients.iter().copied().filter(|client| client.status.value.is_living()).collect();
    let resting = clients.len() - living.len();
    let rest = match resting {
        0 => String::new(),
        1 => " One is at rest.".to_owned(),
        n => format!(" {} are at rest.", capital(&count_words(n))),
    };
    if living.is_empty() {
        return format!("No living client.{rest}");
    }
    let mut told = Vec::new();
    for kind in [
        ClientKind::Native,
        ClientKind::Binding,
        ClientKind::Wrapper,
        ClientKind::Framework,
        ClientKind::Bridge,
        ClientKind::Tool,
    ] {
        let of_kind: Vec<&Client> = living.iter().copied().filter(|client| client.kind == kind).collect();
        if !of_kind.is_empty() {
            told.push(kind_told(model, kind, &of_kind));
        }
    }
    let told = list_words(&told);
    match told.strip_prefix("one ").filter(|_| living.len() == 1) {
        Some(does) => format!("One living client, which {does}.{rest}"),
        None => format!("{} living clients: {told}.{rest}", capital(&count_words(living.len()))),
    }
}

fn kind_told<'m>(model: &Model<'m>, kind: ClientKind, clients: &[&'m Client]) -> String {
    let count = count_words(clients.len());
    let mut engines: Vec<String> =
        clients.iter().copied().filter_map(|client| model.engine(client)).map(|engine| engine.name.clone()).collect();
    engines.sort();
    engines.dedup();
    let one = clients.len() == 1;
    let on = if engines.is_empty() { String::new() } else { format!(" {}", list_words(&engines)) };
    match (kind, one) {
        (ClientKind::Native, true) => format!("{count} speaks the protocol itself"),
        (ClientKind::Native, false) => format!("{count} speak the protocol themselves"),
        (ClientKind::Binding, true) => format!("{count} binds{}", if on.is_empty() { " an engine" } else { &on }),
        (ClientKind::Binding, false) => format!("{count} bind{}", if on.is_empty() { " an engine" } else { &on }),
        (ClientKind::Wrapper, true) => format!("{count} wraps{}", if on.is_empty() { " a client" } else { &on }),
        (ClientKind::Wrapper, false) => format!("{count} wrap{}", if on.is_empty() { " a client" } else { &on }),
        (ClientKind::Framework, true) => format!("{count} is a framework"),
        (ClientKind::Framework, false) => format!("{count} are frameworks"),
        (ClientKind::Bridge, true) => format!("{count} is a bridge"),
        (ClientKind::Bridge, false) => format!("{count} are bridges"),
        (ClientKind::Tool, true) => format!("{count} is a tool"),
        (ClientKind::Tool, false) => format!("{count} are tools"),
    }
}

fn levels<'m>(model: &Model<'m>, clients: &[&'m Client]) -> Vec<LevelRows<'m>> {
    model
        .catalogue
        .levels
        .iter()
        .map(|level| {
            let mut sums = vec![0; clients.len()];
            let mut rows = Vec::with_capacity(level.features.len());
            for feature in level.features.iter().filter_map(|id| model.catalogue.features.get(id)) {
                let mut cells = Vec::with_capacity(clients.len());
                for (client, sum) in clients.iter().zip(&mut sums) {
                    let cell = model.cell(client, feature);
                    let state = cell.map_or(State::Unknown, |cell| cell.state);
                    *sum += usize::from(is_there(state));
                    cells.push(glance(model, client, state, cell));
                }
                rows.push(Row { id: feature.id.as_str(), title: &feature.title, meaning: &feature.meaning, cells });
            }
            LevelRows { id: level.id.as_str(), title: &level.title, sums, total: rows.len(), rows }
        })
        .collect()
}

/// Proven, claimed or inherited.
pub(super) fn is_there(state: State) -> bool {
    matches!(state, State::Proven | State::ProvenAgeing | State::Claimed | State::Inherited)
}

fn glance<'m>(model: &Model<'m>, client: &Client, state: State, cell: Option<&'m crate::matrix::Cell<'m>>) -> GlanceCell<'m> {
    let Mark { mark, word } = state.into();
    let claimed = cell.and_then(|cell| cell.claim.as_ref());
    GlanceCell {
        mark,
        word,
        engine: claimed
            .and_then(|claimed| claimed.from)
            .filter(|id| client.based_on.as_ref() != Some(*id))
            .and_then(|id| model.catalogue.clients.get(id))
            .map(|engine| engine.name.as_str()),
        source: claimed.map(|claimed| model.seen(&claimed.claim.source)),
        since: claimed.and_then(|claimed| claimed.claim.since.as_ref()).map(|version| version.as_str()),
    }
}

fn examples<'m>(model: &Model<'m>, clients: &[&'m Client]) -> Vec<ExampleTabs<'m>> {
    super::example::in_order(model)
        .into_iter()
        .map(|example| ExampleTabs {
            id: example.id.as_str(),
            title: &example.title,
            summary: &example.summary,
            tabs: clients.iter().copied().filter_map(|client| model.tab(client, example)).take(ABREAST_MAX).collect(),
            missing: clients
                .iter()
                .copied()
                .filter(|client| client.status.value.is_living() && !client.examples.contains_key(&example.id))
                .take(ABREAST_MAX)
                .map(Link::client)
                .collect(),
        })
        .collect()
}
