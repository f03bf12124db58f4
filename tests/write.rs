//! The site on the disk: whole at every moment, ours alone, and cheap when nothing changed.

use camino::{Utf8Path, Utf8PathBuf};
use clientbook::site::write::{LIST, WriteError, Written, write};
use clientbook::site::{Site, UrlPath};
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Fixture {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
    out: Utf8PathBuf,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Utf8PathBuf::try_from(folder.path().canonicalize().expect("it is there")).expect("UTF-8");
    for input in ["clients", "content"] {
        fs::create_dir(root.join(input)).expect("a folder");
    }
    fs::write(root.join("clientbook.toml"), "").expect("a file");
    let out = root.join("site");
    Fixture { _folder: folder, root, out }
}

impl Fixture {
    fn write(&self, site: &Site) -> Result<Written, WriteError> {
        write(site, &self.out, &self.root)
    }

    /// Every file of the output but the list.
    fn read(&self) -> BTreeMap<String, String> {
        read(&self.out)
    }
}

fn read(folder: &Utf8Path) -> BTreeMap<String, String> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("readable"))
        .filter(|entry| entry.file_type().is_file() && entry.file_name() != LIST)
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).expect("below it").to_str().expect("UTF-8").to_owned();
            (name, fs::read_to_string(entry.path()).expect("text"))
        })
        .collect()
}

fn site(files: &[(&str, &str)]) -> Site {
    let files = files.iter().map(|(path, text)| (UrlPath::new(*path).expect("a path"), text.as_bytes().into())).collect();
    Site { files }
}

fn expected(site: &Site) -> BTreeMap<String, String> {
    site.files.iter().map(|(path, bytes)| (path.file(), String::from_utf8_lossy(bytes).into_owned())).collect()
}

fn done(written: usize, removed: usize, unchanged: usize) -> Written {
    Written { written, removed, unchanged }
}

#[test]
fn only_the_difference_counts() {
    let place = fixture();
    let one = site(&[("/", "a"), ("/b/", "b"), ("/b/c.json", "c"), ("/d/e/f/", "d")]);
    assert_eq!(place.write(&one).expect("first"), done(4, 0, 0));
    assert_eq!(place.read(), expected(&one));
    assert_eq!(place.write(&one).expect("again"), done(0, 0, 4));
    let two = site(&[("/", "a"), ("/b/", "B"), ("/d", "now a file"), ("/b/c.json/", "now a folder")]);
    assert_eq!(place.write(&two).expect("changed"), done(3, 2, 1));
    assert_eq!(place.read(), expected(&two));
    for turn in 0..4 {
        let site = if turn % 2 == 0 { &one } else { &two };
        place.write(site).expect("back and forth");
        assert_eq!(place.read(), expected(site));
        assert!(!place.out.join(if turn % 2 == 0 { "b/c.json/index.html" } else { "d/e" }).exists());
    }
    assert_eq!(place.write(&Site::default()).expect("nothing"), done(0, 4, 0));
    assert_eq!(place.read(), BTreeMap::new());
}

#[test]
fn the_same_site_gives_the_same_bytes_in_the_list_too() {
    let (one, other) = (fixture(), fixture());
    let (first, second) = (site(&[("/", "a"), ("/b/", "b")]), site(&[("/", "a"), ("/c/", "c")]));
    one.write(&first).expect("written");
    one.write(&second).expect("written");
    other.write(&second).expect("written");
    assert_eq!(fs::read(one.out.join(LIST)).expect("a list"), fs::read(other.out.join(LIST)).expect("a list"));
}

#[test]
fn a_site_in_use_is_never_written_over() {
    let place = fixture();
    place.write(&site(&[("/", "one"), ("/b/", "b")])).expect("written");
    place.write(&site(&[("/", "two"), ("/b/", "b")])).expect("written");
    let open = fs::File::open(place.out.join("index.html")).expect("open");
    for text in ["three", "four", "five"] {
        place.write(&site(&[("/", text), ("/b/", "b")])).expect("written");
    }
    assert_eq!(std::io::read_to_string(open).expect("still there"), "two");
}

#[test]
fn damage_by_others_is_mended_and_their_files_are_refused() {
    let place = fixture();
    let whole = site(&[("/", "aaaa"), ("/b/", "bbbb"), ("/c/", "cccc")]);
    place.write(&whole).expect("written");
    // The clock of a disk may tick in steps of some milliseconds.
    std::thread::sleep(Duration::from_millis(50));
    fs::write(place.out.join("index.html"), "AAAA").expect("touched");
    fs::write(place.out.join("b/index.html"), "longer").expect("touched");
    fs::remove_dir_all(place.out.join("c")).expect("removed");
    assert_eq!(place.write(&whole).expect("mended"), done(3, 0, 0));
    assert_eq!(place.read(), expected(&whole));
    assert_eq!(place.write(&whole).expect("whole"), done(0, 0, 3));
    std::thread::sleep(Duration::from_millis(50));
    fs::write(place.out.join("b/mine.txt"), "mine").expect("written");
    let error = place.write(&whole).expect_err("not ours");
    assert!(matches!(&error, WriteError::Foreign(path) if path.ends_with("b/mine.txt")), "{error}");
    assert_eq!(fs::read_to_string(place.out.join("b/mine.txt")).expect("still there"), "mine");
    fs::remove_file(place.out.join("b/mine.txt")).expect("removed");
    place.write(&site(&[("/", "x")])).expect("ours again");
}

#[test]
fn what_is_not_ours_is_refused() {
    let place = fixture();
    let one = site(&[("/", "a")]);
    let refused = |out: &Utf8Path| write(&one, out, &place.root).expect_err(out.as_str());
    fs::write(place.root.join("file"), "x").expect("written");
    assert!(matches!(refused(&place.root.join("file")), WriteError::NotAFolder(_)));
    fs::create_dir(place.root.join("full")).expect("made");
    fs::write(place.root.join("full/x"), "x").expect("written");
    assert!(matches!(refused(&place.root.join("full")), WriteError::NotOurs(_)));
    fs::write(place.root.join("full").join(LIST), "{}").expect("written");
    assert!(matches!(refused(&place.root.join("full")), WriteError::NotOurs(_)));
    for out in [".", "..", "clients", "clients/a/site", "content", "/", "content/../clients", "x/.."] {
        let error = refused(&place.root.join(out));
        let is_fit = matches!(error, WriteError::Inputs { .. } | WriteError::NotOurs(_) | WriteError::Io { .. });
        assert!(is_fit, "{out}: {error}");
    }
    assert!(place.root.join("clientbook.toml").exists());
    fs::create_dir(place.root.join("empty")).expect("made");
    write(&one, &place.root.join("empty"), &place.root).expect("an empty folder is fine");
    write(&one, &place.root.join("new/deep/site"), &place.root).expect("a new one too");
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let place = fixture();
    let other = fixture();
    symlink(&other.root, &place.out).expect("linked");
    assert!(matches!(place.write(&site(&[("/", "a")])), Err(WriteError::Link(_))));
    fs::remove_file(&place.out).expect("removed");
    place.write(&site(&[("/", "a"), ("/b/", "b")])).expect("written");
    fs::remove_dir_all(place.out.join("b")).expect("removed");
    symlink(&other.root, place.out.join("b")).expect("linked");
    assert!(matches!(place.write(&site(&[("/", "a")])), Err(WriteError::Foreign(_))));
    assert!(other.root.join("clientbook.toml").exists());
    // The same in the generation that is to be brought forward.
    fs::remove_file(place.out.join("b")).expect("removed");
    place.write(&site(&[("/", "a"), ("/b/", "b")])).expect("written");
    place.write(&site(&[("/", "a"), ("/b/", "c")])).expect("written");
    let next = place.root.join(".site.clientbook/next");
    fs::remove_dir_all(next.join("b")).expect("removed");
    symlink(&other.root, next.join("b")).expect("linked");
    place.write(&site(&[("/", "d")])).expect("written");
    assert!(other.root.join("clientbook.toml").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_site() {
    let place = fixture();
    let old = site(&[("/", "a"), ("/b/", "b")]);
    place.write(&old).expect("written");
    // No name of a file may be longer than 255 bytes: a disk that refuses, also for somebody who may do everything.
    let long = format!("/{}/", "x".repeat(300));
    let error = place.write(&site(&[("/", "new"), (&long, "b")])).expect_err("refused");
    assert!(matches!(&error, WriteError::Io { path, .. } if path.as_str().contains("xxx")), "{error}");
    assert!(error.to_string().ends_with("the old site is as it was"), "{error}");
    assert_eq!(place.read(), expected(&old));
    place.write(&site(&[("/", "new")])).expect("the next one is fine");
}

/// A site of generation `number`: every page says the number, and some pages come and go.
fn generation(number: u32) -> Site {
    let mut files: BTreeMap<UrlPath, std::sync::Arc<[u8]>> = BTreeMap::new();
    let pages = 60 + number % 7 * 10;
    for page in 0..pages {
        let text = if page % 3 == 0 { format!("page {page}") } else { format!("page {page} of {number}") };
        files.insert(UrlPath::new(format!("/p{}/q{page}/", page % 5)).expect("a path"), text.into_bytes().into());
    }
    files.insert(UrlPath::new("/number.txt").expect("a path"), number.to_string().into_bytes().into());
    Site { files }
}

/// Not a test of its own: what `a_killed_build_leaves_one_whole_site` kills.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Ok(root) = std::env::var("CLIENTBOOK_TEST_WRITE_UNDER") else { return };
    let root = Utf8PathBuf::from(root);
    let first = std::env::var("CLIENTBOOK_TEST_WRITE_FROM").expect("a number").parse().expect("a number");
    for number in first.. {
        fs::write(root.join("started"), "").expect("written");
        match write(&generation(number), &root.join("site"), &root) {
            Ok(_) | Err(WriteError::Busy(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_killed_build_leaves_one_whole_site() {
    let place = fixture();
    let begun = Instant::now();
    place.write(&generation(0)).expect("written");
    // Kills shall fall anywhere in the first few sites of a child, however busy the machine is.
    let span_micros = 20_000 + 4 * begun.elapsed().as_micros() as u64;
    let until = begun + Duration::from_secs(12);
    let mut state = 0x2545_f491u32;
    let mut kills = 0;
    let mut seen = std::collections::BTreeSet::new();
    while Instant::now() < until && kills < 120 {
        let mut child = Command::new(std::env::current_exe().expect("we run"))
            .args(["--exact", "child_that_writes_until_it_is_killed", "--nocapture"])
            .env("CLIENTBOOK_TEST_WRITE_UNDER", &place.root)
            .env("CLIENTBOOK_TEST_WRITE_FROM", (kills * 10).to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a child");
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // To start a process may take longer than all it writes.
        while !place.root.join("started").exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(u64::from(state) % span_micros));
        let ended = child.try_wait().expect("a child");
        child.kill().expect("killed");
        let output = child.wait_with_output().expect("killed");
        assert!(ended.is_none(), "the child ended by itself: {}", String::from_utf8_lossy(&output.stderr));
        kills += 1;
        let _ = fs::remove_file(place.root.join("started"));
        if !place.out.exists() {
            continue;
        }
        let found = place.read();
        let number: u32 = found["number.txt"].parse().expect("a number");
        assert_eq!(found, expected(&generation(number)), "after {kills} kills");
        seen.insert(number);
    }
    assert!(seen.len() > 3, "{kills} kills saw {seen:?}");
    place.write(&generation(3)).expect("and the next build is fine");
    assert_eq!(place.read(), expected(&generation(3)));
}

#[test]
fn two_builds_do_not_mix() {
    let place = fixture();
    let results: Vec<Result<Written, WriteError>> = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn({
                    let place = &place;
                    move || place.write(&generation(number))
                })
            })
            .collect();
        builds.into_iter().map(|build| build.join().expect("no panic")).collect()
    });
    assert!(results.iter().any(Result::is_ok));
    assert!(results.iter().all(|result| matches!(result, Ok(_) | Err(WriteError::Busy(_)))), "{results:?}");
    let found = place.read();
    let number: u32 = found["number.txt"].parse().expect("a number");
    assert_eq!(found, expected(&generation(number)));
}
