//! What entries say of each other: every id exists, nothing is in two places, and what an error leaves out takes along only
//! what cannot stand without it.
//!
//! An id is known when its file is there, even if the file is broken: the broken file has its own findings, and nobody who
//! refers to it is told that it does not exist.

mod clients;
mod examples;

use super::feature::{RawFeature, RawGroup, parse_markdown};
use super::folders::{ClientFolder, Folders};
use super::level::RawLevel;
use super::manifest::RawClient;
use super::scenario::RawScenario;
use super::settings::RawSettings;
use super::*;
use crate::diagnostic::{Code, Span, did_you_mean};
use crate::source::table::{quoted, shown};
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Every entry by itself; `None` stands for one that is there and broken.
pub(super) struct RawCatalogue<'t> {
    settings: Option<RawSettings>,
    languages: BTreeMap<LanguageId, Option<Language>>,
    /// `None`: the file is missing or broken.
    groups: Option<(Vec<RawGroup>, &'t Utf8Path)>,
    has_groups_file: bool,
    features: BTreeMap<FeatureId, (Option<RawFeature>, &'t Utf8Path)>,
    levels: Vec<RawLevel>,
    registries: BTreeMap<String, Option<Registry>>,
    examples: BTreeMap<ExampleId, Option<Example>>,
    scenarios: Vec<RawScenario>,
    clients: Vec<FiledClient<'t>>,
}

/// A client's folder and what is in it.
struct FiledClient<'t> {
    folder: ClientFolder<'t>,
    raw: RawClient,
    commands: example::RawCommands,
}

impl<'t> RawCatalogue<'t> {
    /// Reads every file by itself.
    pub fn read(
        folders: &Folders<'t>,
        parse: impl Fn(&SourceFile) -> (RawClient, Vec<Diagnostic>) + Sync,
    ) -> (RawCatalogue<'t>, Vec<Diagnostic>) {
        let mut findings = Vec::new();
        let mut keep = |more: Vec<Diagnostic>| findings.extend(more);
        let settings = folders.settings.map(|file| {
            let (settings, more) = settings::parse(file);
            keep(more);
            settings
        });
        let mut each = |more| keep(more);
        let languages = folders.languages.iter().map(|(id, file)| {
            let (language, more) = language::parse(id.clone(), file);
            each(more);
            (id.clone(), language)
        });
        let languages = languages.collect();
        let groups = folders.groups.and_then(|file| {
            let (groups, more) = feature::parse_groups(file);
            let broken = more.iter().any(|finding| finding.code.id == crate::source::codes::SYNTAX.id);
            keep(more);
            (!broken).then_some((groups, file.path.as_path()))
        });
        let (mut features, mut examples, mut scenarios) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for (id, file) in &folders.features {
            let (feature, more) = parse_markdown(file, feature::read);
            keep(more);
            features.insert(id.clone(), (feature, file.path.as_path()));
        }
        for (id, file) in &folders.examples {
            let (example, more) = parse_markdown(file, |table, body| example::read(id.clone(), table, body));
            keep(more);
            examples.insert(id.clone(), example);
        }
        for (id, file) in &folders.scenarios {
            let (scenario, more) = scenario::parse(id.clone(), file);
            keep(more);
            scenarios.extend(scenario);
        }
        let (mut levels, mut registries) = (Vec::new(), BTreeMap::new());
        for (id, file) in &folders.levels {
            let (level, more) = level::parse(id.clone(), file);
            keep(more);
            levels.push(level);
        }
        for (id, file) in &folders.registries {
            let (registry, more) = registry::parse(id, file);
            keep(more);
            registries.insert((*id).to_owned(), registry);
        }
        let (clients, more) = read_clients(folders, parse);
        keep(more);
        let has_groups_file = folders.groups.is_some();
        (
            RawCatalogue {
                has_groups_file,
                settings,
                languages,
                groups,
                features,
                levels,
                registries,
                examples,
                scenarios,
                clients,
            },
            findings,
        )
    }
}

fn read_clients<'t>(
    folders: &Folders<'t>,
    parse: impl Fn(&SourceFile) -> (RawClient, Vec<Diagnostic>) + Sync,
) -> (Vec<FiledClient<'t>>, Vec<Diagnostic>) {
    let read: Vec<(FiledClient<'t>, Vec<Diagnostic>)> = folders
        .clients
        .par_iter()
        .map(|folder| {
            let (mut raw, mut findings) = parse(folder.manifest);
            let (commands, more) = folder.commands.map(example::parse_commands).unwrap_or_default();
            findings.extend(more);
            findings.extend(folder.notes.and_then(examples::hidden_in));
            if findings.iter().any(Diagnostic::is_error) {
                raw.client = None;
            }
            (FiledClient { folder: folder.clone(), raw, commands }, findings)
        })
        .collect();
    let mut findings = Vec::new();
    let clients = read.into_iter().map(|(client, more)| {
        findings.extend(more);
        client
    });
    (clients.collect(), findings)
}

/// Checks the entries against each other.
pub(super) fn resolve(raw: RawCatalogue<'_>) -> (Option<Catalogue>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let known: BTreeSet<FeatureId> = raw.features.keys().cloned().collect();
    if !raw.has_groups_file && !known.is_empty() {
        let path = Utf8Path::new("content/features/groups.toml");
        let title = "there are features, but no `groups.toml` that gives them a place";
        findings.push(Diagnostic::new(&codes::FEATURE_UNGROUPED, title).in_file(path));
    }
    let (groups, features) = resolve_features(raw.groups, raw.features, &mut findings);
    let levels = resolve_levels(raw.levels, &known, &features, &mut findings);
    let mut scenarios = BTreeMap::new();
    for RawScenario { feature, scenario, path } in raw.scenarios {
        if let Some(feature) = feature.filter(|feature| !known.contains(&feature.value)) {
            findings.push(unknown_feature(&path, &feature.value, feature.span, quoted, &known));
        } else if let Some(scenario) = scenario.filter(|scenario| features.contains_key(&scenario.feature)) {
            scenarios.insert(scenario.id.clone(), scenario);
        }
    }
    let lists = clients::Lists {
        languages: &raw.languages,
        registries: &raw.registries,
        examples: &raw.examples,
        known_features: &known,
        features: &features,
    };
    let clients = clients::resolve(raw.clients, &lists, &mut findings);
    let settings = raw.settings.and_then(|settings| resolve_settings(settings, &raw.languages, &mut findings));
    let catalogue = settings.map(|settings| Catalogue {
        settings,
        languages: raw.languages.into_iter().filter_map(|(id, language)| Some((id, language?))).collect(),
        groups,
        features,
        levels,
        registries: raw.registries.into_iter().filter_map(|(id, registry)| Some((id, registry?))).collect(),
        examples: raw.examples.into_iter().filter_map(|(id, example)| Some((id, example?))).collect(),
        scenarios,
        clients,
    });
    (catalogue, findings)
}

fn resolve_settings(
    raw: RawSettings,
    languages: &BTreeMap<LanguageId, Option<Language>>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Settings> {
    let path = Utf8Path::new("clientbook.toml");
    let mut featured = Vec::new();
    for language in raw.featured_languages {
        match languages.get(&language.value) {
            Some(Some(_)) if featured.contains(&language.value) => {
                findings.push(twice(path, language.value.as_str(), language.span, "featured before"));
            }
            Some(Some(_)) => featured.push(language.value),
            Some(None) => {}
            None => findings.push(unknown_language(path, &language.value, language.span, languages)),
        }
    }
    let settings = raw.settings?;
    Some(Settings { home: Home { featured_languages: featured, ..settings.home }, ..settings })
}

type Features = BTreeMap<FeatureId, Feature>;

/// Puts the features into their groups.
fn resolve_features(
    groups: Option<(Vec<RawGroup>, &Utf8Path)>,
    features: BTreeMap<FeatureId, (Option<RawFeature>, &Utf8Path)>,
    findings: &mut Vec<Diagnostic>,
) -> (Vec<Group>, Features) {
    let Some((raw_groups, path)) = groups else { return (Vec::new(), Features::new()) };
    let known: BTreeSet<FeatureId> = features.keys().cloned().collect();
    let mut place: BTreeMap<FeatureId, (Option<GroupId>, Span)> = BTreeMap::new();
    let mut groups: Vec<(Group, Span)> = Vec::new();
    for raw in raw_groups {
        let id = raw.id.as_ref().map(|id| id.value.clone());
        let mut members = Vec::new();
        for feature in raw.features {
            if !known.contains(&feature.value) {
                findings.push(unknown_feature(path, &feature.value, feature.span, quoted, &known));
            } else if let Some((_, first)) = place.get(&feature.value) {
                findings.push(
                    Diagnostic::new(&codes::FEATURE_TWICE, format!("`{}` is in two places", feature.value))
                        .at(path, feature.span, "expected in one group, once")
                        .at(path, *first, "first here"),
                );
            } else {
                place.insert(feature.value.clone(), (id.clone(), feature.span));
                members.push(feature.value);
            }
        }
        let (Some(id), Some(title), Some(summary)) = (raw.id, raw.title, raw.summary) else { continue };
        match groups.iter().find(|(group, _)| group.id == id.value) {
            Some((_, first)) => findings.push(
                Diagnostic::new(&codes::DUPLICATE, format!("two groups have the id `{}`", id.value))
                    .at(path, id.span, "expected another id")
                    .at(path, *first, "first here"),
            ),
            None => groups.push((Group { id: id.value, title, summary, features: members }, id.span)),
        }
    }
    let mut groups: Vec<Group> = groups.into_iter().map(|(group, _)| group).collect();
    let mut grouped = Features::new();
    for (id, (feature, file)) in features {
        match place.get(&id) {
            None => findings.push(
                Diagnostic::new(&codes::FEATURE_UNGROUPED, format!("the feature `{id}` is in no group"))
                    .in_file(file)
                    .help(format!("add `{}` to the `features` of a group in `{path}`", quoted(id.as_str()))),
            ),
            Some((Some(group), _)) if groups.iter().any(|known| known.id == *group) => {
                if let Some(RawFeature { title, meaning, proposals, body }) = feature {
                    let feature =
                        Feature { id: id.clone(), title, meaning, proposals, group: group.clone(), body, path: file.to_owned() };
                    grouped.insert(id, feature);
                }
            }
            Some(_) => {} // Its group is broken, and says so.
        }
    }
    for group in &mut groups {
        group.features.retain(|feature| grouped.contains_key(feature));
    }
    (groups, grouped)
}

fn resolve_levels(
    raw: Vec<RawLevel>,
    known: &BTreeSet<FeatureId>,
    features: &Features,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Level> {
    let mut first_in: BTreeMap<FeatureId, (Utf8PathBuf, Span)> = BTreeMap::new();
    let mut orders: BTreeMap<i64, (Utf8PathBuf, Span)> = BTreeMap::new();
    let mut levels = Vec::new();
    for RawLevel { id, order, features: members, path, words } in raw {
        let before = findings.len();
        for feature in &members {
            if !known.contains(&feature.value) {
                findings.push(unknown_feature(&path, &feature.value, feature.span, quoted, known));
            } else if let Some((file, span)) = first_in.get(&feature.value) {
                findings.push(
                    Diagnostic::new(&codes::FEATURE_TWICE, format!("`{}` is in two places", feature.value))
                        .at(&path, feature.span, "expected in one level, once: levels are cumulative")
                        .at(file, *span, "first here"),
                );
            } else {
                first_in.insert(feature.value.clone(), (path.clone(), feature.span));
            }
        }
        if let Some(order) = &order {
            match orders.get(&order.value) {
                Some((file, span)) => findings.push(
                    Diagnostic::new(&codes::LEVEL_ORDER, format!("two levels have the order {}", order.value))
                        .at(&path, order.span, "expected a number of its own")
                        .at(file, *span, "first here"),
                ),
                None => drop(orders.insert(order.value, (path.clone(), order.span))),
            }
        }
        let is_whole = findings.len() == before;
        let (Some(order), Some((title, summary)), true) = (order, words, is_whole) else { continue };
        if let Some(broken) = members.iter().find(|feature| !features.contains_key(&feature.value)) {
            let title = format!("the level `{id}` is left out, because its feature `{}` is", broken.value);
            findings.push(Diagnostic::new(&codes::LEFT_OUT_TOO, title).at(&path, broken.span, "is left out"));
            continue;
        }
        let features = members.into_iter().map(|feature| feature.value).collect();
        levels.push(Level { id, title, order: order.value, summary, features, path });
    }
    levels.sort_by_key(|level| level.order);
    levels
}

/// A finding for an id that is not among `known`.
fn unknown<'k>(
    code: &'static Code,
    what: &str,
    path: &Utf8Path,
    (typed, span): (&str, Span),
    write: impl Fn(&str) -> String,
    known: impl IntoIterator<Item = &'k str>,
) -> Diagnostic {
    let finding = Diagnostic::new(code, format!("unknown {what} `{}`", shown(typed))).at(
        path,
        span,
        format!("this catalogue has no such {what}"),
    );
    match did_you_mean(typed, known) {
        Some(meant) => finding.help(format!("did you mean `{meant}`?")).fix(path, span, write(meant)),
        None => finding,
    }
}

fn unknown_feature(
    path: &Utf8Path,
    id: &FeatureId,
    span: Span,
    write: impl Fn(&str) -> String,
    known: &BTreeSet<FeatureId>,
) -> Diagnostic {
    unknown(&codes::UNKNOWN_FEATURE, "feature", path, (id.as_str(), span), write, known.iter().map(FeatureId::as_str))
}

fn unknown_language(path: &Utf8Path, id: &LanguageId, span: Span, known: &BTreeMap<LanguageId, Option<Language>>) -> Diagnostic {
    unknown(&codes::UNKNOWN_LANGUAGE, "language", path, (id.as_str(), span), quoted, known.keys().map(LanguageId::as_str))
}

/// A finding for a second mention.
fn twice(path: &Utf8Path, what: &str, span: Span, why: &str) -> Diagnostic {
    Diagnostic::new(&codes::DUPLICATE, format!("`{}` stands here twice", shown(what))).at(path, span, why)
}
