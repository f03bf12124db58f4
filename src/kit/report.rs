//! A report for people and for machines: human, JSON, JUnit, HTML.

use crate::results::{Outcome, Report};
use std::fmt::Write;

/// A way to write a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines for a terminal.
    Human,
    /// The result format itself.
    Json,
    /// JUnit's XML, as CI services read it.
    Junit,
    /// One page without scripts.
    Html,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "human" => Ok(Format::Human),
            "json" => Ok(Format::Json),
            "junit" => Ok(Format::Junit),
            "html" => Ok(Format::Html),
            other => Err(format!("{other:?} is not a format: human, json, junit or html")),
        }
    }
}

/// Writes reports in a format.
pub fn write(reports: &[Report], format: Format) -> String {
    match format {
        Format::Human => reports.iter().map(human).collect::<Vec<_>>().join("\n"),
        Format::Json if reports.len() == 1 => json(&reports[0]),
        Format::Json => serde_json::to_string_pretty(reports).unwrap_or_default() + "\n",
        Format::Junit => junit(reports),
        Format::Html => html(reports),
    }
}

/// A report as it is filed.
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

fn title(report: &Report) -> String {
    let engine = report.engine.as_ref().map(|engine| format!(" ({} {})", engine.id, engine.version)).unwrap_or_default();
    let (client, broker) = (&report.client, &report.broker);
    format!("{} {}{engine} against {} {}", client.id, client.version, broker.name, broker.version)
}

fn human(report: &Report) -> String {
    let mut text = format!("{}, {}, seed {}\n", title(report), report.date, report.seed);
    let width = report.outcomes.iter().map(|outcome| outcome.scenario.len()).max().unwrap_or(0);
    for outcome in &report.outcomes {
        let seconds = outcome.duration_ms as f64 / 1000.0;
        let seen = outcome.reason.as_ref().unwrap_or(&outcome.seen);
        let _ = writeln!(text, "  {:11} {:width$} {seconds:6.1} s  {seen}", outcome.outcome.word(), outcome.scenario);
        if matches!(outcome.outcome, Outcome::Fail | Outcome::Error) {
            let _ = writeln!(text, "  {:11} {:width$}           expected: {}", "", "", outcome.expected);
        }
    }
    let _ = writeln!(text, "{}", super::run::summary(&report.outcomes));
    text
}

fn junit(reports: &[Report]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for report in reports {
        let count = |kind| report.outcomes.iter().filter(|outcome| outcome.outcome == kind).count();
        let skipped = count(Outcome::Skipped) + count(Outcome::Unsupported);
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{skipped}\" timestamp=\"{}\">",
            escape(&title(report)),
            report.outcomes.len(),
            count(Outcome::Fail),
            count(Outcome::Error),
            escape(report.date.trim_end_matches('Z')),
        );
        for outcome in &report.outcomes {
            let (id, seconds) = (escape(&outcome.scenario), outcome.duration_ms as f64 / 1000.0);
            let _ = write!(text, "    <testcase classname=\"{}\" name=\"{id}\" time=\"{seconds:.3}\"", escape(&report.client.id));
            let words = format!("expected: {}; seen: {}", outcome.expected, outcome.seen);
            let inner = match outcome.outcome {
                Outcome::Pass => None,
                Outcome::Fail => Some(format!("<failure message=\"{}\"/>", escape(&words))),
                Outcome::Error => Some(format!("<error message=\"{}\"/>", escape(&words))),
                Outcome::Unsupported | Outcome::Skipped => {
                    Some(format!("<skipped message=\"{}\"/>", escape(outcome.reason.as_deref().unwrap_or(&outcome.seen))))
                }
            };
            let _ = match inner {
                Some(inner) => writeln!(text, ">{inner}</testcase>"),
                None => writeln!(text, "/>"),
            };
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn html(reports: &[Report]) -> String {
    let mut text = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Kit report</title>\n<style>body{font:16px/1.5 sans-serif;\
         max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{padding:.3rem .6rem;text-align:left;\
         vertical-align:top;border-bottom:1px solid #ccc}.pass{color:#176b2c}.fail,.error{color:#a11212}</style>\n",
    );
    for report in reports {
        let _ = writeln!(
            text,
            "<h1>{}</h1>\n<p>{}, seed {}. {}.</p>",
            escape(&title(report)),
            escape(&report.date),
            report.seed,
            super::run::summary(&report.outcomes)
        );
        text.push_str("<table>\n<tr><th>Scenario<th>Outcome<th>Seen<th>Evidence<th>Time\n");
        for outcome in &report.outcomes {
            let word = outcome.outcome.word();
            let evidence: Vec<String> = outcome.evidence.iter().map(|evidence| escape(&evidence.text)).collect();
            let _ = writeln!(
                text,
                "<tr><th>{}<td class=\"{word}\">{word}<td>{}<br><small>expected: {}</small><td>{}<td>{:.1} s",
                escape(&outcome.scenario),
                escape(outcome.reason.as_ref().unwrap_or(&outcome.seen)),
                escape(&outcome.expected),
                evidence.join("<br>"),
                outcome.duration_ms as f64 / 1000.0
            );
        }
        text.push_str("</table>\n");
    }
    text + "</html>\n"
}

/// Escapes for XML and HTML; characters that XML does not have are left out.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Broker, Kit, Machine, ScenarioOutcome, Tried};

    fn sample() -> Report {
        let outcome = |scenario: &str, outcome, seen: &str| ScenarioOutcome {
            scenario: scenario.into(),
            feature: "producer".into(),
            outcome,
            expected: "this & that".into(),
            seen: seen.into(),
            evidence: vec![],
            duration_ms: 1500,
            reason: None,
            link: None,
        };
        Report {
            schema: 1,
            kit: Kit { version: "0".into() },
            client: Tried { id: "c".into(), version: "1".into() },
            engine: None,
            broker: Broker { name: "kafka".into(), version: "4.4.0".into(), nodes: 1 },
            date: "2026-11-30T00:00:00Z".into(),
            seed: 1,
            machine: Machine { os: "linux".into(), arch: "x".into(), cpus: 2, memory_mib: 1 },
            outcomes: vec![outcome("a", Outcome::Pass, "all"), outcome("b", Outcome::Fail, "<nothing> \u{1}")],
        }
    }

    #[test]
    fn every_format_tells_what_failed_and_escapes_it() {
        let report = [sample()];
        assert!(write(&report, Format::Human).contains("1 pass, 1 fail"));
        assert_eq!(serde_json::from_str::<Report>(&write(&report, Format::Json)).unwrap(), sample());
        let junit = write(&report, Format::Junit);
        assert!(junit.contains("failures=\"1\"") && junit.contains("seen: &lt;nothing&gt; \"/>"), "{junit}");
        assert!(write(&report, Format::Html).contains("&lt;nothing&gt;"));
    }
}
