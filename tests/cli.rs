//! The commands from outside: what they print where, what they write, and how they end.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use camino::{Utf8Path, Utf8PathBuf};
use snapbox::cmd::{Command, OutputAssert};
use snapbox::str;
use std::collections::BTreeMap;
use std::fs;

/// A folder of its own for a test.
struct Folder {
    _dir: tempfile::TempDir,
    path: Utf8PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
        Folder { _dir: dir, path }
    }

    /// A copy of the small catalogue that the fixtures of findings stand on.
    fn book() -> Folder {
        let folder = Folder::new();
        let base = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics/base");
        for entry in walkdir::WalkDir::new(&base).into_iter().flatten().filter(|entry| entry.file_type().is_file()) {
            let below = Utf8Path::from_path(entry.path()).unwrap().strip_prefix(&base).unwrap();
            folder.put(below.as_str(), fs::read(entry.path()).unwrap());
        }
        folder
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.path.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path.join(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        fs::write(self.path.join(path), text.replace(from, to)).unwrap();
    }

    fn command(&self) -> Command {
        Command::new(env!("CARGO_BIN_EXE_clientbook"))
            .current_dir(&self.path)
            .env_remove("SOURCE_DATE_EPOCH")
            .env_remove("NO_COLOR")
    }

    fn run(&self, arguments: &[&str]) -> OutputAssert {
        self.command().args(arguments).assert()
    }

    fn files(&self, below: &str) -> BTreeMap<String, Vec<u8>> {
        let folder = self.path.join(below);
        let entries = walkdir::WalkDir::new(&folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let below = |path: &std::path::Path| path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        entries.map(|entry| (below(entry.path()), fs::read(entry.path()).unwrap())).collect()
    }
}

const DAY: &str = "--as-of=2026-11-30";

fn stdout(assert: &OutputAssert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &OutputAssert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn a_clean_catalogue_checks_in_silence_on_standard_output() {
    let book = Folder::book();
    book.run(&["check", DAY]).code(0).stdout_eq(str![""]).stderr_eq(str![[r#"
checked [..] files, counting from 2026-11-30: no findings; next: `clientbook build`

"#]]);
    let deep = book.command().current_dir(book.path.join("clients/aiolib")).args(["check", "--quiet"]).assert();
    deep.code(0).stdout_eq(str![""]).stderr_eq(str![""]);
}

#[test]
fn check_prints_every_finding_of_every_file() {
    let book = Folder::book();
    book.edit("clients/aiolib/manifest.toml", "kind = \"binding\"", "kind = \"bindin\"\nlicense_ = 1");
    book.edit("clients/aiolib/manifest.toml", "since = \"1.0.0\"", "since = 1.0");
    book.edit("clients/enginelib/manifest.toml", "https://code.example/enginelib\"\nchecked", "javascript:alert(1)\"\nchecked");
    book.put("clients/enginelib/notes.md", b"\xff\xfe");
    book.put("content/features/lonely.md", "no front matter");
    book.put("templates/about.txt", vec![b'x'; 3 << 20]);
    book.put("clients/Bad Name/manifest.toml", "[[[[");
    let run = book.run(&["check", "--format", "json"]).code(1);
    let lines: Vec<serde_json::Value> = stdout(&run).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<(&str, &str)> =
        lines.iter().map(|line| (line["path"].as_str().unwrap_or(""), line["code"].as_str().unwrap())).collect();
    for wanted in [
        ("clients/aiolib/manifest.toml", "CB012"),
        ("clients/aiolib/manifest.toml", "CB013"),
        ("clients/aiolib/manifest.toml", "CB014"),
        ("clients/enginelib/notes.md", "CB021"),
        ("content/features/lonely.md", "CB030"),
        ("templates/about.txt", "CB020"),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
    }
    assert!(found.iter().any(|(path, _)| *path == "clients/Bad Name"), "{found:?}");
    assert!(found.iter().any(|(path, _)| *path == "clients/enginelib/manifest.toml"), "{found:?}");
    assert!(found.is_sorted_by_key(|(path, _)| *path), "{found:?}");
    let github = book.run(&["check", "--format", "github", "-q"]).code(1);
    assert_eq!(stdout(&github).lines().count(), lines.len());
    assert!(stdout(&github).lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")));
    let sarif: serde_json::Value = serde_json::from_str(&stdout(&book.run(&["check", "--format", "sarif"]).code(1))).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), lines.len());
}

#[test]
fn check_mends_what_is_certain() {
    let book = Folder::book();
    book.edit("clients/aiolib/manifest.toml", "support = \"yes\"", "support = \"yess\"");
    book.edit("clients/aiolib/manifest.toml", "license =", "licence =");
    book.run(&["check"]).code(1);
    let run = book.run(&["check", "--fix"]).code(0);
    assert!(stderr(&run).starts_with("mended `clients/aiolib/manifest.toml`\n"), "{}", stderr(&run));
    let base = Folder::book();
    assert_eq!(book.files("clients"), base.files("clients"));
}

#[test]
fn build_writes_the_same_bytes_again_and_nothing_when_there_are_errors() {
    let book = Folder::book();
    let run = book.run(&["build", DAY]).code(0).stdout_eq(str![""]);
    assert!(stderr(&run).contains("counting from 2026-11-30, into `") && stderr(&run).contains("next: `clientbook serve`"));
    let first = book.files("site");
    assert!(first.contains_key("clients/aiolib/index.html") && first.contains_key("_headers"), "{:?}", first.keys());
    let elsewhere = Folder::book();
    let threads = elsewhere.command().env("RAYON_NUM_THREADS", "1").env("SOURCE_DATE_EPOCH", "1796054400");
    threads.args(["build", "--out", "out"]).assert().code(0);
    assert_eq!(elsewhere.files("out"), first);

    book.edit("clients/aiolib/manifest.toml", "MIT", "");
    let run = book.run(&["build", DAY]).code(1);
    assert!(stderr(&run).starts_with("nothing was written"), "{}", stderr(&run));
    assert_eq!(book.files("site"), first);
    book.run(&["build", "--keep-going", DAY]).code(1);
    let left = book.files("site");
    assert!(!left.contains_key("clients/aiolib/index.html") && left.contains_key("clients/enginelib/index.html"));
}

#[test]
fn build_refuses_a_folder_that_is_not_ours() {
    let book = Folder::book();
    book.put("precious/diary.txt", "dear diary");
    for out in ["precious", "clients", "."] {
        let run = book.run(&["build", "--out", out]).code(2).stdout_eq(str![""]);
        assert!(stderr(&run).starts_with("error: "), "{}", stderr(&run));
    }
    assert_eq!(fs::read_to_string(book.path.join("precious/diary.txt")).unwrap(), "dear diary");
    for wrong in ["http://book.example/", "book.example", "https://book.example/x"] {
        book.run(&["build", "--base-url", wrong]).code(2);
    }
    book.run(&["build", "--base-url", "https://other.example/"]).code(0);
    assert!(String::from_utf8_lossy(&book.files("site")["sitemap.xml"]).contains("<loc>https://other.example/</loc>"));
}

#[test]
fn a_new_catalogue_checks_and_builds_at_once() {
    let folder = Folder::new();
    folder.run(&["new", "my-mail-clients"]).code(0).stdout_eq(str![""]).stderr_eq(str![[r#"
made a catalogue in `my-mail-clients`; next: `clientbook serve --root my-mail-clients`

"#]]);
    folder.run(&["--root", "my-mail-clients", "check"]).code(0).stdout_eq(str![""]);
    folder.run(&["--root", "my-mail-clients", "build"]).code(0).stdout_eq(str![""]);
    folder.run(&["--root", "my-mail-clients", "schema", "--check"]).code(0);
    let site = folder.files("my-mail-clients/site");
    let home = String::from_utf8_lossy(&site["index.html"]).into_owned();
    assert!(home.contains("My mail clients"), "{home}");
    for (path, bytes) in &site {
        assert!(!String::from_utf8_lossy(bytes).to_lowercase().contains("kafka"), "{path} knows another book");
    }
    for page in
        ["features/acknowledge/index.html", "languages/python/index.html", "levels/index.html", "examples/hello/index.html"]
    {
        assert!(site.contains_key(page), "{page}");
    }
    folder.run(&["new", "my-mail-clients"]).code(2).stderr_eq(str![[r#"
error: `my-mail-clients` is not empty
help: name a folder that is new or empty

"#]]);
}

#[test]
fn commands_say_what_they_could_not_do() {
    let nowhere = Folder::new();
    nowhere.run(&["check"]).code(2).stdout_eq(str![""]).stderr_eq(str![[r#"
error: there is no `clientbook.toml` here or in a folder above
help: `clientbook new DIR` starts a catalogue; `--root DIR` names one

"#]]);
    nowhere.run(&["check", "--root", "x"]).code(2);
    nowhere.run(&["frobnicate"]).code(2);
    nowhere.run(&["--version"]).code(0);
    let book = Folder::book();
    book.run(&["check", "--as-of", "yesterday"]).code(2);
    book.command().env("SOURCE_DATE_EPOCH", "soon").arg("check").assert().code(2).stderr_eq(str![[r#"
error: `SOURCE_DATE_EPOCH` is `soon`, not a number of seconds since 1970
help: set it to a number, or say `--as-of DATE`

"#]]);
}

#[test]
fn explain_knows_every_code() {
    let folder = Folder::new();
    let run = folder.run(&["explain", "cb012"]).code(0);
    assert!(stdout(&run).starts_with("CB012 An unknown key\n\n"), "{}", stdout(&run));
    folder.run(&["explain", "CB9999"]).code(2);
    let list = stdout(&folder.run(&["explain"]).code(0));
    assert!(list.lines().count() > 50 && list.contains("CB910  error    "), "{list}");
}

#[test]
fn show_prints_what_the_book_knows() {
    let book = Folder::book();
    book.run(&["show", "aiolib", DAY]).code(0).stdout_eq(str![[r#"
aiolib (aiolib)
An asynchronous client.

  languages     Python
  kind          binding, on enginelib
  status        active: Released in October 2026. (https://code.example/aiolib/releases)
  latest        1.2.0 (2026-10-01)
  licence       MIT
  packages      pkg:pypi/aiolib
  install       pip install aiolib==1.2.0
  repository    https://code.example/aiolib
  checked       2026-11-01

Levels
  Core          not proven: send, receive

Basics
  Send                      claimed since 1.0.0
                            https://code.example/aiolib/docs
  Receive                   partial, by enginelib: One message at a time.
                            https://code.example/enginelib/docs

"#]]);
    book.run(&["show", "aiolip"]).code(2).stderr_eq(str![[r#"
error: there is no client `aiolip`
help: did you mean `aiolib`? an entry with errors is left out: `clientbook check` prints them

"#]]);
}

#[test]
fn schema_writes_what_is_stale_and_only_that() {
    let book = Folder::book();
    book.run(&["schema", "--check"]).code(1);
    book.run(&["schema"]).code(0);
    book.run(&["schema", "--check"]).code(0).stderr_eq(str![[r#"
the schemas are up to date; next: `clientbook check`

"#]]);
    book.put("static/schema/manifest.schema.json", "{}");
    let run = book.run(&["schema"]).code(0);
    assert_eq!(stderr(&run), "wrote `static/schema/manifest.schema.json`; next: `clientbook check`\n");
}

fn result(client: &str, feature: &str) -> String {
    serde_json::json!({
        "schema": 1, "kit": { "version": "0.1.0" }, "client": { "id": client, "version": "1.2.0" },
        "broker": { "name": "testd", "version": "4.4.0", "nodes": 3 }, "date": "2026-11-29T12:00:00Z", "seed": 1,
        "machine": { "os": "linux", "arch": "x86_64", "cpus": 2, "memory-mib": 24000 },
        "outcomes": [{ "scenario": "send-one", "feature": feature, "outcome": "pass", "expected": "one message",
            "seen": "one message", "evidence": [{ "kind": "log", "text": "offset 0" }], "duration-ms": 12 }],
    })
    .to_string()
}

#[test]
fn results_are_filed_below_their_client_and_never_overwritten() {
    let book = Folder::book();
    let front = "+++\ntitle = \"Send one\"\nfeature = \"send\"\ngroup = \"basics\"\nproposals = []\nerrors = []\n+++\nText.\n";
    book.put("content/scenarios/send-one.md", front);
    book.put("run.json", result("aiolib", "send"));
    book.run(&["results", "add", "run.json"]).code(0).stdout_eq(str![""]).stderr_eq(str![[r#"
filed `run.json` as `clients/aiolib/results/2026-11-29-1.2.0-testd-4.4.0-3-nodes.json`
filed 1 of 1 results; next: `clientbook check`

"#]]);
    book.run(&["results", "add", "run.json"]).code(0);
    book.run(&["check", DAY]).code(0);
    let shown = stdout(&book.run(&["show", "aiolib", DAY]).code(0));
    assert!(shown.contains("proven, claimed yes since 1.0.0") && shown.contains("seen: passed with version 1.2.0"), "{shown}");

    book.put("other.json", result("aiolib", "send").replace("one message", "1 message"));
    book.put("stranger.json", result("aiolip", "send"));
    book.put("climber.json", result("../../../outside", "send"));
    book.put("broken.json", "{\"schema\": 1,");
    let run = book.run(&["results", "add", "other.json", "stranger.json", "climber.json", "broken.json"]).code(1);
    let (out, talk) = (stdout(&run), stderr(&run));
    assert!(out.contains("error[CB901]") && out.contains("--> other.json"), "{out}");
    assert!(out.contains("error[CB900]: there is no client `aiolip`") && out.contains("did you mean `aiolib`?"), "{out}");
    assert!(out.contains("--> climber.json") && out.contains("--> broken.json:1:"), "{out}");
    assert!(talk.ends_with("filed 0 of 4 results; next: `clientbook check`\n"), "{talk}");
    assert_eq!(book.files("clients/aiolib/results").len(), 1);
    book.run(&["results", "add", "absent.json"]).code(2);
}

#[test]
fn nothing_from_outside_steers_the_terminal_or_ends_in_a_panic() {
    let book = Folder::book();
    book.edit("clients/aiolib/manifest.toml", "An asynchronous client.", "\\u001b[2J\\u202eclient <script>alert(1)</script>");
    book.put("clients/deep/manifest.toml", format!("a = {}", "[".repeat(10_000)));
    book.put("clients/deep2/manifest.toml", format!("a{} = 1", ".a".repeat(10_000)));
    book.put("clients/deep3/manifest.toml", format!("a = {}", "{a = ".repeat(10_000)));
    book.put("clients/deep4/manifest.toml", "[[a]]\n".repeat(10_000));
    book.put("content/deep.md", format!("+++\ntitle = \"D\"\ndescription = \"d\"\n+++\n{}x", "> ".repeat(20_000)));
    book.put("content/deep2.md", format!("+++\ntitle = \"E\"\ndescription = \"e\"\n+++\n{}", "[".repeat(50_000)));
    book.put("content/\u{1b}[31m.md", "red");
    book.put("clients/aiolib/results/x.json", "[".repeat(100_000));
    for arguments in [&["check"][..], &["check", "--color", "always"], &["show", "aiolib"], &["build", "--keep-going"]] {
        let run = book.run(arguments);
        let (out, talk) = (stdout(&run), stderr(&run));
        assert!(matches!(run.get_output().status.code(), Some(0..=2)), "{arguments:?}: {talk}");
        assert!(!talk.contains("panicked") && !out.contains("\u{1b}[2J") && !out.contains('\u{202e}'), "{arguments:?}: {talk}");
        assert!(!(out + &talk).contains("\u{1b}[31m.md"), "{arguments:?}");
    }
    let page = book.files("site").into_iter().filter(|(path, _)| path.ends_with(".html"));
    for (path, bytes) in page {
        assert!(!String::from_utf8_lossy(&bytes).contains("<script>alert"), "{path}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let book = Folder::book();
    book.put("content/broken.md", "x\n".repeat(1000));
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_clientbook"))
        .args(["check", "--format", "sarif"])
        .current_dir(&book.path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let folder = Folder::new();
    let help = stdout(&folder.run(&["--help"]).code(0));
    for word in ["new", "check", "build", "serve", "schema", "show", "explain", "results", "0 clean, 1 findings, 2 could not run"]
    {
        assert!(help.contains(word), "{word}");
    }
}
