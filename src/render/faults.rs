//! Tera's errors as findings of our own: located, one each.

use super::codes;
use crate::diagnostic::{Code, Diagnostic};
use camino::{Utf8Path, Utf8PathBuf};
use tera::{Error, ErrorKind};

/// The findings that an error stands for. `about` is the input file that a page was made from.
pub(super) fn findings(error: &Error, about: Option<&Utf8Path>, folder: &str) -> Vec<Diagnostic> {
    let about = |mut finding: Diagnostic| {
        if let Some(path) = about {
            finding = finding.note(format!("while making the page of `{path}`"));
        }
        finding
    };
    match error.kind() {
        ErrorKind::SyntaxError(report) => vec![located(&codes::SYNTAX, report, folder)],
        ErrorKind::RenderingError(report) => vec![about(located(&codes::FAILED, report, folder))],
        ErrorKind::TemplateNotFound(name) => {
            vec![about(
                Diagnostic::new(&codes::MISSING, format!("the template `{name}` is missing"))
                    .help(format!("add `{folder}/{name}`")),
            )]
        }
        ErrorKind::MissingParent { current, parent } => vec![
            Diagnostic::new(&codes::REFERENCE, format!("the template `{parent}` that this one extends is missing"))
                .in_file(&path(folder, current)),
        ],
        ErrorKind::CircularExtend { tpl, .. } | ErrorKind::CircularInclude { tpl, .. } => {
            vec![
                Diagnostic::new(&codes::REFERENCE, "templates that extend or include each other in a circle")
                    .in_file(&path(folder, tpl)),
            ]
        }
        _ => from_reports(&error.to_string(), folder)
            .unwrap_or_else(|| vec![about(Diagnostic::new(&codes::FAILED, error.to_string()))]),
    }
}

fn path(folder: &str, template: &str) -> Utf8PathBuf {
    Utf8Path::new(folder).join(template)
}

fn located(code: &'static Code, report: &tera::ReportError, folder: &str) -> Diagnostic {
    let (title, help) = wording(report.message());
    let finding = Diagnostic::new(code, title).at(&path(folder, report.filename()), report.span().range.clone(), "here");
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// Our wording of a message, and what Tera says is there instead.
fn wording(message: &str) -> (String, Option<String>) {
    let split = ["Available variables: ", "Available fields: "].iter().find_map(|mark| message.split_once(mark));
    match split {
        Some((what, there)) => {
            let there = there.split(", ").map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            (lower(what.trim().trim_end_matches('.')), Some(format!("there are {there}")))
        }
        None => (lower(message.trim()), None),
    }
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Several faults that Tera only gives as text: `error: …`, then ` --> file:line:column`, then the line and its underline.
fn from_reports(text: &str, folder: &str) -> Option<Vec<Diagnostic>> {
    let mut findings = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(message) = line.strip_prefix("error: ") else { continue };
        let place = lines.next()?.trim().strip_prefix("--> ")?;
        let mut parts = place.rsplitn(3, ':');
        let (column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
        findings.push(
            Diagnostic::new(&codes::REFERENCE, lower(message))
                .in_file(&path(folder, file))
                .note(format!("at line {row}, column {column}")),
        );
    }
    (!findings.is_empty()).then_some(findings)
}
