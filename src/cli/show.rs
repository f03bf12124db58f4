//! `show CLIENT`: what the book knows of a client, in the terminal.

use super::args::Dates;
use super::context::Context;
use super::{Exit, Stop};
use crate::catalogue::{Catalogue, Client, Source};
use crate::diagnostic::{did_you_mean, visible};
use crate::matrix::{Cell, Matrix, Proof, Row, State, Verdict};
use crate::pipeline;
use jiff::civil::Date;
use std::fmt::{self, Write as _};

pub(super) fn run(context: &Context<'_>, typed: &str, dates: &Dates) -> Result<Exit, Stop> {
    let options = context.options(dates)?;
    let input = pipeline::read(&context.root, &options);
    let Some(book) = &input.book else {
        context.print_findings(&input.findings, &input.tree)?;
        return Err(Stop::new("the catalogue cannot be read").help("mend what is printed above"));
    };
    let ids = || book.catalogue.clients.values();
    let client = ids().find(|client| client.id.as_str() == typed || client.aliases.iter().any(|alias| alias.as_str() == typed));
    let Some(client) = client else {
        let near = did_you_mean(typed, ids().map(|client| client.id.as_str()));
        let near = near.map_or_else(String::new, |id| format!("did you mean `{id}`? "));
        return Err(Stop::new(format!("there is no client `{typed}`"))
            .help(format!("{near}an entry with errors is left out: `clientbook check` prints them")));
    };
    let (matrix, _) = Matrix::merge(&book.catalogue, &book.reports, options.as_of);
    let sheet = Sheet { catalogue: &book.catalogue, matrix: &matrix, client };
    context.terminal.print(&visible(&sheet.to_string()))?;
    context
        .terminal
        .say(&format!("ages are counted from {}; next: `clientbook serve`, then `/clients/{}/`", options.as_of, client.id));
    Ok(Exit::Clean)
}

/// A client's page as plain text.
struct Sheet<'c> {
    catalogue: &'c Catalogue,
    matrix: &'c Matrix<'c>,
    client: &'c Client,
}

impl fmt::Display for Sheet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.client;
        writeln!(f, "{} ({})\n{}\n", client.name, client.id, client.summary)?;
        self.facts(f)?;
        let Some(row) = self.matrix.clients.get(&client.id) else { return Ok(()) };
        self.levels(f, row)?;
        self.features(f, row)?;
        if !client.pitfalls.is_empty() {
            writeln!(f, "\nPitfalls")?;
        }
        for pitfall in &client.pitfalls {
            writeln!(f, "  {}: {} ({})", pitfall.title, pitfall.detail, address(&pitfall.source))?;
        }
        Ok(())
    }
}

impl Sheet<'_> {
    fn facts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.client;
        let mut fact = |name: &str, value: &str| if value.is_empty() { Ok(()) } else { writeln!(f, "  {name:14}{value}") };
        let languages = client.languages.iter().map(|id| self.catalogue.languages.get(id).map_or(id.as_str(), |l| &l.name));
        fact("languages", &languages.collect::<Vec<_>>().join(", "))?;
        let engine = client.based_on.as_ref().map_or_else(String::new, |engine| format!(", on {engine}"));
        fact("kind", &format!("{}{engine}", client.kind.word()))?;
        let status = &client.status;
        fact("status", &format!("{}: {} ({})", status.value.word(), status.reason, address(&status.source)))?;
        if let Some(release) = &client.latest_release {
            let date = release.date.map(|date| format!("({date})"));
            let parts = [release.version.as_ref().map(ToString::to_string), date].into_iter().flatten();
            fact("latest", &parts.collect::<Vec<_>>().join(" "))?;
        }
        if let Some(brokers) = &client.brokers {
            let from = brokers.from.as_ref().map(|from| format!("from {from}"));
            let to = brokers.to.as_ref().map(|to| format!("to {to}"));
            let parts: Vec<String> = [from, to, brokers.note.clone()].into_iter().flatten().collect();
            fact("brokers", &format!("{} ({})", parts.join(" "), address(&brokers.source)))?;
        }
        fact("licence", &client.license)?;
        fact("packages", &client.packages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))?;
        fact("install", client.install.as_deref().unwrap_or_default())?;
        fact("repository", client.repository.as_str())?;
        fact("documentation", client.documentation.as_ref().map_or("", |url| url.as_str()))?;
        fact("maintainer", client.maintainer.as_deref().unwrap_or_default())?;
        fact("checked", &client.checked.to_string())
    }

    fn levels(&self, f: &mut fmt::Formatter<'_>, row: &Row<'_>) -> fmt::Result {
        if row.levels.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nLevels")?;
        for standing in &row.levels {
            let level = self.catalogue.levels.iter().find(|level| level.id == *standing.level);
            let title = level.map_or(standing.level.as_str(), |level| &level.title);
            let missing: Vec<&str> = standing.missing.iter().map(|feature| feature.as_str()).collect();
            let says = if missing.is_empty() { "reached".to_owned() } else { format!("not proven: {}", missing.join(", ")) };
            writeln!(f, "  {title:14}{says}")?;
        }
        Ok(())
    }

    fn features(&self, f: &mut fmt::Formatter<'_>, row: &Row<'_>) -> fmt::Result {
        let mut contradictions = String::new();
        for group in &self.catalogue.groups {
            writeln!(f, "\n{}", group.title)?;
            for id in &group.features {
                let (Some(cell), Some(feature)) = (row.cells.get(id), self.catalogue.features.get(id)) else { continue };
                let claim = claim(cell).unwrap_or_default();
                writeln!(f, "  {:24}  {}{claim}", feature.title, state(cell.state))?;
                if let Some(claimed) = &cell.claim {
                    writeln!(f, "  {:24}  {}", "", address(&claimed.claim.source))?;
                }
                if let Some(line) = proof(cell, self.matrix.as_of) {
                    writeln!(f, "  {:24}  {line}", "")?;
                    if cell.state == State::Contradicted {
                        writeln!(contradictions, "  {}{claim}; but {line}", feature.title)?;
                    }
                }
            }
        }
        if !contradictions.is_empty() {
            write!(f, "\nContradictions\n{contradictions}")?;
        }
        Ok(())
    }
}

fn address(source: &Source) -> String {
    match source {
        Source::Url(url) => url.to_string(),
        Source::Package(purl) => purl.to_string(),
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Proven => "proven",
        State::ProvenAgeing => "proven, ageing",
        State::Claimed => "claimed",
        State::Inherited => "claimed",
        State::Partial => "partial",
        State::Contradicted => "contradicted",
        State::No => "no",
        State::Planned => "planned",
        State::Removed => "removed",
        State::Unknown => "unknown",
    }
}

/// What follows the state: the word of the claim, where the state does not say it, and what goes with it.
fn claim(cell: &Cell<'_>) -> Option<String> {
    let claimed = cell.claim.as_ref()?;
    let claim = claimed.claim;
    let mut line = match cell.state {
        State::Proven | State::ProvenAgeing | State::Contradicted => format!(", claimed {}", claim.support.word()),
        _ => String::new(),
    };
    let parts = [
        claim.since.as_ref().map(|since| format!(" since {since}")),
        claim.until.as_ref().map(|until| format!(" until {until}")),
        claimed.from.map(|engine| format!(", by {engine}")),
        claim.note.as_ref().map(|note| format!(": {note}")),
    ];
    line.extend(parts.into_iter().flatten());
    Some(line)
}

fn proof(cell: &Cell<'_>, as_of: Date) -> Option<String> {
    let Proof::Seen(seen) = &cell.proof else { return None };
    let verdict = match seen.verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed",
        Verdict::Unsupported => "the driver says it cannot be done",
        Verdict::Open(outcome) => outcome.word(),
    };
    let brokers = seen.brokers.join(", ");
    Some(format!(
        "seen: {verdict} with version {} against {brokers} on {}, {} days before {as_of}",
        seen.client_version, seen.date, seen.age_days
    ))
}
