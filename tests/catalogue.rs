//! What of a catalogue stands when something in it is wrong, and what text from outside can do: nothing.

use camino::Utf8Path;
use clientbook::catalogue::{Catalogue, Client, FeatureId};
use clientbook::diagnostic::Diagnostic;
use clientbook::source::SourceTree;
use clientbook::source::table::FromText;

/// The small catalogue of the fixtures, with `files` laid over.
fn read(files: &[(&str, &str)]) -> (Option<Catalogue>, Vec<Diagnostic>) {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/base");
    let (mut tree, findings) = SourceTree::read(&root);
    assert!(findings.is_empty(), "{findings:?}");
    for (path, text) in files {
        tree.insert((*path).into(), text.as_bytes().to_vec());
    }
    Catalogue::read(&tree)
}

fn codes(findings: &[Diagnostic]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.id).collect()
}

fn clients(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.clients.keys().map(|id| id.as_str()).collect()
}

fn feature(id: &str) -> FeatureId {
    FeatureId::from_text(id).expect("an id")
}

/// A manifest with the lines of `more` at its head and `tables` at its end.
fn manifest(more: &str, tables: &str) -> String {
    format!(
        "#:schema ../../static/schema/manifest.schema.json
schema = 1
name = 'A'
summary = 'A client.'
languages = ['python']
kind = 'native'
license = 'MIT'
repository = 'https://code.example/a'
checked = '2026-11-01'
{more}

[status]
value = 'active'
reason = 'Released in 2026.'
source = 'https://code.example/a'
{tables}"
    )
}

#[test]
fn the_base_is_whole() {
    let (catalogue, findings) = read(&[]);
    assert!(findings.is_empty(), "{findings:?}");
    let catalogue = catalogue.expect("settings");
    assert_eq!(clients(&catalogue), ["aiolib", "enginelib"]);
    let aiolib = &catalogue.clients["aiolib"];
    assert_eq!(aiolib.based_on.as_ref().map(|id| id.as_str()), Some("enginelib"));
    let hello = aiolib.examples.values().next().expect("an example");
    assert_eq!(
        (hello.path.as_str(), hello.language.as_ref().map(|id| id.as_str())),
        ("clients/aiolib/examples/hello.py", Some("python"))
    );
}

#[test]
fn a_broken_client_is_left_out_and_no_other() {
    for broken in ["", "name = ", "[[[[", "schema = 1\nnmae = 'x'\n", "\u{0}", "name = 1\nname = 2"] {
        let (catalogue, findings) = read(&[("clients/enginelib/manifest.toml", broken)]);
        let catalogue = catalogue.expect("settings");
        assert_eq!(clients(&catalogue), ["aiolib"], "{broken:?}");
        assert!(catalogue.clients["aiolib"].based_on.is_none(), "an engine that is left out is nobody's engine");
        assert!(codes(&findings).contains(&"CB139"), "{broken:?}");
    }
}

#[test]
fn broken_lists_take_along_only_what_cannot_stand_without() {
    let (catalogue, findings) = read(&[("content/features/send.md", "+++\ntitle = 1\n+++\n")]);
    let catalogue = catalogue.expect("settings");
    assert_eq!(clients(&catalogue), ["aiolib", "enginelib"]);
    assert!(!catalogue.features.contains_key("send") && catalogue.levels.is_empty());
    assert_eq!(catalogue.groups[0].features, [feature("receive")]);
    assert!(!catalogue.clients["aiolib"].claims.contains_key("send"));
    assert!(!codes(&findings).contains(&"CB100"), "a broken feature is not an unknown one: {findings:?}");

    let (catalogue, findings) = read(&[("content/languages/c.toml", "name = 'C'\n")]);
    assert_eq!(clients(&catalogue.expect("settings")), ["aiolib"]);
    assert!(!codes(&findings).contains(&"CB101"));

    let (catalogue, findings) = read(&[("content/features/groups.toml", "[[groups]\n")]);
    assert!(catalogue.expect("settings").features.is_empty());
    assert_eq!(codes(&findings).iter().filter(|code| **code == "CB124").count(), 0, "one syntax error is one finding");

    let (catalogue, findings) = read(&[("clientbook.toml", "title = 'T'\n"), ("clients/aiolib/manifest.toml", "")]);
    assert!(catalogue.is_none());
    assert!(
        findings.iter().any(|finding| finding.path() == Some(Utf8Path::new("clients/aiolib/manifest.toml"))),
        "all else is still checked"
    );
}

#[test]
fn claims_come_from_the_nearest_engine() {
    let middle = manifest("based-on = 'enginelib'", "[features.send]\nsupport = 'no'\nsource = 'https://code.example/a'\n");
    let outer = manifest("based-on = 'middle'", "");
    let (catalogue, findings) = read(&[("clients/middle/manifest.toml", &middle), ("clients/outer/manifest.toml", &outer)]);
    assert!(findings.is_empty(), "{findings:?}");
    let catalogue = catalogue.expect("settings");
    let from = |client: &Client, id: &str| {
        catalogue.inherited(client, &feature(id)).map(|(engine, claim)| (engine.as_str().to_owned(), claim.support.word()))
    };
    let outer = &catalogue.clients["outer"];
    assert_eq!(from(outer, "send"), Some(("middle".to_owned(), "no")));
    assert_eq!(from(outer, "receive"), Some(("enginelib".to_owned(), "partial")));
    assert_eq!(from(&catalogue.clients["enginelib"], "send"), None);
}

#[test]
fn circles_leave_out_their_members_and_free_the_rest() {
    let based = |engine: &str| manifest(&format!("based-on = '{engine}'"), "");
    let (catalogue, findings) = read(&[
        ("clients/a/manifest.toml", &based("b")),
        ("clients/b/manifest.toml", &based("c")),
        ("clients/c/manifest.toml", &based("a")),
        ("clients/narcissus/manifest.toml", &based("narcissus")),
        ("clients/outside/manifest.toml", &based("b")),
    ]);
    let catalogue = catalogue.expect("settings");
    assert_eq!(clients(&catalogue), ["aiolib", "enginelib", "outside"]);
    assert!(catalogue.clients["outside"].based_on.is_none());
    assert_eq!(codes(&findings).iter().filter(|code| **code == "CB104").count(), 2, "{findings:?}");
}

#[test]
fn a_client_with_many_faults_has_a_finding_for_each() {
    let text = "schema = 9
name = ''
summary = 'a\\u202eb'
languages = ['klingon']
kind = 'nativ'
based-on = 'nobody'
aliases = ['enginelib']
license = 'Apache 2'
packages = ['pkg:pypi/a@1', 'pkg:moon/a']
repository = 'http://code.example/a'
documentation = 'javascript:alert(1)'
checked = '2026'
extra = 1
[status]
value = 'active'
[latest-release]
source = 'nowhere'
[brokers]
from = '4.0'
to = '2.0'
source = 'https://code.example/a'
[features.sned]
support = 'partial'
source = 'pkg:pypi/a'
";
    let text = text.replace("'a\\u202eb'", "\"a\\u202eb\"");
    let (catalogue, findings) = read(&[("clients/a/manifest.toml", &text)]);
    assert_eq!(clients(&catalogue.expect("settings")), ["aiolib", "enginelib"]);
    let mut found = codes(&findings);
    found.sort_unstable();
    found.dedup();
    assert_eq!(
        found,
        [
            "CB011", "CB012", "CB014", "CB100", "CB101", "CB103", "CB105", "CB109", "CB110", "CB111", "CB114", "CB116", "CB117",
            "CB118", "CB119", "CB120", "CB121", "CB123", "CB140",
        ]
    );
    assert!(findings.iter().all(|finding| finding.labels.iter().all(|label| label.span.is_some())), "each at its place");
}

#[test]
fn script_in_every_field_is_text() {
    let script = "<script>alert('x')</script>";
    let quoted = format!("\"{script}\"");
    let manifest = format!(
        "#:schema ../../static/schema/manifest.schema.json
schema = 1
name = {quoted}
summary = {quoted}
languages = ['python']
kind = 'native'
license = 'MIT'
install = {quoted}
repository = 'https://code.example/\"><script>'
maintainer = {quoted}
checked = '2026-11-01'
[status]
value = 'active'
reason = {quoted}
source = 'https://code.example/?<script>'
[brokers]
note = {quoted}
source = 'https://code.example/#<script>'
[features.send]
support = 'partial'
note = {quoted}
source = 'https://code.example/'
[[pitfalls]]
title = {quoted}
detail = {quoted}
source = 'https://code.example/'
"
    );
    let commands = format!("setup = {quoted}\n");
    let (catalogue, findings) = read(&[("clients/x/manifest.toml", &manifest), ("clients/x/examples/example.toml", &commands)]);
    assert!(findings.is_empty(), "{findings:?}");
    let catalogue = catalogue.expect("settings");
    let client = &catalogue.clients["x"];
    for text in [&client.name, &client.summary, &client.status.reason, &client.pitfalls[0].title, &client.pitfalls[0].detail] {
        assert_eq!(text, script);
    }
    assert_eq!(client.repository.as_str(), "https://code.example/%22%3E%3Cscript%3E");
    for id in ["<script>", "../send", "send/..", "Send", "", "send\u{202e}"] {
        let text = manifest.replace("[features.send]", &format!("[features.{}]", clientbook::source::table::quoted(id)));
        let (catalogue, findings) = read(&[("clients/x/manifest.toml", &text)]);
        assert!(codes(&findings).contains(&"CB107"), "{id:?}");
        assert!(!catalogue.expect("settings").clients.contains_key("x"));
    }
}

#[test]
fn files_of_a_project_are_not_examples() {
    let (catalogue, findings) = read(&[
        ("clients/aiolib/examples/requirements.txt", "aiolib==1.2.0\n"),
        ("clients/aiolib/examples/helper.py", ""),
        ("clients/aiolib/examples/hello.md", ""),
        ("clients/aiolib/examples/lib/hello.py", ""),
        ("clients/aiolib/examples/.gitignore", ""),
        ("clients/aiolib/driver/main.py", ""),
        ("clients/enginelib/examples/Hello/main.C", ""),
        ("clients/enginelib/examples/example.toml", "setup = 'make'\n[run]\nhello = 'bin/hello'\n"),
    ]);
    assert!(findings.is_empty(), "{findings:?}");
    let catalogue = catalogue.expect("settings");
    assert_eq!(catalogue.clients["aiolib"].examples.len(), 1);
    let engine = &catalogue.clients["enginelib"];
    assert_eq!(engine.examples["hello"].path.as_str(), "clients/enginelib/examples/Hello/main.C");
    assert_eq!((engine.example_setup.as_deref(), engine.example_run["hello"].as_str()), (Some("make"), "bin/hello"));
}

#[test]
fn a_parser_that_remembers_gives_the_same() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/base");
    let (tree, _) = SourceTree::read(&root);
    let kept = std::sync::Mutex::new(std::collections::HashMap::new());
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let parse = |file: &clientbook::source::SourceFile| {
        let mut kept = kept.lock().expect("no panic");
        kept.entry((file.path.clone(), file.bytes.clone()))
            .or_insert_with(|| {
                calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                clientbook::catalogue::manifest::parse(file)
            })
            .clone()
    };
    for _ in 0..2 {
        let (catalogue, findings) = Catalogue::read_with(&tree, parse);
        assert!(findings.is_empty());
        assert_eq!(format!("{:?}", catalogue), format!("{:?}", Catalogue::read(&tree).0));
    }
    assert_eq!(calls.into_inner(), 2);
}
