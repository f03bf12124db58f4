//! A workshop that remembers gives what a build from nothing gives, whatever was changed.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use camino::{Utf8Path, Utf8PathBuf};
use clientbook::diagnostic::{Format, render};
use clientbook::pipeline::{Built, Options, Workshop, build};
use std::collections::BTreeSet;
use std::fs;

/// An engine, clients built on it, and others.
const CLIENTS: &[&str] =
    &["confluent-kafka-go", "confluent-kafka-python", "kafka-clients", "kafka-python", "librdkafka", "rust-rdkafka", "sarama"];

/// A copy of the real book's content and some of its clients, without tools' leftovers.
fn book(root: &Utf8Path) {
    let from = Utf8Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in walkdir::WalkDir::new(from)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let path = Utf8Path::from_path(entry.path()).unwrap().strip_prefix(from).unwrap();
            match path.components().map(|part| part.as_str()).collect::<Vec<_>>()[..] {
                [] | ["clientbook.toml" | "clients" | "content"] | ["content", ..] => true,
                ["clients", id] => CLIENTS.contains(&id),
                ["clients", _, "driver" | "examples", ..] => false,
                ["clients", ..] => true,
                _ => false,
            }
        })
        .flatten()
    {
        let to = root.join(Utf8Path::from_path(entry.path()).unwrap().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn say(built: &Built) -> String {
    render(&built.findings, &built.tree, Format::Human, false)
}

#[track_caller]
fn assert_same(remembered: &Built, what: &str, root: &Utf8Path, options: &Options) {
    let fresh = build(root, options);
    assert_eq!(say(remembered), say(&fresh), "findings after: {what}");
    let (Some(remembered), Some(fresh)) = (&remembered.site, &fresh.site) else {
        assert_eq!(remembered.site.is_some(), fresh.site.is_some(), "{what}");
        return;
    };
    let paths = |site: &clientbook::site::Site| site.files.keys().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(paths(remembered), paths(fresh), "pages after: {what}");
    let differs: Vec<_> = fresh.files.iter().filter(|(path, bytes)| remembered.files[*path] != **bytes).collect();
    assert!(differs.is_empty(), "after {what}, out of date: {:?}", differs.iter().map(|(path, _)| path).collect::<Vec<_>>());
}

#[test]
fn what_is_remembered_is_never_out_of_date() {
    let dir = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
    book(&root);
    let options = Options { as_of: jiff::civil::date(2026, 11, 30), base_url: None };
    let workshop = Workshop::new(&root);
    assert_same(&workshop.build(&root, &options, None), "nothing", &root, &options);

    let mut files: Vec<Utf8PathBuf> = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file() && !entry.path().to_string_lossy().contains(".clientbook"))
        .map(|entry| Utf8Path::from_path(entry.path()).unwrap().strip_prefix(&root).unwrap().to_owned())
        .collect();
    files.push("clientbook.toml".into());
    let mut state = 0x9e37_79b9u32;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below
    };
    // Words that stand in names, summaries, ids of engines, claims: a change of any may be seen on some other page.
    let words =
        ["name = \"", "summary = \"", "title = \"", "value = \"active\"", "support = \"yes\"", "librdkafka", "kafka", "order = "];
    for step in 0..15 {
        let file = &files[random(files.len())];
        let text = fs::read_to_string(root.join(file)).unwrap();
        let word = words[random(words.len())];
        let changed = match random(8) {
            0 => text[..text.floor_char_boundary(random(text.len() + 1))].to_owned(),
            1 => format!("{text}\nmore = {step}\n"),
            _ => {
                let to = match word {
                    "value = \"active\"" => "value = \"dormant\"".to_owned(),
                    "support = \"yes\"" => "support = \"no\"".to_owned(),
                    "order = " => format!("order = {step}"),
                    "kafka" | "librdkafka" => "sarama".to_owned(),
                    word => format!("{word}x{step} "),
                };
                text.replace(word, &to)
            }
        };
        fs::write(root.join(file), &changed).unwrap();
        let paths = BTreeSet::from([file.clone()]);
        let known = (step % 3 > 0).then_some(&paths);
        assert_same(&workshop.build(&root, &options, known), &format!("step {step}: {word} in {file}"), &root, &options);
        if random(3) > 0 {
            fs::write(root.join(file), &text).unwrap();
            assert_same(
                &workshop.build(&root, &options, Some(&paths)),
                &format!("step {step}: {file} as before"),
                &root,
                &options,
            );
        }
    }
    for text in ["body { color: red }", "body { color: url(nowhere.png) }", "body { color: blue }"] {
        fs::create_dir_all(root.join("static")).unwrap();
        fs::write(root.join("static/site.css"), text).unwrap();
        let paths = BTreeSet::from([Utf8PathBuf::from("static/site.css")]);
        assert_same(&workshop.build(&root, &options, Some(&paths)), text, &root, &options);
    }
    for gone in ["clients/librdkafka/manifest.toml", "content/languages/python.toml"] {
        fs::remove_file(root.join(gone)).unwrap();
        let paths = BTreeSet::from([Utf8PathBuf::from(gone)]);
        assert_same(&workshop.build(&root, &options, Some(&paths)), &format!("{gone} is gone"), &root, &options);
    }
}
