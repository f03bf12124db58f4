//! Clients against the closed lists and against each other.

use super::examples::{self, Shown};
use super::*;

/// The closed lists that clients refer to.
pub(super) struct Lists<'l> {
    pub languages: &'l BTreeMap<LanguageId, Option<Language>>,
    pub registries: &'l BTreeMap<String, Option<Registry>>,
    pub examples: &'l BTreeMap<ExampleId, Option<Example>>,
    pub known_features: &'l BTreeSet<FeatureId>,
    pub features: &'l Features,
}

/// Checks every client. Those with an error are left out.
pub(super) fn resolve(
    clients: Vec<FiledClient<'_>>,
    lists: &Lists<'_>,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<ClientId, Client> {
    let engines: BTreeMap<&str, Option<&Placed<ClientId>>> =
        clients.iter().map(|client| (client.folder.name, client.raw.based_on.as_ref())).collect();
    let mut faulty: BTreeSet<String> = report_circles(&engines, findings);
    faulty.extend(report_aliases(&clients, findings));
    for client in &clients {
        let before = findings.len();
        check_engine(client, &engines, findings);
        check_lists(client, lists, findings);
        if findings[before..].iter().any(Diagnostic::is_error) {
            faulty.insert(client.folder.name.to_owned());
        }
    }
    let shown: Vec<Shown> = clients
        .iter()
        .map(|client| {
            let before = findings.len();
            let shown = examples::find(client, lists, findings);
            if findings[before..].iter().any(Diagnostic::is_error) {
                faulty.insert(client.folder.name.to_owned());
            }
            shown
        })
        .collect();
    let mut whole = BTreeMap::new();
    for (client, shown) in clients.into_iter().zip(shown) {
        if !faulty.contains(client.folder.name)
            && let Some(client) = assemble(client, shown, lists, findings)
        {
            whole.insert(client.id.clone(), client);
        }
    }
    detach(&mut whole, findings);
    whole
}

/// One finding for each circle of engines; gives the ids that are in one.
fn report_circles(engines: &BTreeMap<&str, Option<&Placed<ClientId>>>, findings: &mut Vec<Diagnostic>) -> BTreeSet<String> {
    let mut in_circle = BTreeSet::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for &start in engines.keys() {
        let mut chain: Vec<(&str, Span)> = Vec::new();
        let mut at = start;
        while done.insert(at) {
            let Some(Some(engine)) = engines.get(at) else { break };
            chain.push((at, engine.span));
            at = engine.value.as_str();
        }
        // The walk ended at a place it had been before: a circle if that place is on this very walk.
        let Some(from) = chain.iter().position(|(id, _)| *id == at) else { continue };
        let circle = &chain[from..];
        let names = circle.iter().map(|(id, _)| format!("`{id}`")).collect::<Vec<_>>().join(" → ");
        let mut finding = Diagnostic::new(&codes::ENGINE_CIRCLE, format!("engines in a circle: {names} → `{at}`"))
            .help("an engine does not know its wrappers: take `based-on` away from it");
        for (id, span) in circle {
            finding = finding.at(&Utf8PathBuf::from(format!("clients/{id}/manifest.toml")), *span, "is based on the next");
            in_circle.insert((*id).to_owned());
        }
        findings.push(finding);
    }
    in_circle
}

/// Aliases that are ids, or that two clients have; gives the folders at fault.
fn report_aliases(clients: &[FiledClient<'_>], findings: &mut Vec<Diagnostic>) -> BTreeSet<String> {
    let ids: BTreeMap<&str, &Utf8Path> =
        clients.iter().map(|client| (client.folder.name, client.folder.manifest.path.as_path())).collect();
    let mut aliases: BTreeMap<&ClientId, (&Utf8Path, Span)> = BTreeMap::new();
    let mut faulty = BTreeSet::new();
    for client in clients {
        let path = client.folder.manifest.path.as_path();
        for alias in &client.raw.aliases {
            let title = format!("the alias `{}` is taken", alias.value);
            let finding = Diagnostic::new(&codes::ALIAS_TAKEN, title).at(path, alias.span, "expected an id that nobody else has");
            if let Some(owner) = ids.get(alias.value.as_str()) {
                findings.push(finding.note(format!("it is the id of the client in `{owner}`")));
            } else if let Some((owner, span)) = aliases.get(&alias.value) {
                findings.push(finding.at(owner, *span, "taken here"));
            } else {
                aliases.insert(&alias.value, (path, alias.span));
                continue;
            }
            faulty.insert(client.folder.name.to_owned());
        }
    }
    faulty
}

fn check_engine(client: &FiledClient<'_>, engines: &BTreeMap<&str, Option<&Placed<ClientId>>>, findings: &mut Vec<Diagnostic>) {
    let Some(engine) = &client.raw.based_on else { return };
    if !engines.contains_key(engine.value.as_str()) {
        let path = &client.folder.manifest.path;
        let typed = (engine.value.as_str(), engine.span);
        findings.push(unknown(&codes::UNKNOWN_ENGINE, "client", path, typed, quoted, engines.keys().copied()));
    }
}

fn check_lists(client: &FiledClient<'_>, lists: &Lists<'_>, findings: &mut Vec<Diagnostic>) {
    let path = client.folder.manifest.path.as_path();
    let mut seen = BTreeSet::new();
    for language in &client.raw.languages {
        if !lists.languages.contains_key(&language.value) {
            findings.push(unknown_language(path, &language.value, language.span, lists.languages));
        } else if !seen.insert(&language.value) {
            findings.push(twice(path, language.value.as_str(), language.span, "expected once"));
        }
    }
    for feature in &client.raw.features {
        if !lists.known_features.contains(&feature.value) {
            findings.push(unknown_feature(path, &feature.value, feature.span, str::to_owned, lists.known_features));
        }
    }
    let mut seen = BTreeSet::new();
    for package in &client.raw.packages {
        let Purl { kind, namespace, .. } = &package.value;
        match lists.registries.get(kind) {
            None => {
                let known = lists.registries.keys().map(String::as_str);
                let meant =
                    did_you_mean(kind, known).map(|kind| Purl { kind: kind.to_owned(), ..package.value.clone() }.to_string());
                let finding = Diagnostic::new(&codes::UNKNOWN_REGISTRY, format!("unknown registry `{}`", shown(kind))).at(
                    path,
                    package.span,
                    "this catalogue has no such registry",
                );
                findings.push(match meant {
                    Some(meant) => finding.help(format!("did you mean `{meant}`?")).fix(path, package.span, quoted(&meant)),
                    None => finding.help(format!("a file `content/registries/{kind}.toml` says where its pages are")),
                });
            }
            Some(Some(registry)) if registry.needs_namespace() && namespace.is_none() => {
                let title = format!("`{}` has no namespace, and {} needs one", package.value, registry.name);
                findings.push(Diagnostic::new(&codes::PACKAGE_NAMESPACE, title).at(
                    path,
                    package.span,
                    format!("expected `pkg:{kind}/<namespace>/{}`", percent_encode(&package.value.name)),
                ));
            }
            Some(_) if !seen.insert(&package.value) => {
                findings.push(twice(path, &package.value.to_string(), package.span, "expected once"));
            }
            Some(_) => {}
        }
    }
}

/// Puts a client together from its parts, without what was left out elsewhere.
fn assemble(filed: FiledClient<'_>, shown: Shown, lists: &Lists<'_>, findings: &mut Vec<Diagnostic>) -> Option<Client> {
    let FiledClient { folder, raw, commands } = filed;
    let mut client = raw.client?;
    let is_whole = |language: &LanguageId| lists.languages.get(language).is_some_and(Option::is_some);
    client.languages = raw.languages.iter().map(|language| language.value.clone()).filter(is_whole).collect();
    if client.languages.is_empty() {
        let span = raw.languages.first().map(|language| language.span).unwrap_or_default();
        let title = format!("the client `{}` is left out, because its languages are", client.id);
        findings.push(Diagnostic::new(&codes::LEFT_OUT_TOO, title).at(&client.path, span, "is left out"));
        return None;
    }
    // The catalogue's own ids in the place of the manifest's: one piece of memory for each, and cheap to compare.
    let claims = std::mem::take(&mut client.claims).into_iter();
    let own = |feature: FeatureId| lists.features.get_key_value(&feature).map(|(own, _)| own.clone());
    client.claims = claims.filter_map(|(feature, claim)| Some((own(feature)?, claim))).collect();
    client.based_on = raw.based_on.map(|engine| engine.value);
    client.aliases = raw.aliases.into_iter().map(|alias| alias.value).collect();
    client.packages = raw.packages.into_iter().map(|package| package.value).collect();
    client.examples = shown;
    client.example_setup = commands.setup;
    let run = commands.run.into_iter().filter(|(id, _)| client.examples.contains_key(&id.value));
    client.example_run = run.map(|(id, command)| (id.value, command.value.0)).collect();
    client.notes = folder.notes.map(|file| file.path.clone());
    Some(client)
}

/// Takes away engines that were left out; says so once for each engine.
fn detach(clients: &mut BTreeMap<ClientId, Client>, findings: &mut Vec<Diagnostic>) {
    let ids: BTreeSet<ClientId> = clients.keys().cloned().collect();
    let mut orphans: BTreeMap<ClientId, Vec<ClientId>> = BTreeMap::new();
    for client in clients.values_mut() {
        if let Some(engine) = client.based_on.take_if(|engine| !ids.contains(engine)) {
            orphans.entry(engine).or_default().push(client.id.clone());
        }
    }
    for (engine, orphans) in orphans {
        let names = orphans.iter().take(5).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let more = if orphans.len() > 5 { format!(" and {} more", orphans.len() - 5) } else { String::new() };
        let title = format!("the engine `{engine}` is left out, and its claims are missing in {names}{more}");
        let path = Utf8PathBuf::from(format!("clients/{engine}/manifest.toml"));
        findings.push(Diagnostic::new(&codes::LEFT_OUT_TOO, title).in_file(&path));
    }
}
