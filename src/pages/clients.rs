//! `/clients/`, and the row that stands for a client in every list.

use super::frame::{Frame, Link, Seen, age_short, count_words};
use super::strip::{Strip, strip};
use super::{Model, ROWS_MAX, When, part_address};
use crate::catalogue::{Client, ClientKind};
use serde::Serialize;

/// A client in a list.
#[derive(Debug, Serialize)]
pub struct ClientRow<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// One sentence.
    pub summary: &'m str,
    /// `active`, `maintenance`, `dormant`, `archived`.
    pub status: &'static str,
    /// Why.
    pub reason: &'m str,
    /// Where that can be seen.
    pub reason_source: Seen<'m>,
    /// The newest release.
    pub version: Option<&'m str>,
    /// Its day.
    pub released: Option<When>,
    /// `native`, `binding`, …
    pub kind: &'static str,
    /// What that means: `speaks the protocol itself`.
    pub kind_words: &'static str,
    /// The engine it is built on.
    pub engine: Option<Link<'m>>,
    /// An SPDX expression.
    pub license: &'m str,
    /// Where it stands, if it was ever run.
    pub level: Standing<'m>,
    /// All features in small.
    pub strip: Strip,
    /// Its languages.
    pub languages: Vec<Link<'m>>,
}

/// How far up the levels a client has come.
#[derive(Debug, Clone, Serialize)]
pub struct Standing<'m> {
    /// 0: none; otherwise the place of the level among the levels.
    pub step: usize,
    /// The level's title; `never run` or `no level yet` otherwise.
    pub word: &'m str,
    /// Age of the newest proof.
    pub age: Option<String>,
}

impl<'m> Model<'m> {
    /// A client's row.
    pub(super) fn client_row(&self, client: &'m Client) -> ClientRow<'m> {
        ClientRow {
            id: client.id.as_str(),
            name: &client.name,
            summary: &client.summary,
            status: client.status.value.word(),
            reason: &client.status.reason,
            reason_source: self.seen(&client.status.source),
            version: client.latest_release.as_ref().and_then(|release| release.version.as_ref()).map(|version| version.as_str()),
            released: client.latest_release.as_ref().and_then(|release| release.date).map(When::from),
            kind: client.kind.word(),
            kind_words: kind_words(client.kind),
            engine: self.engine_of(client),
            license: &client.license,
            level: self.standing(client),
            strip: strip(self.catalogue, self.row(client)),
            languages: self.language_links(client),
        }
    }

    /// The link to a client's engine.
    pub(super) fn engine_of(&self, client: &'m Client) -> Option<Link<'m>> {
        client.based_on.as_ref().and_then(|id| self.catalogue.clients.get(id)).map(Link::client)
    }

    /// How far up the levels a client has come.
    pub(super) fn standing(&self, client: &'m Client) -> Standing<'m> {
        let Some(row) = self.row(client) else { return Standing { step: 0, word: "never run", age: None } };
        let at = row.level.and_then(|id| self.catalogue.levels.iter().position(|level| level.id == *id));
        let age = row.last_proof.map(|day| {
            let days = (self.matrix.as_of - day).get_days();
            age_short(u32::try_from(days).unwrap_or(0))
        });
        match at {
            Some(at) => Standing { step: at + 1, word: &self.catalogue.levels[at].title, age },
            None if row.reports.is_empty() => Standing { step: 0, word: "never run", age: None },
            None => Standing { step: 0, word: "no level yet", age },
        }
    }
}

/// What a kind means, as the end of a sentence.
pub(super) fn kind_words(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::Native => "speaks the protocol itself",
        ClientKind::Binding => "a thin layer over an engine",
        ClientKind::Wrapper => "another interface to a client",
        ClientKind::Framework => "a framework on top of a client",
        ClientKind::Bridge => "a proxy that speaks another protocol",
        ClientKind::Tool => "a command-line tool",
    }
}

/// `/clients/`.
#[derive(Debug, Serialize)]
pub struct ClientsPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// One sentence.
    pub lead: String,
    /// By the first of their languages.
    pub groups: Vec<LanguageGroup<'m>>,
    /// The other parts of the list.
    pub parts: Parts,
}

/// The clients of a language.
#[derive(Debug, Serialize)]
pub struct LanguageGroup<'m> {
    /// The language's id.
    pub id: &'m str,
    /// The language.
    pub language: Link<'m>,
    /// Living first.
    pub rows: Vec<ClientRow<'m>>,
}

/// Which part of a long list a page shows.
#[derive(Debug, Clone, Serialize)]
pub struct Parts {
    /// From 1.
    pub number: usize,
    /// How many there are; 1 for a list that is whole.
    pub total: usize,
    /// All of them, with their addresses; empty when there is one.
    pub links: Vec<Link<'static>>,
}

impl Parts {
    /// The parts of a list of `count` rows whose first page stands at `first`.
    pub fn new(first: &str, number: usize, count: usize) -> Parts {
        let total = super::parts(count);
        let links = match total {
            1 => Vec::new(),
            _ => (1..=total).map(|part| Link::new(part.to_string(), part_address(first, part))).collect(),
        };
        Parts { number, total, links }
    }

    /// The rows of this part.
    pub fn slice<'s, T>(&self, rows: &'s [T]) -> &'s [T] {
        let start = ((self.number - 1) * ROWS_MAX).min(rows.len());
        &rows[start..(start + ROWS_MAX).min(rows.len())]
    }
}

/// Every client once, under the first of its languages, in the order of the languages.
pub(super) fn in_order<'m>(model: &Model<'m>) -> Vec<&'m Client> {
    let mut clients = Vec::with_capacity(model.catalogue.clients.len());
    for language in &model.languages {
        clients.extend(model.clients_of(language).iter().filter(|client| client.languages.first() == Some(&language.id)));
    }
    clients
}

pub(super) fn view<'m>(model: &Model<'m>, part: usize) -> ClientsPage<'m> {
    let clients = in_order(model);
    let parts = Parts::new("/clients/", part, clients.len());
    let mut groups: Vec<LanguageGroup<'m>> = Vec::new();
    for client in parts.slice(&clients).iter().copied() {
        let Some(language) = client.languages.first().and_then(|id| model.catalogue.languages.get(id)) else { continue };
        if groups.last().is_none_or(|group| group.id != language.id.as_str()) {
            let link = Link::new(language.name.as_str(), format!("/languages/{}/", language.id));
            groups.push(LanguageGroup { id: language.id.as_str(), language: link, rows: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.rows.push(model.client_row(client));
        }
    }
    let living = clients.iter().filter(|client| client.status.value.is_living()).count();
    let lead = format!(
        "{} clients: {} living, which means active or in maintenance, and {} at rest.",
        clients.len(),
        count_words(living),
        count_words(clients.len() - living)
    );
    let subject = &model.catalogue.settings.subject;
    let title = if part == 1 { "Clients".to_owned() } else { format!("Clients, part {part} of {}", parts.total) };
    let page = Frame::new(
        part_address("/clients/", part),
        title,
        format!("Every client for {subject}, by language: status, kind, engine, newest release and features."),
    );
    let page = if part == 1 { page.with_twin().below(Vec::new()) } else { page.below(vec![Link::new("Clients", "/clients/")]) };
    ClientsPage { page, lead, groups, parts }
}
