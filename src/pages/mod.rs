//! Which pages exist, their addresses, and what each shows: one plain struct per template, without any HTML.
//!
//! [`list`] names every page; [`Page::view`] makes what its template (or its JSON) shows. Views are functions of the
//! [`Model`] alone, so that equal views mean equal pages. Long lists are cut at [`ROWS_MAX`] and friends: a page's weight and
//! the work for it stay bounded while the book grows.

mod badge;
mod cell;
mod changes;
mod client;
mod clients;
mod compare;
mod example;
mod feature;
mod frame;
mod guides;
mod home;
mod language;
mod search;
mod strip;
mod twin;

pub use badge::Badge;
pub use cell::{ProofTold, Told};
pub use changes::{Change, ChangesPage, changes, feed_entries};
pub use client::ClientPage;
pub use clients::{ClientRow, ClientsPage};
pub use compare::ComparePage;
pub use example::{ExamplePage, ExamplesPage};
pub use feature::{FeaturePage, FeaturesPage};
pub use frame::{Frame, Link, Mark, Markup, STATES, Seen, When, age_short, age_words};
pub use guides::{AliasPage, GuidePage, LevelsPage, NotFoundPage};
pub use home::HomePage;
pub use language::{LanguagePage, LanguagesPage};
pub use search::{Entry, SearchPage, entries};
pub use twin::{Data, DataView};

use crate::catalogue::{Catalogue, Client, ClientId, ClientKind, Example, Feature, Language, LanguageId};
use crate::guide::{Guide, Html, Prose};
use crate::matrix::{Matrix, Row};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most rows of a list on one page; longer lists go on at `page_2/`, `page_3/` …
pub const ROWS_MAX: usize = 200;
/// The most columns of a comparison.
pub const COLUMNS_MAX: usize = 60;
/// The most clients of a language whose features and examples stand on its page.
pub const ABREAST_MAX: usize = 12;
/// The most clients named for one state of a feature.
pub const NAMED_MAX: usize = 100;
/// The most dated facts on one page and in the feeds.
pub const CHANGES_MAX: usize = 300;

/// The finished texts that pages show, by the path of the file they come from.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// Bodies of features, examples and scenarios, and notes.
    pub prose: BTreeMap<Utf8PathBuf, Prose>,
    /// Example programs, highlighted.
    pub code: BTreeMap<Utf8PathBuf, Html>,
}

/// Everything that pages are made from.
#[derive(Debug)]
pub struct Model<'m> {
    /// What the input says.
    pub catalogue: &'m Catalogue,
    /// What is known of it on one day.
    pub matrix: &'m Matrix<'m>,
    /// The guides.
    pub guides: &'m [Guide],
    /// The finished texts.
    pub texts: &'m Texts,
    /// Every client, by name.
    by_name: Vec<&'m Client>,
    /// Clients by language: living first, nearest to the protocol first, then by name.
    by_language: BTreeMap<&'m LanguageId, Vec<&'m Client>>,
    /// Clients by the engine that they are built on, by name.
    by_engine: BTreeMap<&'m ClientId, Vec<&'m Client>>,
    /// Languages by order and name.
    languages: Vec<&'m Language>,
}

impl<'m> Model<'m> {
    /// Sorts what the pages ask for again and again.
    pub fn new(catalogue: &'m Catalogue, matrix: &'m Matrix<'m>, guides: &'m [Guide], texts: &'m Texts) -> Model<'m> {
        let mut by_name: Vec<&Client> = catalogue.clients.values().collect();
        by_name.sort_by_cached_key(|client| sort_name(&client.name));
        let mut by_language: BTreeMap<&LanguageId, Vec<&Client>> = BTreeMap::new();
        let mut by_engine: BTreeMap<&ClientId, Vec<&Client>> = BTreeMap::new();
        for client in &by_name {
            for language in &client.languages {
                by_language.entry(language).or_default().push(client);
            }
            if let Some(engine) = &client.based_on {
                by_engine.entry(engine).or_default().push(client);
            }
        }
        for clients in by_language.values_mut() {
            clients.sort_by_key(|client| (!client.status.value.is_living(), distance(client.kind)));
        }
        let mut languages: Vec<&Language> = catalogue.languages.values().collect();
        languages.sort_by_cached_key(|language| (language.order, sort_name(&language.name)));
        Model { catalogue, matrix, guides, texts, by_name, by_language, by_engine, languages }
    }

    /// The clients of a language.
    fn clients_of(&self, language: &Language) -> &[&'m Client] {
        self.by_language.get(&language.id).map_or(&[], Vec::as_slice)
    }

    /// What is known of a client; `None` only if the matrix was merged from another catalogue.
    fn row(&self, client: &Client) -> Option<&'m Row<'m>> {
        self.matrix.clients.get(&client.id)
    }

    fn prose(&self, path: &Utf8Path) -> Option<&'m Prose> {
        self.texts.prose.get(path).filter(|prose| !prose.html.as_str().trim().is_empty())
    }

    /// Whether any client was ever run by the kit.
    fn has_results(&self) -> bool {
        self.matrix.clients.values().any(|row| !row.reports.is_empty())
    }

    fn language_links(&self, client: &'m Client) -> Vec<Link<'m>> {
        client
            .languages
            .iter()
            .filter_map(|id| self.catalogue.languages.get(id))
            .map(|language| Link::new(language.name.as_str(), format!("/languages/{}/", language.id)))
            .collect()
    }
}

/// Case and leading signs (`@scope/name`) do not count in an alphabet.
fn sort_name(name: &str) -> String {
    name.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// How far a client stands from the protocol, for listings.
fn distance(kind: ClientKind) -> u8 {
    match kind {
        ClientKind::Native => 0,
        ClientKind::Binding => 1,
        ClientKind::Wrapper => 2,
        ClientKind::Framework => 3,
        ClientKind::Bridge => 4,
        ClientKind::Tool => 5,
    }
}

/// A page that exists. Small: it only says which.
#[derive(Debug, Clone, Copy)]
pub enum Page<'m> {
    /// `/`
    Home,
    /// `/languages/`
    Languages,
    /// `/languages/<l>/`, and `page_2/` … below it.
    Language(&'m Language, usize),
    /// `/clients/`, and `page_2/` … below it.
    Clients(usize),
    /// `/clients/<id>/`
    Client(&'m Client),
    /// `/clients/<old id>/`
    Alias(&'m ClientId, &'m Client),
    /// `/features/`
    Features,
    /// `/features/<f>/`
    Feature(&'m Feature),
    /// `/levels/`
    Levels,
    /// `/compare/`, `/compare/<l>/`
    Compare(Option<&'m Language>),
    /// `/examples/`
    Examples,
    /// `/examples/<e>/`
    Example(&'m Example),
    /// `/changes/`
    Changes,
    /// `/search/`
    Search,
    /// A guide's own address.
    Guide(&'m Guide),
    /// `/404.html`
    NotFound,
    /// `/clients/<id>/badge.svg`
    Badge(&'m Client),
    /// The same as data.
    Data(Data<'m>),
}

/// How a page's bytes are made from its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The view fills this template.
    Template(&'static str),
    /// The view is written as JSON.
    Json,
    /// The view is the text itself.
    Text,
}

/// Every page, in no particular order.
pub fn list<'m>(model: &Model<'m>) -> Vec<Page<'m>> {
    let catalogue = model.catalogue;
    let mut pages = vec![
        Page::Home,
        Page::Languages,
        Page::Features,
        Page::Levels,
        Page::Compare(None),
        Page::Examples,
        Page::Changes,
        Page::Search,
        Page::NotFound,
    ];
    pages.extend((1..=parts(catalogue.clients.len())).map(Page::Clients));
    for language in model.languages.iter().copied() {
        let count = model.clients_of(language).len();
        if count > 0 {
            pages.extend((1..=parts(count)).map(|part| Page::Language(language, part)));
            pages.push(Page::Compare(Some(language)));
            pages.push(Page::Data(Data::Language(language)));
        }
    }
    for client in catalogue.clients.values() {
        pages.extend([Page::Client(client), Page::Badge(client), Page::Data(Data::Client(client))]);
        pages.extend(client.aliases.iter().map(|alias| Page::Alias(alias, client)));
    }
    for feature in catalogue.features.values() {
        pages.extend([Page::Feature(feature), Page::Data(Data::Feature(feature))]);
    }
    for example in catalogue.examples.values() {
        pages.extend([Page::Example(example), Page::Data(Data::Example(example))]);
    }
    pages.extend(model.guides.iter().map(Page::Guide));
    pages.extend(Data::WHOLE.into_iter().map(Page::Data));
    pages
}

/// How many pages a list of `count` rows takes.
fn parts(count: usize) -> usize {
    count.div_ceil(ROWS_MAX).max(1)
}

/// The address of a part of a list; ids hold no underscore, so that none can be called `page_2`.
fn part_address(first: &str, part: usize) -> String {
    if part <= 1 { first.to_owned() } else { format!("{first}page_{part}/") }
}

impl<'m> Page<'m> {
    /// The path from `/`.
    pub fn address(&self) -> String {
        match self {
            Page::Home => "/".to_owned(),
            Page::Languages => "/languages/".to_owned(),
            Page::Language(language, part) => part_address(&format!("/languages/{}/", language.id), *part),
            Page::Clients(part) => part_address("/clients/", *part),
            Page::Client(client) => format!("/clients/{}/", client.id),
            Page::Alias(alias, _) => format!("/clients/{alias}/"),
            Page::Features => "/features/".to_owned(),
            Page::Feature(feature) => format!("/features/{}/", feature.id),
            Page::Levels => "/levels/".to_owned(),
            Page::Compare(None) => "/compare/".to_owned(),
            Page::Compare(Some(language)) => format!("/compare/{}/", language.id),
            Page::Examples => "/examples/".to_owned(),
            Page::Example(example) => format!("/examples/{}/", example.id),
            Page::Changes => "/changes/".to_owned(),
            Page::Search => "/search/".to_owned(),
            Page::Guide(guide) => guide.address.clone(),
            Page::NotFound => "/404.html".to_owned(),
            Page::Badge(client) => format!("/clients/{}/badge.svg", client.id),
            Page::Data(data) => data.address(),
        }
    }

    /// How its bytes are made.
    pub fn form(&self) -> Form {
        Form::Template(match self {
            Page::Home => "home.html",
            Page::Languages => "languages.html",
            Page::Language(..) => "language.html",
            Page::Clients(_) => "clients.html",
            Page::Client(_) => "client.html",
            Page::Alias(..) => "alias.html",
            Page::Features => "features.html",
            Page::Feature(_) => "feature.html",
            Page::Levels => "levels.html",
            Page::Compare(_) => "compare.html",
            Page::Examples => "examples.html",
            Page::Example(_) => "example.html",
            Page::Changes => "changes.html",
            Page::Search => "search.html",
            Page::Guide(_) => "guide.html",
            Page::NotFound => "404.html",
            Page::Badge(_) => "badge.svg",
            Page::Data(Data::CompareTable) => return Form::Text,
            Page::Data(_) => return Form::Json,
        })
    }

    /// The input file that the page is about, for findings; `None` for listings.
    pub fn source(&self) -> Option<&'m Utf8Path> {
        match self {
            Page::Language(language, _) | Page::Compare(Some(language)) => Some(&language.path),
            Page::Client(client) | Page::Alias(_, client) | Page::Badge(client) => Some(&client.path),
            Page::Feature(feature) => Some(&feature.path),
            Page::Example(example) => Some(&example.path),
            Page::Guide(guide) => Some(&guide.path),
            _ => None,
        }
    }

    /// Whether it belongs into the sitemap: a page for readers, at its own address.
    pub fn is_listed(&self) -> bool {
        !matches!(self, Page::Alias(..) | Page::NotFound | Page::Badge(_) | Page::Data(_))
    }

    /// What it shows.
    pub fn view(&self, model: &Model<'m>) -> View<'m> {
        match *self {
            Page::Home => View::Home(Box::new(home::view(model))),
            Page::Languages => View::Languages(Box::new(language::index(model))),
            Page::Language(language, part) => View::Language(Box::new(language::view(model, language, part))),
            Page::Clients(part) => View::Clients(Box::new(clients::view(model, part))),
            Page::Client(client) => View::Client(Box::new(client::view(model, client))),
            Page::Alias(alias, client) => View::Alias(Box::new(guides::alias(alias, client))),
            Page::Features => View::Features(Box::new(feature::index(model))),
            Page::Feature(feature) => View::Feature(Box::new(feature::view(model, feature))),
            Page::Levels => View::Levels(Box::new(guides::levels(model))),
            Page::Compare(language) => View::Compare(Box::new(compare::view(model, language))),
            Page::Examples => View::Examples(Box::new(example::index(model))),
            Page::Example(example) => View::Example(Box::new(example::view(model, example))),
            Page::Changes => View::Changes(Box::new(changes::view(model))),
            Page::Search => View::Search(Box::new(search::view(model))),
            Page::Guide(guide) => View::Guide(Box::new(guides::view(model, guide))),
            Page::NotFound => View::NotFound(Box::new(guides::not_found())),
            Page::Badge(client) => View::Badge(badge::view(model, client)),
            Page::Data(data) => View::Data(data.view(model)),
        }
    }
}

/// What a page shows: the struct that documents its template.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each is documented by its struct")]
pub enum View<'m> {
    Home(Box<HomePage<'m>>),
    Languages(Box<LanguagesPage<'m>>),
    Language(Box<LanguagePage<'m>>),
    Clients(Box<ClientsPage<'m>>),
    Client(Box<ClientPage<'m>>),
    Alias(Box<AliasPage<'m>>),
    Features(Box<FeaturesPage<'m>>),
    Feature(Box<FeaturePage<'m>>),
    Levels(Box<LevelsPage<'m>>),
    Compare(Box<ComparePage<'m>>),
    Examples(Box<ExamplesPage<'m>>),
    Example(Box<ExamplePage<'m>>),
    Changes(Box<ChangesPage<'m>>),
    Search(Box<SearchPage<'m>>),
    Guide(Box<GuidePage<'m>>),
    NotFound(Box<NotFoundPage<'m>>),
    Badge(Badge<'m>),
    Data(twin::DataView<'m>),
}
