//! One cell in full: who claims what, what the kit saw, and when.

use super::frame::{Link, Mark, Seen, age_short};
use super::{Model, When};
use crate::catalogue::Feature;
use crate::matrix::{Cell, Proof, State, Verdict};
use serde::Serialize;
use std::borrow::Cow;

/// Claim, proof and age of one feature in one client, ready to be told.
#[derive(Debug, Serialize)]
pub struct Told<'m> {
    /// The feature's id.
    pub id: &'m str,
    /// The feature's title.
    pub title: &'m str,
    /// The class of the claim's shape.
    pub mark: &'static str,
    /// The claim's word: `yes`, `partial`, `no`, `planned`, `removed`; `not claimed` where only the kit speaks.
    pub word: &'static str,
    /// First version that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<&'m str>,
    /// Last version that had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<&'m str>,
    /// The engine whose claim this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Link<'m>>,
    /// Who claims it and where: the address, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<Cow<'m, str>>,
    /// Who claims it and where: what it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Cow<'m, str>>,
    /// Limits and conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'m str>,
    /// What the kit saw; `None`: nothing yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofTold<'m>>,
}

/// What the kit saw of a feature.
#[derive(Debug, Serialize)]
pub struct ProofTold<'m> {
    /// The class of the shape.
    pub mark: &'static str,
    /// `proven`, `proven, ageing`, `failed`, `unsupported`, `error`, `skipped`.
    pub word: &'static str,
    /// Versions of the client and of the brokers.
    pub client_version: &'m str,
    /// Newest first.
    pub brokers: Vec<&'m str>,
    /// `12 d`.
    pub age: String,
    /// The day.
    pub date: When,
    /// What was expected and seen where it did not pass.
    pub faults: Vec<Fault<'m>>,
}

/// A scenario that did not pass.
#[derive(Debug, Serialize)]
pub struct Fault<'m> {
    /// Its id.
    pub scenario: &'m str,
    /// How it ended.
    pub outcome: &'static str,
    /// What was expected.
    pub expected: &'m str,
    /// What was seen.
    pub seen: &'m str,
    /// Why not.
    pub reason: Option<&'m str>,
    /// Where that is discussed.
    pub link: Option<&'m str>,
}

impl<'m> Model<'m> {
    /// The claim and the proof of a feature's cell; `None` where nobody has said anything.
    pub fn told(&self, feature: &'m Feature, cell: &'m Cell<'m>) -> Option<Told<'m>> {
        let proof = proof(cell);
        let (id, title) = (feature.id.as_str(), feature.title.as_str());
        let Some(claimed) = &cell.claim else {
            let proof = proof?;
            return Some(Told {
                id,
                title,
                mark: "u",
                word: "not claimed",
                since: None,
                until: None,
                engine: None,
                href: None,
                source: None,
                note: None,
                proof: Some(proof),
            });
        };
        let claim = claimed.claim;
        let Mark { mark, word } = claim.support.into();
        let engine = claimed.from.and_then(|id| self.catalogue.clients.get(id)).map(Link::client);
        let Seen { href, text } = self.seen(&claim.source);
        Some(Told {
            id,
            title,
            mark: if engine.is_some() && mark == "c" { "i" } else { mark },
            word,
            since: claim.since.as_ref().map(|version| version.as_str()),
            until: claim.until.as_ref().map(|version| version.as_str()),
            engine,
            href,
            source: Some(text),
            note: claim.note.as_deref(),
            proof,
        })
    }
}

fn proof<'m>(cell: &'m Cell<'m>) -> Option<ProofTold<'m>> {
    let Proof::Seen(seen) = &cell.proof else { return None };
    let (mark, word) = match seen.verdict {
        Verdict::Pass if cell.state == State::ProvenAgeing || !seen.current => ("s", "proven, ageing"),
        Verdict::Pass => ("p", "proven"),
        Verdict::Fail => ("x", "failed"),
        Verdict::Unsupported => ("n", "unsupported"),
        Verdict::Open(outcome) => match outcome {
            crate::results::Outcome::Skipped => ("k", "skipped"),
            _ => ("e", "error"),
        },
    };
    let faults = seen
        .outcomes
        .iter()
        .filter(|outcome| outcome.outcome != crate::results::Outcome::Pass)
        .map(|outcome| Fault {
            scenario: &outcome.scenario,
            outcome: outcome.outcome.word(),
            expected: &outcome.expected,
            seen: &outcome.seen,
            reason: outcome.reason.as_deref(),
            link: outcome.link.as_deref(),
        })
        .collect();
    Some(ProofTold {
        mark,
        word,
        client_version: seen.client_version,
        brokers: seen.brokers.clone(),
        age: age_short(seen.age_days),
        date: seen.date.into(),
        faults,
    })
}
