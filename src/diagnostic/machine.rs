//! Findings for programs: JSON lines, annotations of a GitHub workflow, SARIF.

use super::text::{Places, Position, is_hidden};
use super::{Code, Diagnostic, Fix, Label, Severity};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// One finding as the JSON format writes it.
#[derive(Serialize)]
struct Line<'f> {
    code: &'f str,
    severity: &'f str,
    title: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'f str>,
    notes: &'f [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Mend<'f>>,
}

/// A further place.
#[derive(Serialize)]
struct Related<'f> {
    path: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
    label: &'f str,
}

/// A mend.
#[derive(Serialize)]
struct Mend<'f> {
    path: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
    replacement: &'f str,
}

/// One object on a line of its own.
pub(super) fn json_line(finding: &Diagnostic, places: &mut Places<'_>) -> String {
    let first = finding.labels.first();
    let position = first.and_then(|label| places.span(&label.path, label.span));
    let related = finding.labels.iter().skip(1).map(|label| {
        let position = places.span(&label.path, label.span);
        Related {
            path: label.path.as_str(),
            start: position.map(|(start, _)| start),
            end: position.map(|(_, end)| end),
            label: &label.text,
        }
    });
    let related = related.collect();
    let fix = finding.fix.as_ref().map(|fix| {
        let position = places.span(&fix.path, Some(fix.span));
        Mend {
            path: fix.path.as_str(),
            start: position.map(|(start, _)| start),
            end: position.map(|(_, end)| end),
            replacement: &fix.replacement,
        }
    });
    let line = Line {
        code: finding.code.id,
        severity: word(finding.code.severity),
        title: &finding.title,
        path: first.map(|label| label.path.as_str()),
        line: position.map(|(start, _)| start.line),
        column: position.map(|(start, _)| start.column),
        end: position.map(|(_, end)| end),
        label: first.map_or("", |label| &label.text),
        help: finding.help.as_deref(),
        notes: &finding.notes,
        related,
        fix,
    };
    ascii_where_hidden(&serde_json::to_string(&line).unwrap_or_default()) + "\n"
}

/// JSON with every hidden character as an escape; they can only stand in strings.
fn ascii_where_hidden(json: &str) -> String {
    if !json.contains(|c: char| is_hidden(c) && c != '\n') {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) && c != '\n' {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// One `::error …::…` line of a GitHub workflow.
pub(super) fn github_line(finding: &Diagnostic, places: &mut Places<'_>) -> String {
    let mut out = format!("::{} ", word(finding.code.severity));
    if let Some(label) = finding.labels.first() {
        let _ = write!(out, "file={},", property(label.path.as_str()));
        if let Some((start, end)) = places.span(&label.path, label.span) {
            let _ = write!(out, "line={},endLine={},", start.line, end.line);
            if start.line == end.line {
                let _ = write!(out, "col={},endColumn={},", start.column, end.column);
            } else {
                let _ = write!(out, "col={},", start.column);
            }
        }
    }
    let title = format!("{}: {}", finding.code.id, finding.code.summary);
    let _ = writeln!(out, "title={}::{}", property(&title), data(&message(finding)));
    out
}

/// Title, label, help and notes as lines.
fn message(finding: &Diagnostic) -> String {
    let label = finding.labels.first().map(|label| label.text.as_str()).filter(|text| !text.is_empty());
    let mut lines = vec![finding.title.clone()];
    lines.extend(label.map(str::to_owned));
    lines.extend(finding.help.iter().map(|help| format!("help: {help}")));
    lines.extend(finding.notes.iter().map(|note| format!("note: {note}")));
    super::text::visible(&lines.join("\n")).into_owned()
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&super::text::visible(text)).replace(':', "%3A").replace(',', "%2C")
}

/// A SARIF 2.1.0 document.
pub(super) fn sarif(findings: &[Diagnostic], places: &mut Places<'_>) -> String {
    let codes: BTreeMap<&str, &Code> = findings.iter().map(|finding| (finding.code.id, finding.code)).collect();
    let rules: Vec<Value> = codes
        .values()
        .map(|code| {
            json!({
                "id": code.id,
                "shortDescription": { "text": code.summary },
                "help": { "text": code.explanation, "markdown": code.explanation },
                "defaultConfiguration": { "level": word(code.severity) },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(|finding| sarif_result(finding, places)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "clientbook", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    ascii_where_hidden(&serde_json::to_string_pretty(&document).unwrap_or_default()) + "\n"
}

fn sarif_result(finding: &Diagnostic, places: &mut Places<'_>) -> Value {
    let mut result = json!({
        "ruleId": finding.code.id,
        "level": word(finding.code.severity),
        "message": { "text": message(finding) },
    });
    let mut locations = finding.labels.iter().map(|label| sarif_location(label, places));
    if let Some(first) = locations.next() {
        result["locations"] = json!([first]);
    }
    let related: Vec<Value> = locations.collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if let Some(fix) = &finding.fix
        && let Some(fix) = sarif_fix(fix, finding, places)
    {
        result["fixes"] = json!([fix]);
    }
    result
}

fn sarif_location(label: &Label, places: &mut Places<'_>) -> Value {
    let mut physical = json!({ "artifactLocation": artifact(label.path.as_str()) });
    if let Some((start, end)) = places.span(&label.path, label.span) {
        physical["region"] = region(start, end);
    }
    let mut location = json!({ "physicalLocation": physical });
    if !label.text.is_empty() {
        location["message"] = json!({ "text": label.text });
    }
    location
}

fn sarif_fix(fix: &Fix, finding: &Diagnostic, places: &mut Places<'_>) -> Option<Value> {
    let (start, end) = places.span(&fix.path, Some(fix.span))?;
    Some(json!({
        "description": { "text": finding.help.as_deref().unwrap_or("replace the text") },
        "artifactChanges": [{
            "artifactLocation": artifact(fix.path.as_str()),
            "replacements": [{ "deletedRegion": region(start, end), "insertedContent": { "text": fix.replacement } }],
        }],
    }))
}

/// A path as a relative URI reference.
fn artifact(path: &str) -> Value {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@+".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    json!({ "uri": uri })
}

fn region(start: Position, end: Position) -> Value {
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}
