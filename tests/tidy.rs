//! Small rules that keep the tree readable and true.

use clientbook::diagnostic::Code;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines of code of a file, tests and comments aside.
const FILE_LINES_MAX: usize = 500;
/// Lines of a function.
const FUNCTION_LINES_MAX: usize = 70;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file that is or would be committed, relative to the root.
fn tracked() -> Vec<PathBuf> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    match Command::new("git").args(arguments).current_dir(root()).output() {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).filter(|p| root().join(p).is_file()).collect()
        }
        // An unpacked archive: everything but what is made.
        _ => walkdir::WalkDir::new(root())
            .into_iter()
            .filter_entry(|entry| !["target", "site", "node_modules", ".git"].contains(&&*entry.file_name().to_string_lossy()))
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| entry.path().strip_prefix(root()).ok().map(Path::to_owned))
            .collect(),
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let rust = tracked().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    rust.map(|path| {
        let text = fs::read_to_string(root().join(&path)).expect("UTF-8");
        (path, text)
    })
    .collect()
}

#[test]
fn files_and_functions_fit() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        let lines = code.lines().filter(is_code).count();
        if lines > FILE_LINES_MAX {
            faults.push(format!("{}: {lines} lines", path.display()));
        }
        if !path.starts_with("src") {
            continue;
        }
        // rustfmt closes a function at the indentation of its first line.
        let mut open: Option<(usize, &str, usize)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let start = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(super) ");
            match open {
                Some((from, name, depth)) if indent == depth && line.trim() == "}" => {
                    let length = number - from + 1;
                    if length > FUNCTION_LINES_MAX {
                        faults.push(format!("{}:{}: {length} lines: {}", path.display(), from + 1, name.trim()));
                    }
                    open = None;
                }
                None if start.starts_with("fn ") || start.starts_with("async fn ") => {
                    // A function on one line has no end to wait for.
                    open = (!line.trim_end().ends_with('}')).then_some((number, line, indent));
                }
                _ => {}
            }
        }
    }
    assert!(faults.is_empty(), "too long:\n{}", faults.join("\n"));
}

#[test]
fn every_code_is_unique_explained_and_has_a_fixture() {
    let codes = clientbook::cli::codes::every();
    let ids: BTreeSet<&str> = codes.iter().map(|code| code.id).collect();
    assert_eq!(ids.len(), codes.len(), "an id is used twice");
    let mut faults = Vec::new();
    for code in codes {
        faults.extend(faults_of(code));
    }
    let named = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let fixtures = fs::read_dir(root().join("tests/diagnostics")).expect("fixtures").flatten().map(named);
    for fixture in fixtures.filter(|name| name.starts_with("CB")) {
        if !ids.contains(fixture.get(..5).unwrap_or_default()) {
            faults.push(format!("tests/diagnostics/{fixture}: there is no such code"));
        }
    }
    for (path, text) in sources().iter().filter(|(path, _)| path.ends_with("codes.rs")) {
        let declared = text.matches("= \"CB").count();
        let listed = text.lines().filter_map(|line| line.split('"').nth(1)).filter(|id| ids.contains(id)).count();
        if declared != listed {
            faults.push(format!("{}: a code is missing from `clientbook explain`", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn faults_of(code: &Code) -> Vec<String> {
    let mut faults = Vec::new();
    let fault = |what: &str| format!("{}: {what}", code.id);
    let digits = code.id.strip_prefix("CB").unwrap_or_default();
    if digits.len() != 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        faults.push(fault("an id is `CB` and three digits"));
    }
    if code.summary.ends_with('.') || code.summary.is_empty() {
        faults.push(fault("a summary is one line without a full stop"));
    }
    if !code.explanation.starts_with("# ") || code.explanation.lines().count() < 4 {
        faults.push(fault("an explanation has a heading, says what it means, and shows a wrong input and a right one"));
    }
    let folder = root().join("tests/diagnostics");
    let has_fixture = fs::read_dir(folder)
        .expect("fixtures")
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with(code.id) && entry.path().join("expected.txt").is_file());
    // Findings of a command are shown by the tests of that command.
    if !has_fixture && !code.id.starts_with("CB9") && !code.id.starts_with("CB6") {
        faults.push(fault("there is no fixture below tests/diagnostics/"));
    }
    faults
}

#[test]
fn the_program_does_not_know_what_the_book_is_about() {
    let mut faults = Vec::new();
    for path in tracked() {
        let Ok(below) = path.strip_prefix("src") else { continue };
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        if below.starts_with("kit") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
        for (number, line) in code.lines().enumerate() {
            // Examples in documentation may name one.
            let is_comment = line.trim_start().starts_with("//") || path.extension().is_some_and(|extension| extension == "md");
            if !is_comment && line.to_lowercase().contains("kafka") {
                faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_names_a_machine_or_a_download_host() {
    // Written apart, so that this file does not find itself.
    let hosts = ["pypi", "org"].join(".");
    let needles = [
        ["/wo", "rk/"].concat(),
        ["/ho", "me/"].concat(),
        ["/Us", "ers/"].concat(),
        hosts,
        ["registry.npm", "js.org"].concat(),
        ["proxy.go", "lang.org"].concat(),
        ["repo1.ma", "ven.org"].concat(),
        ["deb.deb", "ian.org"].concat(),
        ["crates", "io"].join("."),
    ];
    let mut faults = Vec::new();
    for path in tracked() {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            // Cargo.lock names the default registry by its index, not by where packages are downloaded from.
            let found = needles.iter().find(|needle| line.contains(needle.as_str()));
            if let Some(needle) = found.filter(|_| !path.ends_with("Cargo.lock")) {
                faults.push(format!("{}:{}: `{needle}`", path.display(), number + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn templates_print_html_only_where_it_was_made() {
    let mut faults = Vec::new();
    for path in tracked().into_iter().filter(|path| path.starts_with("templates")) {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if line.replace(' ', "").contains("|safe") || line.contains("<script>") || line.contains("<style>") {
                faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
