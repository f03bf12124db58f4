//! `/changes/`: dated facts, newest first, and the plain entries that feeds are made from.

use super::frame::{Frame, Link, When};
use super::{CHANGES_MAX, Model};
use crate::catalogue::{Client, PartialDate, Release};
use crate::site::feeds;
use jiff::civil::Date;
use serde::Serialize;

/// `changes.html`.
#[derive(Debug, Serialize)]
pub struct ChangesPage<'m> {
    /// What every page has.
    pub page: Frame<'m>,
    /// Newest first.
    pub days: Vec<Day<'m>>,
    /// How many older ones are not shown.
    pub older: usize,
}

/// What happened on a day (or in a month, or a year, where no more is known).
#[derive(Debug, Serialize)]
pub struct Day<'m> {
    /// The day.
    pub when: When,
    /// Releases and results.
    pub changes: Vec<Change<'m>>,
    /// Clients whose facts were checked, by name.
    pub checked: Vec<Change<'m>>,
}

/// One dated fact.
#[derive(Debug, Clone, Serialize)]
pub struct Change<'m> {
    /// Unique and lasting, its fragment on the page: `release-kafka-python-3_0_12`.
    pub id: String,
    /// The last day it can mean.
    #[serde(skip)]
    pub day: Date,
    /// As far as known.
    pub when: When,
    /// `release`, `first-release`, `checked`, `result`.
    pub kind: &'static str,
    /// The client.
    pub client: Link<'m>,
    /// What happened, as the rest of a sentence that begins with the client: `3.0.12 was released`.
    pub text: String,
}

/// Every dated fact that is not later than the day of the build, newest first; ties by client.
pub fn changes<'m>(model: &Model<'m>) -> Vec<Change<'m>> {
    let mut changes: Vec<Change<'m>> = model.by_name.iter().flat_map(|client| of_client(model, client)).collect();
    changes.sort_by(|a, b| b.day.cmp(&a.day).then_with(|| b.when.iso.cmp(&a.when.iso)));
    changes
}

fn of_client<'m>(model: &Model<'m>, client: &'m Client) -> Vec<Change<'m>> {
    let mut changes = Vec::new();
    let mut add = |date: PartialDate, kind: &'static str, key: &str, text: String| {
        changes.push(Change {
            id: format!("{kind}-{}-{}", client.id, fragment(key)),
            day: date.latest_day().min(model.matrix.as_of),
            when: date.into(),
            kind,
            client: Link::client(client),
            text,
        });
    };
    if let Some((date, version)) = client.latest_release.as_ref().and_then(dated) {
        add(date, "release", version, format!("{version} was released"));
    }
    if let Some((date, version)) = client.first_release.as_ref().and_then(dated)
        && client.latest_release.as_ref().and_then(|release| release.version.as_ref()).is_none_or(|v| v.as_str() != version)
    {
        add(date, "first-release", version, format!("{version} was the first release").trim().to_owned());
    }
    add(client.checked, "checked", &client.checked.to_string(), "facts were checked".to_owned());
    for filed in model.row(client).into_iter().flat_map(|row| &row.reports) {
        let report = &filed.report;
        let Some(date) = report.date.get(..10).and_then(|day| day.parse::<Date>().ok()) else { continue };
        let passed = report.outcomes.iter().filter(|outcome| outcome.outcome == crate::results::Outcome::Pass).count();
        let date = PartialDate { year: date.year(), month: Some(date.month()), day: Some(date.day()) };
        let text = format!(
            "{} ran on {} {}: {passed} of {} scenarios passed",
            report.client.version,
            report.broker.name,
            report.broker.version,
            report.outcomes.len()
        );
        add(date, "result", filed.path.file_stem().unwrap_or_default(), text);
    }
    changes
}

/// What is fit for a fragment of an address.
fn fragment(key: &str) -> String {
    key.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

fn dated(release: &Release) -> Option<(PartialDate, &str)> {
    Some((release.date?, release.version.as_ref().map_or("", |version| version.as_str())))
}

pub(super) fn view<'m>(model: &Model<'m>) -> ChangesPage<'m> {
    let all = changes(model);
    let older = all.len().saturating_sub(CHANGES_MAX);
    let mut days: Vec<Day<'m>> = Vec::new();
    for change in all.into_iter().take(CHANGES_MAX) {
        if days.last().is_none_or(|day| day.when != change.when) {
            days.push(Day { when: change.when.clone(), changes: Vec::new(), checked: Vec::new() });
        }
        if let Some(day) = days.last_mut() {
            if change.kind == "checked" { day.checked.push(change) } else { day.changes.push(change) }
        }
    }
    let page = Frame::new("/changes/", "Changes", "Releases, checked facts and results of every client, newest first.")
        .with_twin()
        .below(Vec::new());
    ChangesPage { page, days, older }
}

/// The same for feeds: releases and results one by one, the newest [`FEED_MAX`].
pub fn feed_entries(model: &Model<'_>) -> Vec<feeds::Entry> {
    let entry = |change: Change<'_>| feeds::Entry {
        date: change.day.to_string(),
        address: format!("/changes/#{}", change.id),
        title: format!("{}: {}", change.client.text, change.text),
        text: format!("{} {}, {}.", change.client.text, change.text, change.when.words),
    };
    changes(model).into_iter().take(FEED_MAX).map(entry).collect()
}

/// The most entries in a feed.
const FEED_MAX: usize = 100;
