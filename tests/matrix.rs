//! From reports to cells, proofs, ages and levels.

use camino::Utf8Path;
use clientbook::catalogue::{Catalogue, FeatureId};
use clientbook::diagnostic::Diagnostic;
use clientbook::matrix::{Matrix, Proof, Seen, State, Verdict};
use clientbook::results::{self, Filed, Outcome};
use clientbook::source::SourceTree;
use clientbook::source::table::FromText;
use jiff::civil::{Date, date};
use serde_json::json;

const DAY: Date = date(2026, 11, 30);

/// One run: file name, version of the client, version of the broker, date, outcomes as (scenario, outcome).
type Run<'r> = (&'r str, &'r str, &'r str, &'r str, &'r [(&'r str, &'r str)]);

fn tree(runs: &[Run<'_>]) -> SourceTree {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/base");
    let (mut tree, _) = SourceTree::read(&root);
    for (id, feature) in [("send-one", "send"), ("send-many", "send"), ("receive-one", "receive")] {
        let text = format!("+++\ntitle = 'T'\nfeature = '{feature}'\ngroup = 'G'\n+++\nText.\n");
        tree.insert(format!("content/scenarios/{id}.md").into(), text.into_bytes());
    }
    for (name, version, broker, date, outcomes) in runs {
        let outcomes: Vec<_> = outcomes
            .iter()
            .map(|(scenario, outcome)| {
                let feature = scenario.split('-').next();
                json!({"scenario": scenario, "feature": feature, "outcome": outcome, "expected": "e", "seen": "s", "duration-ms": 1,
                    "reason": "r"})
            })
            .collect();
        let report = json!({"schema": 1, "kit": {"version": "0.1.0"}, "client": {"id": "aiolib", "version": version},
            "broker": {"name": "b", "version": broker, "nodes": 1}, "date": date, "seed": 1,
            "machine": {"os": "linux", "arch": "x86_64", "cpus": 2, "memory-mib": 1}, "outcomes": outcomes});
        tree.insert(format!("clients/aiolib/results/{name}.json").into(), report.to_string().into_bytes());
    }
    tree
}

/// What `look` sees of the matrix of `runs`.
fn with<T>(runs: &[Run<'_>], as_of: Date, look: impl FnOnce(&Matrix<'_>, &[Diagnostic]) -> T) -> T {
    let tree = tree(runs);
    let (catalogue, findings) = Catalogue::read(&tree);
    assert!(findings.is_empty(), "{findings:?}");
    let catalogue = catalogue.expect("settings");
    let (reports, findings): (Vec<Filed>, _) = results::read(&tree);
    assert!(findings.is_empty(), "{findings:?}");
    let (matrix, findings) = Matrix::merge(&catalogue, &reports, as_of);
    look(&matrix, &findings)
}

fn feature(id: &str) -> FeatureId {
    FeatureId::from_text(id).expect("an id")
}

fn seen<'a, 'c>(matrix: &'a Matrix<'c>, id: &str) -> &'a Seen<'c> {
    match &matrix
        .clients
        .iter()
        .find(|(id, _)| id.as_str() == "aiolib")
        .expect("a row")
        .1
        .cells
        .get(&feature(id))
        .expect("a cell")
        .proof
    {
        Proof::Seen(seen) => seen,
        other => panic!("{other:?}"),
    }
}

fn state(matrix: &Matrix<'_>, client: &str, id: &str) -> State {
    let (_, row) = matrix.clients.iter().find(|(known, _)| known.as_str() == client).expect("a row");
    row.cells.get(&feature(id)).expect("a cell").state
}

const SENT: &[(&str, &str)] = &[("send-one", "pass"), ("send-many", "pass")];

#[test]
fn nothing_seen() {
    with(&[], DAY, |matrix, findings| {
        assert!(findings.is_empty());
        assert_eq!(state(matrix, "aiolib", "send"), State::Claimed);
        assert_eq!(state(matrix, "aiolib", "receive"), State::Partial); // From its engine.
        let (_, row) = matrix.clients.iter().next().expect("a row");
        assert!(row.level.is_none() && row.last_proof.is_none());
        let claim = row.cells.get(&feature("receive")).and_then(|cell| cell.claim).expect("inherited");
        assert_eq!(claim.from.map(|id| id.as_str()), Some("enginelib"));
        assert!(matches!(row.cells.get(&feature("send")).expect("a cell").proof, Proof::NeverRun));
    });
}

#[test]
fn proof_has_an_age_and_a_version() {
    let cases = [
        ("1.2.0", "2026-11-30T23:59:59Z", State::Proven, 0),
        ("1.2.0", "2026-06-03T00:00:00Z", State::Proven, 180),
        ("1.2.0", "2026-06-02T23:00:00Z", State::ProvenAgeing, 181),
        ("1.1.9", "2026-11-29T00:00:00Z", State::ProvenAgeing, 1), // 1.2.0 is released.
        ("1.3.0-rc1", "2026-11-29T00:00:00Z", State::Proven, 1),   // Newer than what the manifest knows.
        ("v1.2.0", "2026-11-29T00:00:00Z", State::Proven, 1),
    ];
    for (version, time, expected, age) in cases {
        with(&[("a", version, "4.4.0", time, SENT)], DAY, |matrix, _| {
            assert_eq!((state(matrix, "aiolib", "send"), seen(matrix, "send").age_days), (expected, age), "{version} {time}");
        });
    }
}

#[test]
fn every_scenario_of_a_feature_must_be_there() {
    let verdict = |outcomes: &[(&str, &str)]| {
        with(&[("a", "1.2.0", "4.4.0", "2026-11-29T00:00:00Z", outcomes)], DAY, |matrix, _| {
            (seen(matrix, "send").verdict, state(matrix, "aiolib", "send"))
        })
    };
    assert_eq!(verdict(SENT), (Verdict::Pass, State::Proven));
    assert_eq!(verdict(&[("send-one", "pass")]), (Verdict::Open(Outcome::Skipped), State::Claimed));
    assert_eq!(verdict(&[("send-one", "pass"), ("send-many", "skipped")]), (Verdict::Open(Outcome::Skipped), State::Claimed));
    assert_eq!(verdict(&[("send-one", "skipped"), ("send-many", "error")]), (Verdict::Open(Outcome::Error), State::Claimed));
    assert_eq!(verdict(&[("send-one", "pass"), ("send-many", "unsupported")]), (Verdict::Unsupported, State::Contradicted));
    assert_eq!(verdict(&[("send-one", "fail"), ("send-many", "unsupported")]), (Verdict::Fail, State::Contradicted));
    assert_eq!(verdict(&[("send-one", "fail")]), (Verdict::Fail, State::Contradicted));
}

#[test]
fn the_newest_run_is_of_the_newest_version_then_the_last() {
    let failed: &[(&str, &str)] = &[("send-one", "pass"), ("send-many", "fail")];
    let runs: &[Run<'_>] = &[
        ("a", "1.10.0", "4.4.0", "2026-11-01T00:00:00Z", SENT),
        ("b", "1.9.0", "4.4.0", "2026-11-20T00:00:00Z", failed),
        ("c", "1.10.0", "3.9.0", "2026-11-02T00:00:00Z", SENT),
        ("d", "1.10.0", "4.10.0", "2026-10-01T00:00:00Z", SENT),
        ("e", "1.10.0", "2.0.0", "2026-10-01T00:00:00Z", failed),
        ("f", "1.10.0", "4.4.0", "2026-11-03T00:00:00Z", &[("receive-one", "pass")]),
    ];
    with(runs, DAY, |matrix, _| {
        let seen = seen(matrix, "send");
        assert_eq!((seen.verdict, seen.filed.path.as_str()), (Verdict::Pass, "clients/aiolib/results/c.json"));
        assert_eq!(seen.brokers, ["4.10.0", "4.4.0", "3.9.0"]);
        let (_, row) = matrix.clients.iter().next().expect("a row");
        let order: Vec<_> = row.reports.iter().filter_map(|filed| filed.path.file_stem()).collect();
        assert_eq!(order, ["f", "c", "a", "d", "e", "b"]);
        assert_eq!(row.last_proof, Some(date(2026, 11, 3)));
        // A partial claim stays partial, but what passed counts for the level.
        assert_eq!(state(matrix, "aiolib", "receive"), State::Partial);
        assert_eq!(row.level.map(|id| id.as_str()), Some("core"));
        assert!(row.levels[0].is_reached());
    });
}

#[test]
fn what_does_not_count_is_said() {
    let runs: &[Run<'_>] = &[
        ("a", "1.2.0", "4.4.0", "2026-12-01T00:00:00Z", SENT),
        ("b", "1.2.0", "4.4.0", "2026-11-01T00:00:00Z", &[("sing-one", "pass")]),
    ];
    with(runs, DAY, |matrix, findings| {
        assert_eq!(state(matrix, "aiolib", "send"), State::Claimed);
        assert_eq!(findings.iter().map(|finding| finding.code.id).collect::<Vec<_>>(), ["CB252", "CB250"]);
    });
    with(&[], date(2028, 1, 1), |_, findings| {
        assert_eq!(findings.iter().map(|finding| finding.code.id).collect::<Vec<_>>(), ["CB253", "CB253"]);
    });
}

/// `cargo test --test matrix -- --ignored --nocapture` says how long each stage takes on ten thousand clients.
#[test]
#[ignore = "a measurement"]
fn ten_thousand_clients() {
    let mut tree = tree(&[("a", "1.2.0", "4.4.0", "2026-11-29T00:00:00Z", SENT)]);
    let ids: Vec<String> = (0..40).map(|n| format!("feature-{n}")).collect();
    for id in &ids {
        tree.insert(format!("content/features/{id}.md").into(), b"+++\ntitle = 'F'\nmeaning = 'M'\n+++\nText.\n".to_vec());
    }
    let list = ids.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ");
    let groups = format!("[[groups]]\nid = 'g'\ntitle = 'G'\nsummary = 'S'\nfeatures = ['send', 'receive', {list}]\n");
    tree.insert("content/features/groups.toml".into(), groups.into_bytes());
    let base = tree.get("clients/aiolib/manifest.toml").and_then(|file| file.text()).expect("text").to_owned();
    for n in 0..10_000 {
        let claims: String = ids
            .iter()
            .take(20 + n % 20)
            .map(|id| format!("\n[features.{id}]\nsupport = 'yes'\nsince = '1.0.0'\nsource = 'https://code.example/{n}/{id}'\n"))
            .collect();
        tree.insert(format!("clients/client-{n}/manifest.toml").into(), format!("{base}{claims}").into_bytes());
    }
    let start = std::time::Instant::now();
    let (catalogue, findings) = Catalogue::read(&tree);
    println!("read {:?}, {} findings", start.elapsed(), findings.len());
    let catalogue = catalogue.expect("settings");
    let start = std::time::Instant::now();
    let (reports, _) = results::read(&tree);
    println!("results {:?}", start.elapsed());
    // Time on processors, of all threads: true on a busy machine too.
    let busy_ms = || {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let ticks = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10
    };
    let (start, before) = (std::time::Instant::now(), busy_ms());
    for _ in 0..20 {
        let (matrix, _) = Matrix::merge(&catalogue, &reports, DAY);
        assert_eq!(matrix.clients.len(), 10_002);
    }
    println!("merge {:?}, of which {} ms on processors", start.elapsed() / 20, (busy_ms() - before) / 20);
}
