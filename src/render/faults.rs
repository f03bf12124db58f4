//! Tera's errors as findings of our own: located, one each.

use super::{FOLDER, codes};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use camino::{Utf8Path, Utf8PathBuf};
use tera::{Error, ErrorKind};

/// The text of a template, by its path.
type TextOf<'t> = dyn Fn(&Utf8Path) -> Option<&'t str> + 't;

/// The findings that an error stands for. `about` is the input file that a page was made from; `text_of` finds the place of a
/// fault that Tera tells by line and column.
pub(super) fn findings(error: &Error, about: Option<&Utf8Path>, text_of: &TextOf<'_>) -> Vec<Diagnostic> {
    let about = |mut finding: Diagnostic| {
        if let Some(path) = about {
            finding = finding.note(format!("while making the page of `{path}`"));
        }
        finding
    };
    match error.kind() {
        ErrorKind::SyntaxError(report) => vec![located(&codes::SYNTAX, report)],
        ErrorKind::RenderingError(report) => vec![about(located(&codes::FAILED, report))],
        ErrorKind::TemplateNotFound(name) => {
            vec![about(
                Diagnostic::new(&codes::MISSING, format!("the template `{name}` is missing"))
                    .help(format!("add `{FOLDER}/{name}`")),
            )]
        }
        ErrorKind::MissingParent { current, parent } => vec![
            Diagnostic::new(&codes::REFERENCE, format!("the template `{parent}` that this one extends is missing"))
                .in_file(&path(current)),
        ],
        ErrorKind::CircularExtend { tpl, .. } | ErrorKind::CircularInclude { tpl, .. } => {
            vec![
                Diagnostic::new(&codes::REFERENCE, "templates that extend or include each other in a circle").in_file(&path(tpl)),
            ]
        }
        _ => from_reports(&error.to_string(), text_of)
            .unwrap_or_else(|| vec![about(Diagnostic::new(&codes::FAILED, error.to_string()))]),
    }
}

fn path(template: &str) -> Utf8PathBuf {
    Utf8Path::new(FOLDER).join(template)
}

fn located(code: &'static Code, report: &tera::ReportError) -> Diagnostic {
    let (title, help) = wording(report.message());
    let finding = Diagnostic::new(code, title).at(&path(report.filename()), report.span().range.clone(), "here");
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// Our wording of a message; what was probably meant, or what Tera says is there instead.
fn wording(message: &str) -> (String, Option<String>) {
    let split = ["Available variables: ", "Available fields: "].iter().find_map(|mark| message.split_once(mark));
    let Some((what, there)) = split else { return (plain(message), None) };
    let names: Vec<&str> = there.split(", ").collect();
    let typed = what.split('`').nth(1).unwrap_or_default();
    let help = match did_you_mean(typed, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    };
    (plain(what), Some(help))
}

/// Lower case, without a full stop.
fn plain(text: &str) -> String {
    lower(text.trim().trim_end_matches('.'))
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Several faults that Tera only gives as text: `error: …`, then ` --> file:line:column`, then the line and its underline.
fn from_reports(reports: &str, text_of: &TextOf<'_>) -> Option<Vec<Diagnostic>> {
    let mut findings = Vec::new();
    let mut lines = reports.lines();
    while let Some(line) = lines.next() {
        let Some(message) = line.strip_prefix("error: ") else { continue };
        let mut parts = lines.next()?.trim().strip_prefix("--> ")?.rsplitn(3, ':');
        let (column, row, file) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, path(parts.next()?));
        let length = lines.nth(2).map_or(1, |underline| underline.chars().filter(|c| *c == '^').count());
        let finding = Diagnostic::new(&codes::REFERENCE, lower(message));
        findings.push(match text_of(&file).and_then(|text| offset(text, row, column)) {
            Some(start) => finding.at(&file, start..start + length, "not known"),
            None => finding.in_file(&file),
        });
    }
    (!findings.is_empty()).then_some(findings)
}

/// The byte at which a character stands; rows and columns count from 1.
fn offset(text: &str, row: usize, column: usize) -> Option<usize> {
    let start = match row {
        0 => return None,
        1 => 0,
        _ => text.match_indices('\n').nth(row - 2)?.0 + 1,
    };
    let (at, _) = text[start..].char_indices().nth(column.checked_sub(1)?)?;
    Some(start + at)
}
