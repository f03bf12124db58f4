//! `/examples/` and `/examples/<e>/`: the same program in every language.

use super::client::Program;
use super::frame::{Frame, Link, Markup};
use super::{ABREAST_MAX, Model};
use crate::catalogue::{Client, Example};
use serde::Serialize;

/// `/examples/`.
#[derive(Debug, Serialize)]
pub struct ExamplesPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// In their order.
    pub examples: Vec<ExampleEntry<'m>>,
}

/// An example in the list.
#[derive(Debug, Serialize)]
pub struct ExampleEntry<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
    /// How many clients have it.
    pub count: usize,
    /// By language, the clients that have it.
    pub languages: Vec<LanguagePrograms<'m>>,
}

/// The clients of a language that have an example.
#[derive(Debug, Serialize)]
pub struct LanguagePrograms<'m> {
    /// The language's name, linked to its part of the example's page.
    pub language: Link<'m>,
    /// The clients, linked to their example.
    pub clients: Vec<Link<'m>>,
}

/// `/examples/<e>/`.
#[derive(Debug, Serialize)]
pub struct ExamplePage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Its id.
    pub id: &'m str,
    /// One line.
    pub summary: &'m str,
    /// What every program must do.
    pub body: Option<Markup<'m>>,
    /// What every program must print.
    pub output: &'m [String],
    /// By language.
    pub languages: Vec<LanguageTabs<'m>>,
    /// Living clients without it.
    pub missing: Vec<Link<'m>>,
    /// How many living clients are without it.
    pub missing_count: usize,
}

/// The programs of one language.
#[derive(Debug, Serialize)]
pub struct LanguageTabs<'m> {
    /// The language's id.
    pub id: &'m str,
    /// The language.
    pub name: &'m str,
    /// One for each client.
    pub tabs: Vec<Tab<'m>>,
    /// Further clients that have it, on the language's page.
    pub more: usize,
}

/// A client's program.
#[derive(Debug, Serialize)]
pub struct Tab<'m> {
    /// The client's id.
    pub client: &'m str,
    /// The client's name.
    pub name: &'m str,
    /// `active`, …
    pub status: &'static str,
    /// One command before it can run.
    pub setup: Option<&'m str>,
    /// The program.
    pub program: Program<'m>,
}

/// Examples in their order.
pub(super) fn in_order<'m>(model: &Model<'m>) -> Vec<&'m Example> {
    let mut examples: Vec<&Example> = model.catalogue.examples.values().collect();
    examples.sort_by(|a, b| a.order.cmp(&b.order).then_with(|| a.id.cmp(&b.id)));
    examples
}

impl<'m> Model<'m> {
    /// A client's program for an example.
    pub(super) fn program(&self, client: &'m Client, example: &'m Example) -> Option<Program<'m>> {
        let file = client.examples.get(&example.id)?;
        let code = self.texts.code.get(&file.path)?;
        let folder = client.path.parent()?;
        Some(Program {
            id: example.id.as_str(),
            title: &example.title,
            summary: &example.summary,
            file: file.path.strip_prefix(folder).unwrap_or(&file.path).as_str(),
            code: Markup::new(code),
            run: client.example_run.get(&example.id).map(String::as_str),
            output: &example.output,
        })
    }

    /// A client's program for an example, as a tab.
    pub(super) fn tab(&self, client: &'m Client, example: &'m Example) -> Option<Tab<'m>> {
        Some(Tab {
            client: client.id.as_str(),
            name: &client.name,
            status: client.status.value.word(),
            setup: client.example_setup.as_deref().or(client.install.as_deref()),
            program: self.program(client, example)?,
        })
    }
}

pub(super) fn index<'m>(model: &Model<'m>) -> ExamplesPage<'m> {
    let examples = in_order(model).into_iter().map(|example| entry(model, example)).collect();
    let page = Frame::new("/examples/", "Examples", "Small programs in one standard form, repeated for every client.")
        .with_twin()
        .below(Vec::new());
    ExamplesPage { page, examples }
}

fn entry<'m>(model: &Model<'m>, example: &'m Example) -> ExampleEntry<'m> {
    let mut languages = Vec::new();
    for language in model.languages.iter().copied() {
        let clients: Vec<Link<'m>> = model
            .clients_of(language)
            .iter()
            .filter(|client| language_of(client, example) == Some(&language.id))
            .take(ABREAST_MAX)
            .map(|client| Link::new(client.name.as_str(), format!("/examples/{}/#in-{}", example.id, client.id)))
            .collect();
        if !clients.is_empty() {
            let link = Link::new(language.name.as_str(), format!("/examples/{}/#language-{}", example.id, language.id));
            languages.push(LanguagePrograms { language: link, clients });
        }
    }
    let count = model.catalogue.clients.values().filter(|client| client.examples.contains_key(&example.id)).count();
    ExampleEntry { id: example.id.as_str(), title: &example.title, summary: &example.summary, count, languages }
}

/// The language an example is written in: that of its file, or the client's first.
fn language_of<'c>(client: &'c Client, example: &Example) -> Option<&'c crate::catalogue::LanguageId> {
    let file = client.examples.get(&example.id)?;
    file.language.as_ref().or(client.languages.first())
}

pub(super) fn view<'m>(model: &Model<'m>, example: &'m Example) -> ExamplePage<'m> {
    let mut languages = Vec::new();
    for language in model.languages.iter().copied() {
        let mut clients =
            model.clients_of(language).iter().copied().filter(|client| language_of(client, example) == Some(&language.id));
        let tabs: Vec<Tab<'m>> = clients.by_ref().filter_map(|client| model.tab(client, example)).take(ABREAST_MAX).collect();
        if !tabs.is_empty() {
            languages.push(LanguageTabs { id: language.id.as_str(), name: &language.name, tabs, more: clients.count() });
        }
    }
    let without = || {
        model
            .by_name
            .iter()
            .copied()
            .filter(|client| client.status.value.is_living() && !client.examples.contains_key(&example.id))
    };
    let page = Frame::new(format!("/examples/{}/", example.id), example.title.as_str(), example.summary.as_str())
        .from_file(model, &example.path)
        .with_twin()
        .below(vec![Link::new("Examples", "/examples/")]);
    ExamplePage {
        page,
        id: example.id.as_str(),
        summary: &example.summary,
        body: model.prose(&example.path).map(|prose| Markup::new(&prose.html)),
        output: &example.output,
        languages,
        missing: without().take(super::NAMED_MAX).map(Link::client).collect(),
        missing_count: without().count(),
    }
}
