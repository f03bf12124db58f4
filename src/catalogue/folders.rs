//! Which file is what: sorts the paths of the tree, and reports names that are no ids and files that nothing reads.

use super::registry::is_purl_type;
use super::{ExampleId, FeatureId, LanguageId, LevelId, ScenarioId, codes};
use crate::diagnostic::Diagnostic;
use crate::source::table::{FromText, shown};
use crate::source::{SourceFile, SourceTree};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;

/// The tree, sorted.
#[derive(Debug, Default)]
pub(super) struct Folders<'t> {
    pub settings: Option<&'t SourceFile>,
    pub groups: Option<&'t SourceFile>,
    pub features: Vec<(FeatureId, &'t SourceFile)>,
    pub languages: Vec<(LanguageId, &'t SourceFile)>,
    pub levels: Vec<(LevelId, &'t SourceFile)>,
    pub registries: Vec<(&'t str, &'t SourceFile)>,
    pub examples: Vec<(ExampleId, &'t SourceFile)>,
    pub scenarios: Vec<(ScenarioId, &'t SourceFile)>,
    /// Those that have a manifest.
    pub clients: Vec<ClientFolder<'t>>,
}

/// A folder below `clients/`.
#[derive(Debug, Clone)]
pub(super) struct ClientFolder<'t> {
    pub name: &'t str,
    pub manifest: &'t SourceFile,
    pub notes: Option<&'t SourceFile>,
    pub commands: Option<&'t SourceFile>,
    pub examples: Vec<&'t SourceFile>,
}

#[derive(Default)]
struct Loose<'t> {
    manifest: Option<&'t SourceFile>,
    notes: Option<&'t SourceFile>,
    commands: Option<&'t SourceFile>,
    examples: Vec<&'t SourceFile>,
}

/// Sorts the files below `content/` and `clients/`.
pub(super) fn sort(tree: &SourceTree) -> (Folders<'_>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut folders = Folders { settings: tree.get("clientbook.toml"), ..Folders::default() };
    if folders.settings.is_none() {
        findings.push(
            Diagnostic::new(&codes::NO_SETTINGS, "there is no `clientbook.toml`")
                .in_file(Utf8Path::new("clientbook.toml"))
                .help("`clientbook new DIR` makes a catalogue with one"),
        );
    }
    let mut clients: BTreeMap<&str, Loose<'_>> = BTreeMap::new();
    for file in tree.files() {
        let mut segments = file.path.as_str().split('/');
        match (segments.next(), segments.next(), segments.next()) {
            _ if file.path.file_name().is_some_and(|name| name.starts_with('.')) => {}
            (Some("clients"), Some(name), Some(_)) => sort_client(clients.entry(name).or_default(), file, &mut findings),
            (Some("clients"), Some(_), None) => findings.push(stray(file, "expected folders, one for each client")),
            (Some("content"), Some(folder), Some(_)) => sort_content(&mut folders, folder, file, &mut findings),
            _ => {}
        }
    }
    for (name, loose) in clients {
        match loose.manifest {
            Some(manifest) => {
                let Loose { notes, commands, examples, .. } = loose;
                check_name::<super::ClientId>(name, &format!("clients/{name}"), &mut findings);
                folders.clients.push(ClientFolder { name, manifest, notes, commands, examples });
            }
            None => findings.push(
                Diagnostic::new(&codes::NO_MANIFEST, format!("`clients/{}/` has no `manifest.toml`", shown(name)))
                    .in_file(&Utf8PathBuf::from(format!("clients/{name}")))
                    .help("write the manifest, or take the folder away"),
            ),
        }
    }
    (folders, findings)
}

fn sort_client<'t>(client: &mut Loose<'t>, file: &'t SourceFile, findings: &mut Vec<Diagnostic>) {
    let inner = file.path.as_str().splitn(3, '/').nth(2).unwrap_or_default();
    match inner.split_once('/') {
        None if inner == "manifest.toml" => client.manifest = Some(file),
        None if inner == "notes.md" => client.notes = Some(file),
        None if inner == "pulled.lock.toml" => {}
        Some(("examples", "example.toml")) => client.commands = Some(file),
        Some(("examples", _)) => client.examples.push(file),
        Some(("driver", _)) => {}
        Some(("results", name)) if name.ends_with(".json") && !name.contains('/') => {}
        _ => findings.push(stray(
            file,
            "a client's folder holds `manifest.toml`, `notes.md`, `examples/`, `driver/` and `results/*.json`",
        )),
    }
}

fn sort_content<'t>(folders: &mut Folders<'t>, folder: &str, file: &'t SourceFile, findings: &mut Vec<Diagnostic>) {
    let name = file.path.as_str().splitn(3, '/').nth(2).unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let nested = name.contains('/');
    match (folder, extension) {
        ("features" | "languages" | "levels" | "registries" | "examples" | "scenarios", _) if nested => {
            findings.push(stray(file, "nothing reads folders in here"));
        }
        ("features", _) if name == "groups.toml" => folders.groups = Some(file),
        ("features", "md") => folders.features.extend(named(stem, file, findings)),
        ("languages", "toml") => folders.languages.extend(named(stem, file, findings)),
        ("levels", "toml") => folders.levels.extend(named(stem, file, findings)),
        ("examples", "md") => folders.examples.extend(named(stem, file, findings)),
        ("scenarios", "md") => folders.scenarios.extend(named(stem, file, findings)),
        ("registries", "toml") if is_purl_type(stem) => folders.registries.push((stem, file)),
        ("registries", "toml") => findings.push(
            Diagnostic::new(&codes::BAD_ID, format!("`{}` is not the type of a package address", shown(stem)))
                .in_file(&file.path)
                .help("expected lower-case letters, digits, `.` and `-`, as in `pypi`"),
        ),
        ("features" | "examples" | "scenarios", _) => findings.push(stray(file, "expected `<id>.md`")),
        ("languages" | "levels" | "registries", _) => findings.push(stray(file, "expected `<id>.toml`")),
        _ => {}
    }
}

fn named<'t, I: FromText>(stem: &str, file: &'t SourceFile, findings: &mut Vec<Diagnostic>) -> Option<(I, &'t SourceFile)> {
    check_name(stem, file.path.as_str(), findings).map(|id| (id, file))
}

fn check_name<I: FromText>(name: &str, path: &str, findings: &mut Vec<Diagnostic>) -> Option<I> {
    let fault = match I::from_text(name) {
        Ok(id) => return Some(id),
        Err(fault) => fault,
    };
    let help = match &fault.suggestion {
        Some(meant) => format!("expected {}; rename it to `{meant}`", fault.expected),
        None => format!("expected {}", fault.expected),
    };
    findings.push(
        Diagnostic::new(&codes::BAD_ID, format!("the name `{}` is not an id", shown(name)))
            .in_file(Utf8Path::new(path))
            .help(help),
    );
    None
}

fn stray(file: &SourceFile, why: &str) -> Diagnostic {
    Diagnostic::new(&codes::STRAY_FILE, format!("nothing reads `{}`", shown(file.path.as_str()))).in_file(&file.path).help(why)
}
