//! The floor that benchmarks are held against: the least that any program of this kind must do. It reads the same files as
//! `clientbook build`, parses them, fills a fixed string and writes one page for each. One thread, no checks, no templates.
//!
//! `floor manifests ROOT OUT` reads `ROOT/clients/*/manifest.toml`; `floor guides ROOT OUT` reads `ROOT/content/**/*.md` that
//! lie outside the catalogue's own folders. Started by `benches/run.py`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Manifest {
    name: String,
    summary: String,
    license: String,
    repository: String,
    languages: Vec<String>,
    status: Status,
    #[serde(default)]
    features: BTreeMap<String, Claim>,
}

#[derive(serde::Deserialize)]
struct Status {
    value: String,
    reason: String,
}

#[derive(serde::Deserialize)]
struct Claim {
    support: String,
    since: Option<String>,
    source: String,
}

const HEAD: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>";

fn main() {
    let arguments: Vec<String> = std::env::args().filter(|argument| argument != "--bench").collect();
    let [_, kind, root, out] = arguments.as_slice() else {
        eprintln!("usage: floor manifests|guides ROOT OUT (benches/run.py starts it)");
        return;
    };
    let (root, out) = (PathBuf::from(root), PathBuf::from(out));
    let pages = match kind.as_str() {
        "manifests" => manifests(&root, &out),
        _ => guides(&root, &out),
    };
    println!("{pages} pages");
}

fn manifests(root: &Path, out: &Path) -> usize {
    let mut pages = 0;
    for entry in fs::read_dir(root.join("clients")).expect("clients/ is readable").flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join("manifest.toml")) else { continue };
        let manifest: Manifest = toml::from_str(&text).expect("a synthetic manifest parses");
        let mut page = format!(
            "{HEAD}{}</title><h1>{}</h1><p>{}</p><p>{} {} {} {} {:?}</p><table>",
            manifest.name,
            manifest.name,
            manifest.summary,
            manifest.license,
            manifest.repository,
            manifest.status.value,
            manifest.status.reason,
            manifest.languages
        );
        for (feature, claim) in &manifest.features {
            page += &format!(
                "<tr><th>{feature}</th><td>{} {} <a href=\"{}\">source</a></td></tr>",
                claim.support,
                claim.since.as_deref().unwrap_or_default(),
                claim.source
            );
        }
        page += "</table>";
        write(&out.join(entry.file_name()), &page);
        pages += 1;
    }
    pages
}

fn guides(root: &Path, out: &Path) -> usize {
    let mut pages = 0;
    for entry in walkdir::WalkDir::new(root.join("content/guides")).into_iter().flatten() {
        if entry.path().extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("a synthetic guide is readable");
        let body = text.splitn(3, "+++").nth(2).unwrap_or(&text);
        let mut page = format!("{HEAD}guide</title>");
        pulldown_cmark::html::push_html(&mut page, pulldown_cmark::Parser::new(body));
        write(&out.join(entry.path().file_stem().expect("it has a name")), &page);
        pages += 1;
    }
    pages
}

fn write(folder: &Path, page: &str) {
    fs::create_dir_all(folder).expect("the output is writable");
    fs::write(folder.join("index.html"), page).expect("the output is writable");
}
