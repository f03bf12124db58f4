//! Every fixture below `tests/diagnostics/`, as its `README.md` says.

use camino::{Utf8Path, Utf8PathBuf};
use clientbook::diagnostic::{self, Format};
use clientbook::pipeline::{self, Options};
use std::fs;
use std::process::Command;

fn fixtures() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

/// Lays the files of `from` over `to`.
fn lay(from: &Utf8Path, to: &Utf8Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.expect("a readable fixture");
        let path = Utf8Path::from_path(entry.path()).expect("UTF-8");
        let below = path.strip_prefix(from).expect("below");
        if entry.file_type().is_dir() {
            fs::create_dir_all(to.join(below)).expect("a folder");
        } else if !["expected.txt", "setup.txt"].contains(&below.as_str()) {
            fs::copy(path, to.join(below)).expect("a copy");
        }
    }
}

fn set_up(script: &str, root: &Utf8Path) {
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let path = root.join(words[1]);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        match words[..] {
            ["remove", _] if path.is_dir() => fs::remove_dir_all(path).expect("removed"),
            ["remove", _] => fs::remove_file(path).expect("removed"),
            ["pipe", _] => assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success()),
            #[cfg(unix)]
            ["link", _, target] => std::os::unix::fs::symlink(target, path).expect("a link"),
            ["size", _, bytes] => fs::write(path, "x".repeat(bytes.parse().expect("a number"))).expect("a file"),
            ["bytes", _, hex] => {
                let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
                fs::write(path, (0..hex.len()).step_by(2).map(byte).collect::<Vec<_>>()).expect("a file");
            }
            // `copy FROM PATH`: here the second word is the source.
            ["copy", _, to] => {
                let to = root.join(to);
                fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
                fs::copy(path, to).expect("a copy");
            }
            _ => panic!("`{line}` is no action of setup.txt"),
        };
    }
}

fn output(fixture: Option<&Utf8Path>) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let root = Utf8Path::from_path(dir.path()).expect("UTF-8");
    lay(&fixtures().join("base"), root);
    if let Some(fixture) = fixture {
        lay(fixture, root);
        if let Ok(script) = fs::read_to_string(fixture.join("setup.txt")) {
            set_up(&script, root);
        }
    }
    let options = Options { as_of: jiff::civil::date(2026, 11, 30), base_url: None };
    let pipeline::Built { tree, findings, .. } = pipeline::build(root, &options);
    diagnostic::render(&findings, &tree, Format::Human, false)
}

#[test]
fn the_base_has_no_finding() {
    assert_eq!(output(None), "");
}

#[test]
fn every_fixture_prints_what_is_expected() {
    let bless = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
    let mut wrong = Vec::new();
    let mut folders: Vec<_> = fixtures().read_dir_utf8().expect("fixtures").map(|entry| entry.expect("an entry")).collect();
    folders.retain(|entry| entry.path().is_dir() && entry.file_name() != "base");
    folders.sort_by(|a, b| a.file_name().cmp(b.file_name()));
    for fixture in folders {
        let name = fixture.file_name();
        let actual = output(Some(fixture.path()));
        let code = name.get(..5).unwrap_or(name);
        if !actual.contains(&format!("[{code}]")) {
            wrong.push(format!("{name}: does not find {code}, but:\n{actual}"));
            continue;
        }
        let file = fixture.path().join("expected.txt");
        if bless {
            fs::write(&file, &actual).expect("writable");
        } else if fs::read_to_string(&file).unwrap_or_default() != actual {
            wrong.push(format!("{name}: differs from expected.txt:\n{actual}"));
        }
    }
    assert!(wrong.is_empty(), "{}\nbless with SNAPSHOTS=overwrite", wrong.join("\n\n"));
}
