//! Collects, for every client and feature, the claim and the newest run, in one pass over each. Nothing is allocated for a cell
//! of which nothing is known.

use super::rules::{self, Run};
use super::{Cell, Cells, Claimed, Matrix, Proof, Row, Seen, Standing, Verdict, codes};
use crate::catalogue::{Catalogue, Client, ClientId, FeatureId};
use crate::diagnostic::Diagnostic;
use crate::results::{Filed, Outcome, ScenarioOutcome};
use crate::source::table::shown;
use jiff::civil::Date;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// See [`Matrix::merge`].
pub(super) fn merge<'c>(catalogue: &'c Catalogue, reports: &'c [Filed], as_of: Date) -> (Matrix<'c>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let context = Context::new(catalogue, as_of);
    let reports = by_client(reports, as_of, &mut findings);
    let rows: Vec<_> = catalogue
        .clients
        .par_iter()
        .map(|(id, client)| {
            let mut findings = Vec::new();
            check_age(client, &context, &mut findings);
            let row = context.row(client, reports.get(id).cloned().unwrap_or_default(), &mut findings);
            (id, row, findings)
        })
        .collect();
    let clients = rows.into_iter().map(|(id, row, more)| {
        findings.extend(more);
        (id, row)
    });
    let clients = clients.collect();
    (Matrix { as_of, clients }, findings)
}

/// The reports up to the day, of each client the newest first.
fn by_client<'c>(reports: &'c [Filed], as_of: Date, findings: &mut Vec<Diagnostic>) -> BTreeMap<&'c ClientId, Vec<&'c Filed>> {
    let mut sorted: BTreeMap<&ClientId, Vec<&Filed>> = BTreeMap::new();
    for filed in reports {
        if filed.day() > as_of {
            let title = format!("a result of {}, after {as_of}", filed.day());
            let help = "ages are counted from the day of the build (`--as-of`); a result from after it counts for nothing";
            findings.push(Diagnostic::new(&codes::FROM_THE_FUTURE, title).in_file(&filed.path).help(help));
        } else {
            sorted.entry(&filed.client).or_default().push(filed);
        }
    }
    for reports in sorted.values_mut() {
        reports
            .sort_by(|a, b| b.version.precedence(&a.version).then_with(|| b.time.cmp(&a.time)).then_with(|| a.path.cmp(&b.path)));
    }
    sorted
}

fn check_age(client: &Client, context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let days = days_between(client.checked.latest_day(), context.as_of);
    let limit = context.catalogue.settings.checked_days;
    if days > limit {
        let title = format!("last checked {days} days ago, on {}", client.checked);
        let finding = Diagnostic::new(&codes::UNCHECKED, title).at(
            &client.path,
            client.checked_span,
            format!("expected at most {limit} days"),
        );
        findings.push(finding.help("look at every fact of the manifest again, then set `checked` to that day"));
    }
}

/// Days from `day` to `as_of`; 0 when it lies ahead.
fn days_between(day: Date, as_of: Date) -> u32 {
    u32::try_from(as_of.duration_since(day).as_hours() / 24).unwrap_or(0)
}

/// What is the same for every row.
struct Context<'c> {
    catalogue: &'c Catalogue,
    as_of: Date,
    /// The features, in the order of cells.
    features: Vec<&'c FeatureId>,
    /// How many scenarios each has.
    scenario_counts: Vec<usize>,
    /// The feature of each scenario.
    feature_of: HashMap<&'c str, usize>,
    /// The features of each level.
    levels: Vec<Vec<usize>>,
}

impl<'c> Context<'c> {
    fn new(catalogue: &'c Catalogue, as_of: Date) -> Self {
        let features: Vec<&FeatureId> = catalogue.features.keys().collect();
        let index = |feature: &FeatureId| features.binary_search(&feature).ok();
        let mut scenario_counts = vec![0; features.len()];
        let mut feature_of = HashMap::new();
        for scenario in catalogue.scenarios.values() {
            if let Some(at) = index(&scenario.feature) {
                scenario_counts[at] += 1;
                feature_of.insert(scenario.id.as_str(), at);
            }
        }
        let levels = catalogue.levels.iter().map(|level| level.features.iter().filter_map(index).collect()).collect();
        Context { catalogue, as_of, features, scenario_counts, feature_of, levels }
    }

    fn row(&self, client: &'c Client, reports: Vec<&'c Filed>, findings: &mut Vec<Diagnostic>) -> Row<'c> {
        let claims = self.claims(client);
        let mut seen = self.seen(client, &reports, findings);
        let mut cells = Vec::with_capacity(self.features.len());
        let mut is_proven = vec![false; self.features.len()];
        let mut last_proof = None;
        for (at, claim) in claims.into_iter().enumerate() {
            let seen = seen.remove(&at);
            let run = seen.as_ref().map(|(seen, is_newest)| Run {
                verdict: seen.verdict,
                all_unsupported: seen.outcomes.len() == self.scenario_counts[at]
                    && seen.outcomes.iter().all(|outcome| outcome.outcome == Outcome::Unsupported),
                version: &seen.filed.version,
                is_newest: *is_newest,
                is_current: seen.current,
            });
            let state = rules::state(claim.map(|claimed| (claimed.claim, claimed.from.is_some())), run);
            let proof = match seen {
                Some((seen, _)) => {
                    if seen.verdict == Verdict::Pass {
                        is_proven[at] = seen.current;
                        last_proof = last_proof.max(Some(seen.date));
                    }
                    Proof::Seen(Box::new(seen))
                }
                None if self.scenario_counts[at] == 0 => Proof::NoScenario,
                None => Proof::NeverRun,
            };
            cells.push(Cell { feature: self.features[at], state, claim, proof });
        }
        let levels = self.standings(&is_proven);
        let reached = levels.iter().take_while(|standing| standing.is_reached()).last();
        Row { cells: Cells(cells), level: reached.map(|standing| standing.level), levels, reports, last_proof }
    }

    /// The claim on each feature: the client's own, else the nearest engine's. Claims and features are both sorted by id, so one
    /// walk along both finds them.
    fn claims(&self, client: &'c Client) -> Vec<Option<Claimed<'c>>> {
        let mut claims = vec![None; self.features.len()];
        let mut fill = |owner: &'c Client, from: Option<&'c ClientId>| {
            let mut next = 0;
            for (feature, claim) in &owner.claims {
                // Ids are mostly of different lengths, so that asking for equality is cheaper than asking for order.
                let Some(steps) = self.features[next..].iter().position(|known| *known == feature) else { continue };
                claims[next + steps].get_or_insert(Claimed { claim, from });
                next += steps + 1;
            }
        };
        fill(client, None);
        for engine in self.catalogue.engines(client) {
            fill(engine, Some(&engine.id));
        }
        claims
    }

    /// What the newest run says of each feature of which any says something, and whether it ran the newest version known.
    /// `reports` has the newest first.
    fn seen(&self, client: &Client, reports: &[&'c Filed], findings: &mut Vec<Diagnostic>) -> BTreeMap<usize, (Seen<'c>, bool)> {
        let mut seen: BTreeMap<usize, (Seen<'c>, bool)> = BTreeMap::new();
        let released = client.latest_release.as_ref().and_then(|release| release.version.as_ref());
        let Some(newest) = released.or_else(|| reports.first().map(|filed| &filed.version)) else { return seen };
        for filed in reports {
            let is_newest = filed.version.precedence(newest) != Ordering::Less;
            for (at, outcomes) in self.by_feature(filed, findings) {
                let verdict = verdict(&outcomes, self.scenario_counts[at]);
                let broker = filed.report.broker.version.as_str();
                match seen.get_mut(&at) {
                    None => {
                        let age_days = days_between(filed.day(), self.as_of);
                        let current = is_newest && age_days <= self.catalogue.settings.proof_days;
                        let client_version = filed.version.as_str();
                        let first = Seen {
                            verdict,
                            client_version,
                            brokers: vec![broker],
                            date: filed.day(),
                            age_days,
                            current,
                            outcomes,
                            filed,
                        };
                        seen.insert(at, (first, is_newest));
                    }
                    Some((first, _)) => {
                        let is_same = first.verdict == verdict && first.filed.version == filed.version;
                        if is_same && !first.brokers.contains(&broker) {
                            first.brokers.push(broker);
                        }
                    }
                }
            }
        }
        for (seen, _) in seen.values_mut() {
            sort_versions(&mut seen.brokers);
        }
        seen
    }

    /// A report's outcomes by their scenarios' features.
    fn by_feature(&self, filed: &'c Filed, findings: &mut Vec<Diagnostic>) -> BTreeMap<usize, Vec<&'c ScenarioOutcome>> {
        let mut by_feature: BTreeMap<usize, Vec<&ScenarioOutcome>> = BTreeMap::new();
        for outcome in &filed.report.outcomes {
            let Some(&at) = self.feature_of.get(outcome.scenario.as_str()) else {
                let title = format!("an outcome of the unknown scenario `{}`", shown(&outcome.scenario));
                let help = format!(
                    "expected a scenario that `content/scenarios/{}.md` describes; it counts for nothing",
                    outcome.scenario
                );
                findings.push(Diagnostic::new(&codes::UNKNOWN_SCENARIO, title).in_file(&filed.path).help(help));
                continue;
            };
            if self.features[at].as_str() != outcome.feature {
                let title = format!("an outcome of `{}` under the feature `{}`", outcome.scenario, shown(&outcome.feature));
                let help = format!("the scenario certifies `{}`, and counts there", self.features[at]);
                findings.push(Diagnostic::new(&codes::OTHER_FEATURE, title).in_file(&filed.path).help(help));
            }
            by_feature.entry(at).or_default().push(outcome);
        }
        by_feature
    }

    fn standings(&self, is_proven: &[bool]) -> Vec<Standing<'c>> {
        let standings = self.catalogue.levels.iter().zip(&self.levels).map(|(level, features)| {
            let (proven, missing): (Vec<usize>, Vec<usize>) = features.iter().partition(|at| is_proven[**at]);
            let ids = |list: Vec<usize>| list.into_iter().map(|at| self.features[at]).collect();
            Standing { level: &level.id, proven: ids(proven), missing: ids(missing) }
        });
        standings.collect()
    }
}

/// A feature's outcomes in one run, taken together. `expected` is how many scenarios the feature has.
fn verdict(outcomes: &[&ScenarioOutcome], expected: usize) -> Verdict {
    let any = |wanted: Outcome| outcomes.iter().any(|outcome| outcome.outcome == wanted);
    if any(Outcome::Fail) {
        Verdict::Fail
    } else if any(Outcome::Unsupported) {
        Verdict::Unsupported
    } else if any(Outcome::Error) {
        Verdict::Open(Outcome::Error)
    } else if any(Outcome::Skipped) || outcomes.len() < expected {
        Verdict::Open(Outcome::Skipped)
    } else {
        Verdict::Pass
    }
}

/// Newest first.
fn sort_versions(versions: &mut [&str]) {
    use crate::source::table::FromText;
    versions.sort_by_cached_key(|text| std::cmp::Reverse(crate::catalogue::Version::from_text(text).ok()));
}
