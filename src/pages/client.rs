//! `/clients/<id>/`: one client in full.

use super::cell::Told;
use super::clients::{Standing, kind_words};
use super::frame::{Frame, Link, Mark, Markup, Seen};
use super::strip::{Strip, strip};
use super::{Model, When};
use crate::catalogue::{Client, Feature, Release};
use crate::matrix::{Cell, Row, State};
use crate::results::{Filed, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// `client.html`.
#[derive(Debug, Serialize)]
pub struct ClientPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Its id.
    pub id: &'m str,
    /// Its name.
    pub name: &'m str,
    /// One sentence.
    pub summary: &'m str,
    /// The newest release.
    pub version: Option<&'m str>,
    /// `active`, `maintenance`, `dormant`, `archived`.
    pub status: &'static str,
    /// Active or in maintenance.
    pub living: bool,
    /// Why.
    pub reason: &'m str,
    /// Where that can be seen.
    pub reason_source: Seen<'m>,
    /// How far up the levels it has come.
    pub level: Standing<'m>,
    /// One command.
    pub install: Option<&'m str>,
    /// All features in small.
    pub strip: Strip,
    /// Whether the kit ever ran it.
    pub was_run: bool,
    /// Where claim and proof disagree.
    pub contradictions: Vec<Told<'m>>,
    /// Facts.
    pub facts: Facts<'m>,
    /// The standard examples.
    pub examples: Vec<Program<'m>>,
    /// One command before they can run.
    pub example_setup: Option<&'m str>,
    /// The standard examples it lacks.
    pub examples_missing: Vec<Link<'m>>,
    /// The levels, in their order.
    pub ladder: Vec<Rung<'m>>,
    /// The features.
    pub groups: Vec<FeatureGroup<'m>>,
    /// Engines that claims are inherited from.
    pub inherits_from: Vec<Link<'m>>,
    /// What bites.
    pub pitfalls: Vec<PitfallTold<'m>>,
    /// The client's own prose.
    pub notes: Option<Markup<'m>>,
    /// Runs of the kit, newest first.
    pub results: Vec<ResultRow<'m>>,
    /// The badge's full address.
    pub badge: String,
    /// The page's full address.
    pub url: String,
}

/// What is known of a client beside its features.
#[derive(Debug, Serialize)]
pub struct Facts<'m> {
    /// Who keeps it.
    pub maintainer: Option<&'m str>,
    /// An SPDX expression.
    pub license: &'m str,
    /// `native`, `binding`, …
    pub kind: &'static str,
    /// What that means.
    pub kind_words: &'static str,
    /// What it is built on.
    pub engine: Option<Link<'m>>,
    /// What is built on it.
    pub built_on_it: Vec<Link<'m>>,
    /// Its languages.
    pub languages: Vec<Link<'m>>,
    /// When it began.
    pub first: Option<ReleaseTold<'m>>,
    /// The newest release.
    pub latest: Option<ReleaseTold<'m>>,
    /// The oldest broker it claims to work with.
    pub brokers_from: Option<&'m str>,
    /// The newest.
    pub brokers_to: Option<&'m str>,
    /// What else is said of brokers.
    pub brokers_note: Option<&'m str>,
    /// Where that is said; `None`: nothing is said of brokers.
    pub brokers_source: Option<Seen<'m>>,
    /// Package pages; an empty address where the registry is unknown.
    pub packages: Vec<Link<'m>>,
    /// Its source.
    pub repository: &'m str,
    /// Its manual.
    pub documentation: Option<&'m str>,
    /// The day a person last checked the facts.
    pub checked: When,
    /// That day is long ago.
    pub checked_long_ago: bool,
}

/// A release.
#[derive(Debug, Serialize)]
pub struct ReleaseTold<'m> {
    /// Its version.
    pub version: Option<&'m str>,
    /// Its day.
    pub date: Option<When>,
    /// Where that can be seen.
    pub source: Seen<'m>,
}

/// A standard example in one client.
#[derive(Debug, Serialize)]
pub struct Program<'m> {
    /// The example's id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// One line.
    pub summary: &'m str,
    /// The file, below the client's folder.
    pub file: &'m str,
    /// The code, highlighted.
    pub code: Markup<'m>,
    /// How it runs.
    pub run: Option<&'m str>,
    /// What it must print.
    pub output: &'m [String],
}

/// A level, and what is missing.
#[derive(Debug, Serialize)]
pub struct Rung<'m> {
    /// The level's id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// Reached together with all before it.
    pub reached: bool,
    /// How many of its features are proven.
    pub proven: usize,
    /// How many are proven, claimed or inherited.
    pub claimed: usize,
    /// How many there are.
    pub total: usize,
    /// How many are unknown.
    pub unknown: usize,
    /// Those of which something else is known than that they are there.
    pub lacking: Vec<Lack<'m>>,
}

/// A feature that is missing.
#[derive(Debug, Serialize)]
pub struct Lack<'m> {
    /// Its id.
    pub id: &'m str,
    /// Its title.
    pub title: &'m str,
    /// The class of its state.
    pub mark: &'static str,
    /// The word.
    pub word: &'static str,
}

/// A group of features of one client.
#[derive(Debug, Serialize)]
pub struct FeatureGroup<'m> {
    /// Its title.
    pub title: &'m str,
    /// Those of which something is known.
    pub rows: Vec<Told<'m>>,
    /// Those of which nobody has said anything: id and title.
    pub unknown: Vec<(&'m str, &'m str)>,
}

/// What bites.
#[derive(Debug, Serialize)]
pub struct PitfallTold<'m> {
    /// Short.
    pub title: &'m str,
    /// One to three sentences.
    pub detail: &'m str,
    /// Where that can be seen.
    pub source: Seen<'m>,
}

/// One run of the kit.
#[derive(Debug, Serialize)]
pub struct ResultRow<'m> {
    /// The client's version.
    pub version: &'m str,
    /// The broker.
    pub broker: String,
    /// The day.
    pub date: &'m str,
    /// Scenarios that passed.
    pub passed: usize,
    /// Scenarios in all.
    pub total: usize,
    /// `1 fail, 6 unsupported`.
    pub others: String,
}

pub(super) fn view<'m>(model: &Model<'m>, client: &'m Client) -> ClientPage<'m> {
    let row = model.row(client);
    let base = model.catalogue.settings.base_url.as_str();
    let (examples, examples_missing) = programs(model, client);
    let (groups, inherits_from) = feature_groups(model, row);
    ClientPage {
        page: frame(model, client),
        id: client.id.as_str(),
        name: &client.name,
        summary: &client.summary,
        version: client.latest_release.as_ref().and_then(|release| release.version.as_ref()).map(|version| version.as_str()),
        status: client.status.value.word(),
        living: client.status.value.is_living(),
        reason: &client.status.reason,
        reason_source: model.seen(&client.status.source),
        level: model.standing(client),
        install: client.install.as_deref(),
        strip: strip(model.catalogue, row),
        was_run: row.is_some_and(|row| !row.reports.is_empty()),
        contradictions: contradictions(model, row),
        facts: facts(model, client),
        examples,
        example_setup: client.example_setup.as_deref(),
        examples_missing,
        ladder: ladder(model, row),
        groups,
        inherits_from,
        pitfalls: client
            .pitfalls
            .iter()
            .map(|pitfall| PitfallTold { title: &pitfall.title, detail: &pitfall.detail, source: model.seen(&pitfall.source) })
            .collect(),
        notes: client.notes.as_ref().and_then(|path| model.prose(path)).map(|prose| Markup::new(&prose.html)),
        results: row.map(|row| row.reports.iter().map(|filed| result_row(filed)).collect()).unwrap_or_default(),
        badge: format!("{base}clients/{}/badge.svg", client.id),
        url: format!("{base}clients/{}/", client.id),
    }
}

fn frame<'m>(model: &Model<'m>, client: &'m Client) -> Frame<'m> {
    let mut parents = vec![Link::new("Clients", "/clients/")];
    parents.extend(model.language_links(client).into_iter().next());
    Frame::new(format!("/clients/{}/", client.id), client.name.as_str(), client.summary.as_str())
        .from_file(model, &client.path)
        .with_twin()
        .below(parents)
}

fn facts<'m>(model: &Model<'m>, client: &'m Client) -> Facts<'m> {
    let checked_days = (model.matrix.as_of - client.checked.latest_day()).get_days();
    let brokers = client.brokers.as_ref();
    Facts {
        maintainer: client.maintainer.as_deref(),
        license: &client.license,
        kind: client.kind.word(),
        kind_words: kind_words(client.kind),
        engine: model.engine_of(client),
        built_on_it: model
            .by_engine
            .get(&client.id)
            .into_iter()
            .flatten()
            .take(super::NAMED_MAX)
            .map(|c| Link::client(c))
            .collect(),
        languages: model.language_links(client),
        first: client.first_release.as_ref().map(|release| release_told(model, release)),
        latest: client.latest_release.as_ref().map(|release| release_told(model, release)),
        brokers_from: brokers.and_then(|brokers| brokers.from.as_ref()).map(|version| version.as_str()),
        brokers_to: brokers.and_then(|brokers| brokers.to.as_ref()).map(|version| version.as_str()),
        brokers_note: brokers.and_then(|brokers| brokers.note.as_deref()),
        brokers_source: brokers.map(|brokers| model.seen(&brokers.source)),
        packages: client
            .packages
            .iter()
            .map(|purl| Link::new(purl.to_string(), model.package_page(purl).unwrap_or_default()))
            .collect(),
        repository: client.repository.as_str(),
        documentation: client.documentation.as_ref().map(|url| url.as_str()),
        checked: client.checked.into(),
        checked_long_ago: i64::from(checked_days) > i64::from(model.catalogue.settings.checked_days),
    }
}

fn release_told<'m>(model: &Model<'m>, release: &'m Release) -> ReleaseTold<'m> {
    ReleaseTold {
        version: release.version.as_ref().map(|version| version.as_str()),
        date: release.date.map(When::from),
        source: model.seen(&release.source),
    }
}

/// The examples a client has, and those it lacks.
fn programs<'m>(model: &Model<'m>, client: &'m Client) -> (Vec<Program<'m>>, Vec<Link<'m>>) {
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for example in super::example::in_order(model) {
        match model.program(client, example) {
            Some(program) => there.push(program),
            None => missing.push(Link::new(example.title.as_str(), format!("/examples/{}/", example.id))),
        }
    }
    (there, missing)
}

fn cell<'m>(row: Option<&'m Row<'m>>, feature: &Feature) -> Option<&'m Cell<'m>> {
    row.and_then(|row| row.cells.get(&feature.id))
}

fn contradictions<'m>(model: &Model<'m>, row: Option<&'m Row<'m>>) -> Vec<Told<'m>> {
    row.into_iter()
        .flat_map(|row| row.cells.values())
        .filter(|cell| cell.state == State::Contradicted)
        .filter_map(|cell| model.told(model.catalogue.features.get(cell.feature)?, cell))
        .collect()
}

fn ladder<'m>(model: &Model<'m>, row: Option<&'m Row<'m>>) -> Vec<Rung<'m>> {
    let mut reached_so_far = true;
    model
        .catalogue
        .levels
        .iter()
        .map(|level| {
            let mut rung = Rung {
                id: level.id.as_str(),
                title: &level.title,
                reached: false,
                proven: 0,
                claimed: 0,
                total: level.features.len(),
                unknown: 0,
                lacking: Vec::new(),
            };
            for feature in level.features.iter().filter_map(|id| model.catalogue.features.get(id)) {
                let state = cell(row, feature).map_or(State::Unknown, |cell| cell.state);
                match state {
                    State::Proven => rung.proven += 1,
                    State::ProvenAgeing | State::Claimed | State::Inherited => rung.claimed += 1,
                    State::Unknown => rung.unknown += 1,
                    _ => {
                        let Mark { mark, word } = state.into();
                        rung.lacking.push(Lack { id: feature.id.as_str(), title: &feature.title, mark, word });
                    }
                }
            }
            rung.claimed += rung.proven;
            reached_so_far &= rung.proven == rung.total;
            rung.reached = reached_so_far;
            rung
        })
        .collect()
}

/// The groups of features, and every engine that a claim was inherited from.
fn feature_groups<'m>(model: &Model<'m>, row: Option<&'m Row<'m>>) -> (Vec<FeatureGroup<'m>>, Vec<Link<'m>>) {
    let mut engines: Vec<Link<'m>> = Vec::new();
    let mut groups = Vec::with_capacity(model.catalogue.groups.len());
    for group in &model.catalogue.groups {
        let mut told_group = FeatureGroup { title: &group.title, rows: Vec::new(), unknown: Vec::new() };
        for feature in group.features.iter().filter_map(|id| model.catalogue.features.get(id)) {
            match cell(row, feature).and_then(|cell| model.told(feature, cell)) {
                Some(told) => {
                    if let Some(engine) = &told.engine
                        && !engines.contains(engine)
                    {
                        engines.push(engine.clone());
                    }
                    told_group.rows.push(told);
                }
                None => told_group.unknown.push((feature.id.as_str(), feature.title.as_str())),
            }
        }
        groups.push(told_group);
    }
    (groups, engines)
}

fn result_row(filed: &Filed) -> ResultRow<'_> {
    let report = &filed.report;
    let mut by_outcome: BTreeMap<Outcome, usize> = BTreeMap::new();
    for outcome in &report.outcomes {
        *by_outcome.entry(outcome.outcome).or_default() += 1;
    }
    let others: Vec<String> = by_outcome
        .iter()
        .filter(|(outcome, _)| **outcome != Outcome::Pass)
        .map(|(outcome, count)| format!("{count} {}", outcome.word()))
        .collect();
    ResultRow {
        version: &report.client.version,
        broker: format!("{} {}", report.broker.name, report.broker.version),
        date: report.date.get(..10).unwrap_or(&report.date),
        passed: by_outcome.get(&Outcome::Pass).copied().unwrap_or(0),
        total: report.outcomes.len(),
        others: others.join(", "),
    }
}
