//! `/search/`: a list of everything that works without a script, and the entries of the search index.

use super::Model;
use super::frame::Frame;
use super::home::{Named, named};
use super::{Link, ROWS_MAX};
use crate::catalogue::LanguageKind;
use serde::Serialize;
use std::borrow::Cow;

/// `search.html`.
#[derive(Debug, Serialize)]
pub struct SearchPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Every client by name; empty when they are too many for one page.
    pub clients: Vec<Named<'m>>,
    /// How many clients there are.
    pub clients_total: usize,
    /// Everything else.
    pub kinds: Vec<Kind<'m>>,
}

/// All of one kind.
#[derive(Debug, Serialize)]
pub struct Kind<'m> {
    /// "Languages", "Features", …
    pub title: &'static str,
    /// In their order.
    pub links: Vec<Link<'m>>,
}

/// Something that can be found.
#[derive(Debug, Serialize)]
pub struct Entry<'m> {
    /// What is shown.
    pub title: Cow<'m, str>,
    /// The path from `/`.
    pub path: String,
    /// `client`, `language`, `interface`, `feature`, `level`, `example`, `guide`.
    pub kind: &'static str,
    /// One line that is shown and searched.
    pub text: Cow<'m, str>,
    /// Further words to find it by.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// Everything that can be found, languages and features first.
pub fn entries<'m>(model: &Model<'m>) -> Vec<Entry<'m>> {
    let catalogue = model.catalogue;
    let mut entries = Vec::with_capacity(catalogue.clients.len() + 128);
    for language in model.languages.iter().copied().filter(|language| !model.clients_of(language).is_empty()) {
        let clients = model.clients_of(language);
        entries.push(Entry {
            title: language.name.as_str().into(),
            path: format!("/languages/{}/", language.id),
            kind: if language.kind == LanguageKind::Language { "language" } else { "interface" },
            text: clients.iter().take(8).map(|client| client.name.as_str()).collect::<Vec<_>>().join(", ").into(),
            words: format!("{} {}", language.id, language.aliases.join(" ")),
        });
    }
    for feature in catalogue.groups.iter().flat_map(|group| &group.features).filter_map(|id| catalogue.features.get(id)) {
        let proposals: Vec<&str> = feature.proposals.iter().map(|proposal| proposal.id.as_str()).collect();
        entries.push(Entry {
            title: feature.title.as_str().into(),
            path: format!("/features/{}/", feature.id),
            kind: "feature",
            text: feature.meaning.as_str().into(),
            words: format!("{} {}", feature.id, proposals.join(" ")),
        });
    }
    entries.extend(catalogue.levels.iter().map(|level| Entry {
        title: level.title.as_str().into(),
        path: format!("/levels/#{}", level.id),
        kind: "level",
        text: level.summary.as_str().into(),
        words: String::new(),
    }));
    entries.extend(super::example::in_order(model).into_iter().map(|example| Entry {
        title: example.title.as_str().into(),
        path: format!("/examples/{}/", example.id),
        kind: "example",
        text: example.summary.as_str().into(),
        words: String::new(),
    }));
    entries.extend(model.guides.iter().map(|guide| Entry {
        title: guide.title.as_str().into(),
        path: guide.address.clone(),
        kind: "guide",
        text: guide.description.as_str().into(),
        words: guide.prose.headings.iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>().join(" "),
    }));
    entries.extend(model.by_name.iter().map(|client| {
        let languages: Vec<Cow<'_, str>> = model.language_links(client).into_iter().map(|link| link.text).collect();
        let packages: Vec<&str> = client.packages.iter().map(|purl| purl.name.as_str()).collect();
        let aliases: Vec<&str> = client.aliases.iter().map(|alias| alias.as_str()).collect();
        Entry {
            title: client.name.as_str().into(),
            path: format!("/clients/{}/", client.id),
            kind: "client",
            text: client.summary.as_str().into(),
            words: [client.id.as_str(), &languages.join(" "), &packages.join(" "), &aliases.join(" ")]
                .join(" ")
                .trim_end()
                .to_owned(),
        }
    }));
    entries
}

pub(super) fn view<'m>(model: &Model<'m>) -> SearchPage<'m> {
    let mut kinds: Vec<Kind<'m>> = Vec::new();
    for entry in entries(model) {
        let title = match entry.kind {
            "language" => "Languages",
            "interface" => "Without a library",
            "feature" => "Features",
            "level" => "Levels",
            "example" => "Examples",
            "guide" => "Guides",
            _ => continue,
        };
        let link = Link::new(entry.title, entry.path);
        match kinds.iter_mut().find(|kind| kind.title == title) {
            Some(kind) => kind.links.push(link),
            None => kinds.push(Kind { title, links: vec![link] }),
        }
    }
    for kind in &mut kinds {
        kind.links.truncate(ROWS_MAX);
    }
    let clients_total = model.by_name.len();
    let clients = if clients_total <= 2 * ROWS_MAX { named(model) } else { Vec::new() };
    let mut page = Frame::new("/search/", "Search", "Find a language, a client, a feature or a guide.").below(Vec::new());
    page.twin = Some("/search/index.json".to_owned());
    SearchPage { page, clients, clients_total, kinds }
}
