//! What is shown of a cell, from what is claimed and what was seen.
//!
//! | claim ＼ seen | nothing | pass | fail | some unsupported | all unsupported | open |
//! |---|---|---|---|---|---|---|
//! | none | unknown | proven¹ | unknown | unknown | no² | unknown |
//! | yes | claimed³ | proven¹ | contradicted⁴ | contradicted⁴ | contradicted⁴ | claimed³ |
//! | partial | partial | partial | partial | partial | contradicted⁴ | partial |
//! | no | no | contradicted | no | no | no | no |
//! | planned | planned | proven¹ | planned | planned | planned | planned |
//! | removed | removed | contradicted⁵ | removed | removed | removed | removed |
//!
//! 1. “Proven, ageing” where the run is longer ago than the limit, or was of a version older than the newest known.
//! 2. The client's own driver says, with a reason, that it cannot be done. A mere failure is no such word: without a claim the cell
//!    stays unknown, and shows the failure beside.
//! 3. “Inherited” where the claim is the engine's.
//! 4. Unless the claim says `since` a version newer than the one that ran: then the run says nothing against it, and the cell shows
//!    the claim.
//! 5. Unless the version that ran still had it (`until`), or, where `until` is absent, was older than the newest known.
//!
//! Age never takes a contradiction away: what failed has failed until a newer run says otherwise. Inherited claims are held to the
//! same rules, because the page shows them.

use super::{State, Verdict};
use crate::catalogue::{Claim, Support, Version};
use std::cmp::Ordering;

/// The newest run that has an outcome of the feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'r> {
    pub verdict: Verdict,
    /// Every scenario of the feature ended as unsupported.
    pub all_unsupported: bool,
    /// The client's version that ran.
    pub version: &'r Version,
    /// That version is the newest known.
    pub is_newest: bool,
    /// And the run is not longer ago than the limit.
    pub is_current: bool,
}

/// The state of a cell. The flag beside the claim says that it is the engine's.
pub(super) fn state(claim: Option<(&Claim, bool)>, run: Option<Run<'_>>) -> State {
    let Some((claim, is_inherited)) = claim else { return unclaimed(run) };
    let claimed = match claim.support {
        Support::Yes if is_inherited => State::Inherited,
        Support::Yes => State::Claimed,
        Support::Partial => State::Partial,
        Support::No => State::No,
        Support::Planned => State::Planned,
        Support::Removed => State::Removed,
    };
    let Some(run) = run else { return claimed };
    let passed = run.verdict == Verdict::Pass;
    let contradicts = match claim.support {
        Support::Yes => matches!(run.verdict, Verdict::Fail | Verdict::Unsupported) && !is_before_since(claim, run),
        Support::Partial => run.all_unsupported && !is_before_since(claim, run),
        Support::No => passed,
        Support::Planned => false,
        Support::Removed => passed && is_after_until(claim, run),
    };
    match claim.support {
        _ if contradicts => State::Contradicted,
        Support::Yes | Support::Planned if passed => proven(run),
        _ => claimed,
    }
}

fn unclaimed(run: Option<Run<'_>>) -> State {
    match run {
        Some(run) if run.verdict == Verdict::Pass => proven(run),
        Some(run) if run.all_unsupported => State::No,
        _ => State::Unknown,
    }
}

fn proven(run: Run<'_>) -> State {
    if run.is_current { State::Proven } else { State::ProvenAgeing }
}

fn is_before_since(claim: &Claim, run: Run<'_>) -> bool {
    claim.since.as_ref().is_some_and(|since| run.version.precedence(since) == Ordering::Less)
}

fn is_after_until(claim: &Claim, run: Run<'_>) -> bool {
    match &claim.until {
        Some(until) => run.version.precedence(until) == Ordering::Greater,
        None => run.is_newest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Source;
    use crate::diagnostic::Span;
    use crate::results::Outcome;
    use crate::source::table::FromText;

    fn version(text: &str) -> Version {
        Version::from_text(text).unwrap()
    }

    fn claim(support: Support) -> Claim {
        let source = Source::from_text("https://example.com/").unwrap();
        Claim { support, since: None, until: None, note: None, source, span: Span::default() }
    }

    /// As `words` says: seen, age → state, in the order of the table above.
    const SEEN: [&str; 6] = ["nothing", "pass", "fail", "some unsupported", "all unsupported", "open"];

    fn run<'r>(seen: &str, is_current: bool, version: &'r Version) -> Option<Run<'r>> {
        let verdict = match seen {
            "nothing" => return None,
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail,
            "open" => Verdict::Open(Outcome::Error),
            _ => Verdict::Unsupported,
        };
        Some(Run { verdict, all_unsupported: seen == "all unsupported", version, is_newest: true, is_current })
    }

    #[test]
    fn every_combination() {
        use State::*;
        let table: [(Option<Support>, [State; 6]); 6] = [
            (None, [Unknown, Proven, Unknown, Unknown, No, Unknown]),
            (Some(Support::Yes), [Claimed, Proven, Contradicted, Contradicted, Contradicted, Claimed]),
            (Some(Support::Partial), [Partial, Partial, Partial, Partial, Contradicted, Partial]),
            (Some(Support::No), [No, Contradicted, No, No, No, No]),
            (Some(Support::Planned), [Planned, Proven, Planned, Planned, Planned, Planned]),
            (Some(Support::Removed), [Removed, Contradicted, Removed, Removed, Removed, Removed]),
        ];
        let ran = version("1.0");
        let mut combinations = 0;
        for (support, row) in table {
            let claim = support.map(claim);
            for (seen, expected) in SEEN.into_iter().zip(row) {
                for is_inherited in [false, true] {
                    for is_current in [false, true] {
                        let expected = match expected {
                            Claimed if is_inherited => Inherited,
                            Proven if !is_current => ProvenAgeing,
                            other => other,
                        };
                        let state = state(claim.as_ref().map(|claim| (claim, is_inherited)), run(seen, is_current, &ran));
                        assert_eq!(state, expected, "{support:?} inherited {is_inherited} × {seen} current {is_current}");
                        combinations += 1;
                    }
                }
            }
        }
        assert_eq!(combinations, 6 * 6 * 2 * 2);
    }

    #[test]
    fn versions_decide_whether_a_run_speaks_against_a_claim() {
        let (old, new) = (version("1.9"), version("2.0"));
        let since = |support| Claim { since: Some(version("2.0")), ..claim(support) };
        for seen in ["fail", "all unsupported"] {
            assert_eq!(state(Some((&since(Support::Yes), false)), run(seen, true, &old)), State::Claimed);
            assert_eq!(state(Some((&since(Support::Yes), false)), run(seen, true, &new)), State::Contradicted);
        }
        assert_eq!(state(Some((&since(Support::Partial), false)), run("all unsupported", true, &old)), State::Partial);
        assert_eq!(state(Some((&since(Support::Yes), false)), run("pass", true, &old)), State::Proven);

        let until = Claim { until: Some(version("1.9")), ..claim(Support::Removed) };
        assert_eq!(state(Some((&until, false)), run("pass", true, &old)), State::Removed);
        assert_eq!(state(Some((&until, false)), run("pass", true, &new)), State::Contradicted);
        let older = run("pass", false, &old).map(|run| Run { is_newest: false, ..run });
        assert_eq!(state(Some((&claim(Support::Removed), false)), older), State::Removed);
    }
}
