//! Holds the code to `ARCHITECTURE.md`: its table of rooms says which room may import which, its invariants what stands nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Room → rooms it may import, from the table below "## Rooms".
fn rooms() -> BTreeMap<String, BTreeSet<String>> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Rooms")).expect("a section `Rooms`");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        (names(cells[1]).into_iter().next().expect("a room"), names(cells[2]))
    })
    .collect()
}

/// Every Rust file below `src/`: path from there, and text without comments.
fn files() -> Vec<(String, String)> {
    let src = root().join("src");
    let files = walkdir::WalkDir::new(&src).sort_by_file_name().into_iter().flatten();
    files
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let path = entry.path().strip_prefix(&src).expect("below").to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(entry.path()).expect("UTF-8");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            (path, code)
        })
        .collect()
}

fn room(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The code before its unit tests.
fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]").next().unwrap_or(code)
}

/// The rooms named after `crate::`, also in groups: `crate::{a, b::{c, d}}` names `a` and `b`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            continue;
        };
        let mut depth = 0;
        let mut name = String::new();
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ if depth > 0 => {}
                ',' => {
                    found.insert(std::mem::take(&mut name));
                }
                c => name.push(c),
            }
        }
        found.insert(name);
    }
    let names = found.iter().map(|name| name.trim().split("::").next().unwrap_or_default().trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn imports_only_go_down() {
    let rooms = rooms();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, code) in files() {
        let room = room(&path);
        if room == "lib" {
            continue;
        }
        seen.insert(room.to_owned());
        let Some(allowed) = rooms.get(room) else {
            faults.push(format!("src/{path}: the room `{room}` is not in the table of ARCHITECTURE.md"));
            continue;
        };
        for import in imports(&code) {
            // `codes!` is the one macro at the top of the crate.
            let is_free = import == room || import == "codes";
            if !is_free && !allowed.contains(&import) {
                faults.push(format!("src/{path}: `{room}` must not import `{import}`"));
            }
        }
    }
    let absent: Vec<&String> = rooms.keys().filter(|room| !seen.contains(*room)).collect();
    assert!(absent.is_empty(), "ARCHITECTURE.md names rooms that are not there: {absent:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    let rooms = rooms();
    for (room, below) in &rooms {
        let mut reached = below.clone();
        let mut open: Vec<String> = below.iter().cloned().collect();
        while let Some(next) = open.pop() {
            for further in rooms.get(&next).unwrap_or_else(|| panic!("`{room}` imports `{next}`, which is no room")) {
                if reached.insert(further.clone()) {
                    open.push(further.clone());
                }
            }
        }
        assert!(!reached.contains(room), "`{room}` can reach itself");
    }
}

/// `needles` stand only below `allowed`.
fn only_in(needles: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, code) in files() {
        if allowed.iter().any(|allowed| path.starts_with(allowed)) {
            continue;
        }
        let code = without_tests(&code);
        faults.extend(needles.iter().filter(|needle| code.contains(**needle)).map(|needle| format!("src/{path}: `{needle}`")));
    }
    faults
}

#[test]
fn what_stands_nowhere_else() {
    let mut faults = Vec::new();
    faults.extend(only_in(&["println!", "print!(", "eprint", "io::stdout", "io::stderr"], &["cli/"]));
    faults.extend(only_in(&["process::exit"], &[]));
    faults.extend(only_in(&["tokio", "axum", "notify::", "async fn", "async move"], &["serve/", "kit/", "cli/kit.rs"]));
    faults.extend(only_in(
        &["std::fs", "fs::", "File::open", "read_dir"],
        &[
            "source/read.rs",
            "site/write",
            "guide/memory.rs",
            "cli/new.rs",
            "cli/schema.rs",
            "cli/results.rs",
            "kit/",
            "cli/kit.rs",
        ],
    ));
    faults.extend(only_in(&["Timestamp::now", "SystemTime::now", "Zoned::now"], &["cli/", "serve/", "kit/"]));
    faults.extend(only_in(&["env::var"], &["cli/", "kit/"]));
    faults.extend(only_in(&["unsafe "], &[]));
    assert!(faults.is_empty(), "ARCHITECTURE.md says that these stand nowhere:\n{}", faults.join("\n"));
}

#[test]
fn groups_of_imports_are_understood() {
    let found = imports("use crate::{a::b, c::{d, e}, f};\nuse crate::g;\nlet x = $crate::h::I;");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "c", "f", "g", "h"]);
}
