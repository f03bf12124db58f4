//! Which file of a client is which standard example.

use super::clients::Lists;
use super::*;

/// The example files of a client.
pub(super) type Shown = BTreeMap<ExampleId, ExampleFile>;

/// Finds the example files of `client`: `<example>.<ext>` or `<example>/main.<ext>`, where a language has `<ext>`. Other files
/// beside them are the project's.
pub(super) fn find(client: &FiledClient<'_>, lists: &Lists<'_>, findings: &mut Vec<Diagnostic>) -> Shown {
    let mut shown = Shown::new();
    for file in &client.folder.examples {
        let Some((stem, extension)) = example_name(client.folder.name, &file.path) else { continue };
        let Some(example) = lists.examples.keys().find(|id| is_same_name(id.as_str(), stem)) else { continue };
        if !lists.languages.values().flatten().any(|language| language.has_extension(extension)) {
            continue;
        }
        findings.extend(hidden_in(file));
        if let Some(first) = shown.get(example) {
            findings.push(
                Diagnostic::new(&codes::TWO_EXAMPLE_FILES, format!("two files are the example `{example}`"))
                    .in_file(&file.path)
                    .in_file(&first.path)
                    .help("keep one; further files of the project need other names"),
            );
            continue;
        }
        let languages = client.raw.languages.iter().map(|language| &language.value);
        let is_it =
            |id: &&LanguageId| lists.languages.get(*id).and_then(Option::as_ref).is_some_and(|l| l.has_extension(extension));
        let language = languages.clone().find(is_it).cloned();
        // A language that is unknown or broken has its own finding, and could be the one.
        if language.is_none()
            && !client.raw.languages.is_empty()
            && languages.clone().all(|id| matches!(lists.languages.get(id), Some(Some(_))))
        {
            findings.push(other_language(file, extension, languages));
        }
        shown.insert(example.clone(), ExampleFile { path: file.path.clone(), language });
    }
    check_commands(client, &shown, lists, findings);
    shown
}

fn other_language<'l>(file: &SourceFile, extension: &str, languages: impl Iterator<Item = &'l LanguageId>) -> Diagnostic {
    let names = languages.map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    Diagnostic::new(&codes::EXAMPLE_LANGUAGE, format!("`.{extension}` is not an extension of the client's languages"))
        .in_file(&file.path)
        .help(format!("the manifest names {names}"))
}

fn check_commands(client: &FiledClient<'_>, shown: &Shown, lists: &Lists<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(file) = client.folder.commands else { return };
    for (example, _) in &client.commands.run {
        if !lists.examples.contains_key(&example.value) {
            let known = lists.examples.keys().map(ExampleId::as_str);
            let typed = (example.value.as_str(), example.span);
            findings.push(unknown(&codes::UNKNOWN_EXAMPLE, "example", &file.path, typed, str::to_owned, known));
        } else if !shown.contains_key(&example.value) {
            let title = format!("a command for the example `{}`, which has no file", example.value);
            findings.push(Diagnostic::new(&codes::RUN_WITHOUT_FILE, title).at(
                &file.path,
                example.span,
                format!("expected a file `{}.<ext>` beside", example.value),
            ));
        }
    }
}

/// The name that tells the example, and the extension.
fn example_name<'p>(client: &str, path: &'p Utf8Path) -> Option<(&'p str, &'p str)> {
    let inner = path.as_str().strip_prefix("clients/")?.strip_prefix(client)?.strip_prefix("/examples/")?;
    let (stem, extension) = inner.rsplit_once('.')?;
    match stem.split_once('/') {
        None => Some((stem, extension)),
        Some((folder, "main")) => Some((folder, extension)),
        Some(_) => None,
    }
}

/// `produce`, `Produce` and, for longer ids, `produce-many`, `produce_many` and `ProduceMany` are the same.
fn is_same_name(id: &str, stem: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect::<String>();
    letters(id) == letters(stem)
}

/// A finding when a file that is shown hides something. A byte order mark at its start is borne.
pub(super) fn hidden_in(file: &SourceFile) -> Option<Diagnostic> {
    let text = file.text()?;
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (span, c) = text::hidden_span(bare, text.len() - bare.len())?;
    let title = format!("a hidden character, {}, in a text", text::name(c));
    Some(Diagnostic::new(&codes::HIDDEN_CHARACTER, title).at(
        &file.path,
        span,
        "expected text in which every character can be seen",
    ))
}
