//! What a report must hold beyond its form.

use super::locate::{self, Step};
use super::{Filed, Outcome, Report, SCHEMA, ScenarioOutcome, codes};
use crate::catalogue::{ClientId, HttpsUrl, Line, ScenarioId, Text, Version};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::SourceFile;
use crate::source::table::{FromText, shown};
use jiff::Timestamp;
use std::collections::HashSet;

/// The most outcomes in a report.
pub(super) const OUTCOMES_MAX: usize = 2_000;
/// The most pieces of evidence beside an outcome.
pub(super) const EVIDENCE_MAX: usize = 64;

struct Check<'f> {
    file: &'f SourceFile,
    text: &'f str,
    findings: Vec<Diagnostic>,
}

/// Checks a report; `None` when something is wrong with it.
pub(super) fn check(file: &SourceFile, text: &str, report: Report) -> (Option<Filed>, Vec<Diagnostic>) {
    use Step::{Index, Key};
    let mut check = Check { file, text, findings: Vec::new() };
    if report.schema != SCHEMA {
        let title = format!("version {} of the result format is not supported", report.schema);
        check.report(&codes::SCHEMA_NUMBER, title, &[Key("schema")], &format!("expected {SCHEMA}"));
    }
    let client = check.client(&report);
    let version = check.version(&report.client.version, &[Key("client"), Key("version")]);
    check.version(&report.kit.version, &[Key("kit"), Key("version")]);
    check.version(&report.broker.version, &[Key("broker"), Key("version")]);
    if let Some(engine) = &report.engine {
        check.id::<ClientId>(&engine.id, &[Key("engine"), Key("id")]);
        check.version(&engine.version, &[Key("engine"), Key("version")]);
    }
    check.line::<60>(&report.broker.name, &[Key("broker"), Key("name")]);
    check.line::<60>(&report.machine.os, &[Key("machine"), Key("os")]);
    check.line::<60>(&report.machine.arch, &[Key("machine"), Key("arch")]);
    let time = check.time(&report.date);
    if report.outcomes.len() > OUTCOMES_MAX {
        let title = format!("{} outcomes in one result", report.outcomes.len());
        check.report(&codes::TOO_MANY, title, &[Key("outcomes")], &format!("expected at most {OUTCOMES_MAX}"));
    }
    let mut seen = HashSet::new();
    for (index, outcome) in report.outcomes.iter().take(OUTCOMES_MAX).enumerate() {
        if !seen.insert(outcome.scenario.as_str()) {
            let title = format!("two outcomes of the scenario `{}`", shown(&outcome.scenario));
            let place = [Key("outcomes"), Index(index), Key("scenario")];
            check.report(&codes::SCENARIO_TWICE, title, &place, "expected each scenario once");
        }
        check.outcome(index, outcome);
    }
    let filed = (|| Some(Filed { path: file.path.clone(), client: client?, version: version?, time: time?, report }))();
    (filed.filter(|_| check.findings.is_empty()), check.findings)
}

impl Check<'_> {
    fn report(&mut self, code: &'static Code, title: impl Into<String>, place: &[Step], why: &str) {
        let span = locate::value(self.text, place);
        self.findings.push(Diagnostic::new(code, title).at(&self.file.path, span, why));
    }

    fn client(&mut self, report: &Report) -> Option<ClientId> {
        let place = [Step::Key("client"), Step::Key("id")];
        let id = self.id::<ClientId>(&report.client.id, &place)?;
        let folder = self.file.path.as_str().split('/').nth(1).unwrap_or_default();
        if id.as_str() == folder {
            return Some(id);
        }
        let title = format!("a result of `{id}` in the folder of `{}`", shown(folder));
        self.report(&codes::OTHER_CLIENT, title, &place, &format!("expected `{}`", shown(folder)));
        None
    }

    fn id<I: FromText>(&mut self, id: &str, place: &[Step]) -> Option<I> {
        I::from_text(id)
            .map_err(|fault| {
                let title = format!("`{}` is not an id", shown(id));
                self.report(&codes::BAD_ID, title, place, &format!("expected {}", fault.expected));
            })
            .ok()
    }

    fn version(&mut self, version: &str, place: &[Step]) -> Option<Version> {
        Version::from_text(version)
            .map_err(|fault| {
                let title = format!("`{}` is not a version", shown(version));
                self.report(&codes::BAD_VERSION, title, place, &format!("expected {}", fault.expected));
            })
            .ok()
    }

    fn time(&mut self, date: &str) -> Option<Timestamp> {
        // jiff reads more than RFC 3339 (spaces, any offset); the format is narrower, so that texts compare.
        let is_utc = date.ends_with('Z') && date.as_bytes().get(10) == Some(&b'T') && date.len() <= 30;
        let time = date.parse::<Timestamp>().ok().filter(|_| is_utc);
        if time.is_none() {
            let title = format!("`{}` is not a moment in UTC", shown(date));
            self.report(&codes::BAD_TIME, title, &[Step::Key("date")], "expected RFC 3339 in UTC as `2026-11-30T12:00:00Z`");
        }
        time
    }

    fn outcome(&mut self, index: usize, outcome: &ScenarioOutcome) {
        let place = |key: &'static str| [Step::Key("outcomes"), Step::Index(index), Step::Key(key)];
        self.id::<ScenarioId>(&outcome.scenario, &place("scenario"));
        self.id::<crate::catalogue::FeatureId>(&outcome.feature, &place("feature"));
        self.text(&outcome.expected, &place("expected"));
        // What was not run was not seen.
        if !outcome.seen.is_empty() || !matches!(outcome.outcome, Outcome::Unsupported | Outcome::Skipped) {
            self.text(&outcome.seen, &place("seen"));
        }
        match &outcome.reason {
            Some(reason) => self.text(reason, &place("reason")),
            None if matches!(outcome.outcome, Outcome::Unsupported | Outcome::Skipped) => {
                let title = format!("`{}` is {} without a reason", shown(&outcome.scenario), outcome.outcome.word());
                self.report(&codes::REASON_MISSING, title, &place("outcome"), "expected a `reason` beside");
            }
            None => {}
        }
        if let Some(link) = &outcome.link
            && let Err(fault) = HttpsUrl::from_text(link)
        {
            let title = format!("`{}` is not an `https:` address", shown(link));
            self.report(&codes::BAD_LINK, title, &place("link"), &format!("expected {}", fault.expected));
        }
        if outcome.evidence.len() > EVIDENCE_MAX {
            let title = format!("{} pieces of evidence beside one outcome", outcome.evidence.len());
            self.report(&codes::TOO_MANY, title, &place("evidence"), &format!("expected at most {EVIDENCE_MAX}"));
        }
        for (nth, evidence) in outcome.evidence.iter().take(EVIDENCE_MAX).enumerate() {
            let [outcomes, index, list] = place("evidence");
            self.text(&evidence.text, &[outcomes, index, list, Step::Index(nth), Step::Key("text")]);
        }
    }

    fn line<const MAX: usize>(&mut self, text: &str, place: &[Step]) {
        if let Err(fault) = Line::<MAX>::from_text(text) {
            self.report_text(fault, place);
        }
    }

    fn text(&mut self, text: &str, place: &[Step]) {
        if let Err(fault) = Text::<4096>::from_text(text) {
            self.report_text(fault, place);
        }
    }

    fn report_text(&mut self, fault: crate::source::table::Fault, place: &[Step]) {
        let title = fault.kind.map_or_else(|| "a text that does not fit".to_owned(), |(_, title)| title);
        self.report(&codes::BAD_TEXT, title, place, &format!("expected {}", fault.expected));
    }
}
