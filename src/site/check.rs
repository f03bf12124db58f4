//! The check of the finished site: what a browser would follow, load or run, whoever wrote it. It reads the bytes that will be
//! written, so that nothing between a template and the disk is taken on trust.
//!
//! A page is read once and gives its [`PageFacts`], which depend on its path and bytes alone and may be kept as long as these
//! do not change. The second step, over all facts, asks whether every link leads to a place that some page has (see `place`).

use super::drawing::{self, Harm};
use super::markup::{Tag, Tags, decode};
use super::place::{Place, Target, place, target, verified};
use super::{Site, UrlPath, codes, css, script};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use base64::Engine as _;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use sha2::{Digest, Sha384};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Write as _;
use std::sync::Arc;

/// What is asked of a site.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Where the site will stand, ending in `/`: addresses that start so are its own. Empty: none do.
    pub base_url: String,
    /// The most a page may weigh, compressed, in bytes.
    pub page_bytes_max: usize,
    /// The file that a page is edited in, where there is one: findings name it.
    pub sources: BTreeMap<UrlPath, Utf8PathBuf>,
    /// Pages that are left out for a reason that was reported: links to them, and to places of them, are no findings.
    pub left_out: BTreeSet<UrlPath>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { base_url: String::new(), page_bytes_max: 100_000, sources: BTreeMap::new(), left_out: BTreeSet::new() }
    }
}

/// What the check knows of one file of the site.
#[derive(Debug, Default)]
pub struct PageFacts {
    /// The places it has, but for its own path.
    places: Box<[Place]>,
    /// The places that must be somewhere.
    wanted: Box<[Place]>,
    /// What is wrong with it alone.
    faults: Vec<Fault>,
}

#[derive(Debug, Clone)]
struct Fault {
    code: &'static Code,
    title: String,
    /// What was probably meant is sought when the fault is told, among the site's addresses or the page's ids.
    sought: Option<Sought>,
}

#[derive(Debug, Clone)]
enum Sought {
    Path(String),
    Id { path: String, id: String },
}

/// On how many pages the same fault is told.
const SAME_MAX: usize = 3;

/// Kinds of files that a site holds.
const EXTENSIONS: &[&str] = &[
    "html",
    "css",
    "js",
    "mjs",
    "json",
    "xml",
    "txt",
    "svg",
    "png",
    "webp",
    "avif",
    "jpg",
    "jpeg",
    "gif",
    "ico",
    "woff2",
    "webmanifest",
    "csv",
    "pdf",
    "wasm",
    "map",
];
/// Files without an extension that static hosts read.
const BARE: &[&str] = &["/_headers", "/_redirects", "/CNAME", "/.nojekyll"];

/// Checks the whole site.
pub fn check(site: &Site, policy: &Policy) -> Vec<Diagnostic> {
    let files: Vec<(&UrlPath, &Arc<[u8]>)> = site.files.iter().collect();
    let facts: Vec<Arc<PageFacts>> = files.par_iter().map(|(path, bytes)| Arc::new(PageFacts::of(path, bytes, policy))).collect();
    let facts: Vec<(&UrlPath, Arc<PageFacts>)> = files.iter().map(|(path, _)| *path).zip(facts).collect();
    check_facts(site, &facts, policy)
}

/// Checks the whole site, whose files have these facts.
pub fn check_facts(site: &Site, facts: &[(&UrlPath, Arc<PageFacts>)], policy: &Policy) -> Vec<Diagnostic> {
    let mut places: HashSet<Place> = HashSet::with_capacity(facts.iter().map(|(_, facts)| facts.places.len() + 1).sum());
    for (path, facts) in facts {
        places.insert(place(path.as_str(), ""));
        places.extend(facts.places.iter());
    }
    let faults: Vec<(&UrlPath, Fault)> = facts
        .par_iter()
        .flat_map_iter(|(path, facts)| {
            let mut faults = facts.faults.clone();
            if !facts.wanted.iter().all(|wanted| places.contains(wanted)) {
                faults.extend(missing(site, path, &places, policy));
            }
            faults.into_iter().map(|fault| (*path, fault))
        })
        .chain(clashes(site))
        .collect();
    report(site, faults, policy)
}

/// Findings for `faults`. One that a hundred pages share, because it stands in their frame, is told for the first few.
fn report(site: &Site, faults: Vec<(&UrlPath, Fault)>, policy: &Policy) -> Vec<Diagnostic> {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for (_, fault) in &faults {
        *counts.entry((fault.code.id, &fault.title)).or_default() += 1;
    }
    let mut told: HashMap<(&str, &str), usize> = HashMap::new();
    let mut findings = Vec::new();
    for (path, fault) in &faults {
        let key = (fault.code.id, fault.title.as_str());
        let number = told.entry(key).or_default();
        *number += 1;
        if *number > SAME_MAX {
            continue;
        }
        let finding = fault.finding(path, site, policy);
        let others = counts.get(&key).copied().unwrap_or_default() - *number;
        findings.push(match others {
            1.. if *number == SAME_MAX => finding.note(format!("the same on {others} more pages")),
            _ => finding,
        });
    }
    findings
}

impl PageFacts {
    /// Reads one file of the site. Of `policy`, only `base_url` and `page_bytes_max` count.
    pub fn of(path: &UrlPath, bytes: &[u8], policy: &Policy) -> PageFacts {
        let mut facts = PageFacts::default();
        let name = path.as_str();
        let extension = if path.is_page() { "html" } else { Utf8Path::new(name).extension().unwrap_or_default() };
        let text = std::str::from_utf8(bytes);
        match (extension, text) {
            ("html", Ok(text)) => facts = page(path, text, policy),
            // `Assets` has judged what it made, at the place in the source.
            _ if name.starts_with("/assets/") => {}
            ("svg", Ok(text)) => facts.drawing(text),
            ("css", Ok(text)) => {
                for reference in css::references(text).iter().filter(|found| css::names_a_host(&found.address)) {
                    facts.fault(&codes::ASSET_LOAD, format!("it names `{}`", reference.address));
                }
            }
            ("js" | "mjs", Ok(text)) => {
                for (_, host) in script::hosts(text) {
                    facts.fault(&codes::ASSET_LOAD, format!("it names `{host}`"));
                }
            }
            _ if BARE.contains(&name) || name.starts_with("/.well-known/") => {}
            (_, _) if !EXTENSIONS.contains(&extension) => {
                facts.fault(&codes::UNEXPECTED_FILE, "no page or asset is of this kind".to_owned());
            }
            ("html" | "svg" | "css" | "js" | "mjs" | "json" | "xml" | "txt", Err(_)) => {
                facts.fault(&codes::UNEXPECTED_FILE, "it is not UTF-8".to_owned());
            }
            _ => {}
        }
        if matches!(extension, "js" | "mjs" | "css") {
            facts.places = [verified(name, &integrity(bytes))].into();
        }
        facts
    }

    fn fault(&mut self, code: &'static Code, title: String) {
        self.faults.push(Fault { code, title, sought: None });
    }

    fn drawing(&mut self, text: &str) {
        for harm in drawing::harms(text) {
            match harm {
                Harm::Script(what, _) => self.fault(&codes::ASSET_SCRIPT, format!("it holds {what}")),
                Harm::Load(address, _) => self.fault(&codes::ASSET_LOAD, format!("it names `{address}`")),
            }
        }
    }
}

impl Fault {
    fn finding(&self, path: &UrlPath, site: &Site, policy: &Policy) -> Diagnostic {
        let finding = Diagnostic::new(self.code, format!("`{path}`: {}", self.title));
        let finding = match policy.sources.get(path) {
            Some(source) => finding.in_file(source),
            None => finding.in_file(Utf8Path::new(&path.file())),
        };
        let meant = match &self.sought {
            None => None,
            Some(Sought::Path(path)) => did_you_mean(path, site.files.keys().map(UrlPath::as_str)).map(str::to_owned),
            Some(Sought::Id { path, id }) => {
                let ids = ids(site, path);
                let hash = if self.code.id == codes::BROKEN_FRAGMENT.id { "#" } else { "" };
                did_you_mean(id, ids.iter().map(String::as_str)).map(|near| format!("{hash}{near}"))
            }
        };
        match meant {
            Some(meant) => finding.help(format!("did you mean `{meant}`?")),
            None => finding,
        }
    }
}

/// Something that a page refers to.
enum Wanted<'p> {
    /// A path, or a place of a page.
    Place { address: &'p str, path: Cow<'p, str>, fragment: Cow<'p, str> },
    /// A script or stylesheet and its hash.
    Verified { address: &'p str, path: Cow<'p, str>, integrity: String },
}

impl Wanted<'_> {
    fn path(&self) -> &str {
        match self {
            Wanted::Place { path, .. } | Wanted::Verified { path, .. } => path,
        }
    }

    fn place(&self) -> Place {
        match self {
            Wanted::Place { path, fragment, .. } => place(path, fragment),
            Wanted::Verified { path, integrity, .. } => verified(path, integrity),
        }
    }
}

fn integrity(bytes: &[u8]) -> String {
    format!("sha384-{}", base64::engine::general_purpose::STANDARD.encode(Sha384::digest(bytes)))
}

/// Reads a page.
fn page(path: &UrlPath, text: &str, policy: &Policy) -> PageFacts {
    let mut facts = PageFacts::default();
    let mut wanted: Vec<Place> = Vec::with_capacity(64);
    let mut ids: Vec<&str> = Vec::with_capacity(32);
    let mut references: Vec<(&str, &str)> = Vec::new();
    for tag in Tags::of_page(text) {
        let mut reader = Reader { path, policy, facts: &mut facts, wanted: &mut |found| wanted.push(found.place()) };
        reader.tag(&tag);
        for (name, value) in tag.attributes() {
            match name.len() {
                2 if name.eq_ignore_ascii_case("id") => ids.push(value),
                _ if is_reference(name) => references.extend(value.split_ascii_whitespace().map(|id| (name, id))),
                _ => {}
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    ids.sort_unstable();
    for pair in ids.windows(2).filter(|pair| pair[0] == pair[1]) {
        facts.fault(&codes::DUPLICATE_ID, format!("the id `{}` is there twice", pair[0]));
    }
    for (name, id) in references.iter().filter(|(_, id)| ids.binary_search(id).is_err()) {
        let title = format!("`{name}` names the id `{id}`, which is not there");
        let sought = Some(Sought::Id { path: path.as_str().to_owned(), id: (*id).to_owned() });
        facts.faults.push(Fault { code: &codes::ID_REFERENCE, title, sought });
    }
    facts.places = ids.iter().map(|id| place(path.as_str(), &decode(id))).collect();
    facts.wanted = wanted.into();
    if text.len() > policy.page_bytes_max
        && let Some(bytes) = compressed(text).filter(|bytes| *bytes > policy.page_bytes_max)
    {
        let title = format!("{} kB compressed, of at most {}", bytes / 1000, policy.page_bytes_max / 1000);
        facts.fault(&codes::WEIGHT, title);
    }
    facts
}

fn is_reference(name: &str) -> bool {
    matches!(name, "for" | "aria-labelledby" | "aria-describedby" | "aria-controls" | "popovertarget" | "list" | "headers")
}

/// The size of `text` as a host would send it, in bytes.
fn compressed(text: &str) -> Option<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).ok()?;
    encoder.finish().ok().map(|bytes| bytes.len())
}

/// Looks at tags: what is wrong goes into `facts`, what must be somewhere to `wanted`.
struct Reader<'r, 'p> {
    path: &'p UrlPath,
    policy: &'r Policy,
    facts: &'r mut PageFacts,
    wanted: &'r mut dyn FnMut(Wanted<'_>),
}

impl Reader<'_, '_> {
    fn tag(&mut self, tag: &Tag<'_>) {
        let name: Cow<'_, str> = match tag.name.bytes().any(|b| b.is_ascii_uppercase()) {
            true => tag.name.to_ascii_lowercase().into(),
            false => tag.name.into(),
        };
        match name.as_ref() {
            "script" => return self.script(tag),
            "style" => self.facts.fault(&codes::INLINE_CODE, "a `<style>` within the page".to_owned()),
            "base" => self.facts.fault(&codes::FOREIGN_LOAD, "a `<base>`, which turns every address into another".to_owned()),
            "link" => return self.link(tag),
            "meta" => self.refresh(tag),
            _ => {}
        }
        for (attribute, value) in tag.attributes() {
            self.attribute(&name, attribute, value);
        }
    }

    fn attribute(&mut self, tag: &str, attribute: &str, value: &str) {
        // The most frequent ones, which lead nowhere.
        if matches!(attribute, "class" | "id" | "d" | "role" | "tabindex" | "title" | "alt" | "rel" | "scope" | "viewBox") {
            return;
        }
        match (tag, attribute) {
            ("a" | "area", "href" | "xlink:href") => self.follow(&decode(value)),
            (_, "href" | "xlink:href" | "src" | "poster" | "data" | "background" | "manifest" | "action" | "formaction") => {
                if !(tag == "object" || attribute != "data") {
                    return;
                }
                self.load(&decode(value), tag);
            }
            (_, "srcset" | "imagesrcset") => {
                for candidate in decode(value).split(',') {
                    if let Some(address) = candidate.split_ascii_whitespace().next() {
                        self.load(address, tag);
                    }
                }
            }
            (_, "srcdoc") => self.facts.fault(&codes::INLINE_CODE, format!("`srcdoc` on `<{tag}>`")),
            (_, "style") => self.facts.fault(&codes::INLINE_CODE, format!("a `style` on `<{tag}>`")),
            // Names in upper case are the same to a browser; ours are not written so.
            _ if attribute.bytes().any(|b| b.is_ascii_uppercase()) => {
                let lower = attribute.to_ascii_lowercase();
                if lower != attribute && is_looked_at(&lower) {
                    self.attribute(tag, &lower, value);
                }
            }
            _ if attribute.len() > 2 && attribute.starts_with("on") => {
                self.facts.fault(&codes::INLINE_CODE, format!("an `{attribute}` on `<{tag}>`"));
            }
            _ if value.contains('(') && !attribute.starts_with("aria-") => {
                // `fill="url(…)"` in a drawing within the page.
                let value = decode(value);
                for reference in css::references(&value).into_iter().filter(|found| css::names_a_host(&found.address)) {
                    if reference.is_load {
                        self.load(&reference.address, tag);
                    }
                }
            }
            _ => {}
        }
    }

    /// A link that a person may follow.
    fn follow(&mut self, address: &str) {
        match target(address, self.path.as_str(), &self.policy.base_url) {
            Target::Own(path, fragment) => (self.wanted)(Wanted::Place { address, path, fragment }),
            Target::Other if !address.starts_with("//") => {}
            Target::Mail => {}
            Target::Http => self.facts.fault(&codes::HTTP_LINK, format!("it links to `{address}`")),
            Target::Other | Target::Forbidden => {
                self.facts.fault(&codes::FORBIDDEN_LINK, format!("it links to `{}`", address.escape_debug()));
            }
        }
    }

    /// Something that a browser fetches by itself.
    fn load(&mut self, address: &str, tag: &str) {
        match target(address, self.path.as_str(), &self.policy.base_url) {
            Target::Own(path, fragment) => {
                // A fragment of another file is within a drawing; of this page, an element.
                let fragment = if path == self.path.as_str() { fragment } else { Cow::Borrowed("") };
                (self.wanted)(Wanted::Place { address, path, fragment });
            }
            _ => {
                let title = format!("`<{tag}>` loads `{}`", address.escape_debug());
                self.facts.fault(&codes::FOREIGN_LOAD, title);
            }
        }
    }

    fn script(&mut self, tag: &Tag<'_>) {
        for (attribute, _) in tag.attributes().filter(|(name, _)| name.len() > 2 && name[..2].eq_ignore_ascii_case("on")) {
            self.facts.fault(&codes::INLINE_CODE, format!("an `{attribute}` on `<script>`"));
        }
        match tag.attribute("src") {
            Some(src) => self.verified(&src, tag, "script"),
            // A block of data is not run.
            None if tag.attribute("type").is_some_and(|kind| kind.ends_with("json")) => {}
            None => self.facts.fault(&codes::INLINE_CODE, "a `<script>` within the page".to_owned()),
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let Some(href) = tag.attribute("href") else { return };
        let rel = tag.attribute("rel").unwrap_or_default().to_ascii_lowercase();
        let kinds: Vec<&str> = rel.split_ascii_whitespace().collect();
        if kinds.contains(&"stylesheet") || kinds.contains(&"modulepreload") {
            self.verified(&href, tag, "link");
        } else if kinds.iter().any(|kind| {
            ["icon", "preload", "prefetch", "manifest", "apple-touch-icon", "preconnect", "dns-prefetch", "prerender"]
                .contains(kind)
        }) {
            self.load(&href, "link");
        } else {
            self.follow(&href);
        }
        for (attribute, value) in tag.attributes().filter(|(name, _)| name.len() > 2 && name[..2].eq_ignore_ascii_case("on")) {
            self.attribute("link", attribute, value);
        }
    }

    /// A script or stylesheet, with its hash.
    fn verified(&mut self, address: &str, tag: &Tag<'_>, name: &str) {
        match (target(address, self.path.as_str(), &self.policy.base_url), tag.attribute("integrity")) {
            (Target::Own(path, _), Some(integrity)) => {
                (self.wanted)(Wanted::Verified { address, path, integrity: integrity.into_owned() });
            }
            (Target::Own(..), None) => {
                self.facts.fault(&codes::INTEGRITY, format!("`<{name}>` loads `{address}` without `integrity`"));
            }
            _ => self.load(address, name),
        }
    }

    /// `<meta http-equiv="refresh">`: the address behind `url=` is followed.
    fn refresh(&mut self, tag: &Tag<'_>) {
        if !tag.attribute("http-equiv").is_some_and(|kind| kind.eq_ignore_ascii_case("refresh")) {
            return;
        }
        let content = tag.attribute("content").unwrap_or_default();
        if let Some((_, address)) = content.split_once('=') {
            self.follow(address.trim().trim_matches(['"', '\'']));
        }
    }
}

/// Whether an attribute, in lower case, is one that matters to [`Reader::attribute`].
fn is_looked_at(name: &str) -> bool {
    name.starts_with("on")
        || matches!(name, "href" | "xlink:href" | "src" | "srcset" | "style" | "action" | "formaction" | "srcdoc")
}

/// Reads the page at `path` again, for the words about what it refers to and `places` does not have.
fn missing(site: &Site, path: &UrlPath, places: &HashSet<Place>, policy: &Policy) -> Vec<Fault> {
    let Some(text) = site.files.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok()) else { return Vec::new() };
    let mut faults: Vec<Fault> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut ignored = PageFacts::default();
    let mut judge = |wanted: Wanted<'_>| {
        if places.contains(&wanted.place()) || policy.left_out.contains(wanted.path()) {
            return;
        }
        let fault = explain(&wanted, places);
        if seen.insert(fault.title.clone()) {
            faults.push(fault);
        }
    };
    for tag in Tags::of_page(text) {
        Reader { path, policy, facts: &mut ignored, wanted: &mut judge }.tag(&tag);
    }
    faults
}

fn explain(wanted: &Wanted<'_>, places: &HashSet<Place>) -> Fault {
    let (address, path) = match wanted {
        Wanted::Place { address, path, .. } | Wanted::Verified { address, path, .. } => (*address, path.as_ref()),
    };
    let is_there = places.contains(&place(path, ""));
    match wanted {
        Wanted::Verified { .. } if is_there => Fault {
            code: &codes::INTEGRITY,
            title: format!("the `integrity` of `{address}` is not that of the file"),
            sought: None,
        },
        Wanted::Place { fragment, .. } if is_there => Fault {
            code: &codes::BROKEN_FRAGMENT,
            title: format!("it links to `{address}`, but there is no `{fragment}` on that page"),
            sought: Some(Sought::Id { path: path.to_owned(), id: fragment.to_string() }),
        },
        _ => Fault {
            code: &codes::BROKEN_LINK,
            title: format!("it links to `{address}`, where there is nothing"),
            sought: Some(Sought::Path(path.to_owned())),
        },
    }
}

fn ids(site: &Site, path: &str) -> Vec<String> {
    let bytes = UrlPath::new(path).and_then(|path| site.files.get(&path));
    let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    Tags::of_page(text).filter_map(|tag| tag.attribute("id").map(Cow::into_owned)).collect()
}

/// Addresses that cannot stand side by side: the same but for upper case, or one a file where the other needs a folder.
fn clashes(site: &Site) -> Vec<(&UrlPath, Fault)> {
    let mut by_name: HashMap<String, &UrlPath> = HashMap::with_capacity(site.files.len());
    let mut found = Vec::new();
    let clash =
        |other: &UrlPath| Fault { code: &codes::CLASH, title: format!("it cannot be a file beside `{other}`"), sought: None };
    for path in site.files.keys() {
        if let Some(other) = by_name.insert(path.file().to_ascii_lowercase(), path) {
            found.push((path, clash(other)));
        }
    }
    for path in site.files.keys() {
        let file = path.file().to_ascii_lowercase();
        for (at, _) in file.match_indices('/') {
            if let Some(other) = by_name.get(&file[..at]) {
                found.push((path, clash(other)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(files: &[(&str, &str)]) -> Site {
        let files = files.iter().map(|(path, text)| (UrlPath::new(*path).unwrap(), text.as_bytes().into())).collect();
        Site { files }
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let policy = Policy { base_url: "https://book.example/".into(), ..Policy::default() };
        check(&site(files), &policy).iter().map(|finding| format!("{} {}", finding.code.id, finding.title)).collect()
    }

    fn codes(page: &str) -> Vec<&'static str> {
        let files = [("/", page), ("/b/", "<p id=c>"), ("/a.json", "{}"), ("/assets/s.css", "a{}"), ("/assets/s.js", "1")];
        let policy = Policy { base_url: "https://book.example/".into(), ..Policy::default() };
        check(&site(&files), &policy).iter().map(|finding| finding.code.id).collect()
    }

    #[test]
    fn a_sound_page_has_no_findings() {
        let style = integrity(b"a{}");
        let script = integrity(b"1");
        let page = format!(
            "<!doctype html><html lang=en><head><meta charset=utf-8><title>A <b></title><link rel=stylesheet href=/assets/s.css \
             integrity={style}><link rel=canonical href=https://book.example/><link rel=alternate href=/a.json><script defer \
             src=/assets/s.js integrity={script}></script><script type=application/ld+json>{{}}</script><body><h1 id=x>A</h1><a \
             href=#x>x</a><a href='/b/#c'>c</a><a href=b/?q=1&amp;r=2>b</a><a href=https://example.org/>e</a><a href=mailto:a@b.example>m</a>\
             <a href=#top>t</a><a href=''>s</a><label for=i>l</label><input id=i><svg><use href=#x /></svg><!-- <a href=/nowhere/> -->"
        );
        assert_eq!(codes(&page), [""; 0]);
    }

    #[test]
    fn each_fault_has_its_code() {
        for (page, code) in [
            ("<a href=/nowhere/>", "CB400"),
            ("<a href=/B/>", "CB400"),
            ("<a href=/b>", "CB400"),
            ("<a href=/b/index.html>", "CB400"),
            ("<a href=https://book.example/nowhere/>", "CB400"),
            ("<img src=/nowhere.png>", "CB400"),
            ("<meta http-equiv=refresh content='0; url=/nowhere/'>", "CB400"),
            ("<a href=/b/#d>", "CB401"),
            ("<a href=#d>", "CB401"),
            ("<a href='/b/#C'>", "CB401"),
            ("<p id=a><p id=a>", "CB402"),
            ("<img src=https://example.org/a.png>", "CB403"),
            ("<img src=//example.org/a.png>", "CB403"),
            ("<img src=http://example.org/a.png>", "CB403"),
            ("<img src='data:image/png;base64,A'>", "CB403"),
            ("<img srcset='/a.json 1x, https://example.org/a.png 2x'>", "CB403"),
            ("<img SRC=https://example.org/a.png>", "CB403"),
            ("<script src=https://example.org/a.js integrity=x></script>", "CB403"),
            ("<link rel=stylesheet href=https://example.org/a.css>", "CB403"),
            ("<link rel=preconnect href=https://example.org>", "CB403"),
            ("<iframe src=https://example.org>", "CB403"),
            ("<form action=https://example.org>", "CB403"),
            ("<object data=https://example.org>", "CB403"),
            ("<video poster=https://example.org/a.png>", "CB403"),
            ("<svg><image href=https://example.org/a.png></svg>", "CB403"),
            ("<svg><g fill='url(https://example.org/a)'></svg>", "CB403"),
            ("<base href=/b/>", "CB403"),
            ("<a href=http://example.org>", "CB404"),
            ("<a href=javascript:x>", "CB405"),
            ("<a href='java&#115;cript:x'>", "CB405"),
            ("<a href=' javascript:x'>", "CB405"),
            ("<a href='data:text/html,x'>", "CB405"),
            ("<a href=//example.org>", "CB405"),
            ("<a HREF=javascript:x>", "CB405"),
            ("<meta http-equiv=Refresh content='0;url=javascript:x'>", "CB405"),
            ("<script>1</script>", "CB406"),
            ("<style>a{}</style>", "CB406"),
            ("<p style='a:b'>", "CB406"),
            ("<p onclick=x>", "CB406"),
            ("<p ONCLICK=x>", "CB406"),
            ("<iframe srcdoc=x>", "CB406"),
            ("<script src=/assets/s.js></script>", "CB407"),
            ("<script src=/assets/s.js integrity=sha384-x></script>", "CB407"),
            ("<link rel=stylesheet href=/assets/s.css>", "CB407"),
            ("<label for=x>", "CB409"),
            ("<p aria-labelledby='x'>", "CB409"),
        ] {
            assert_eq!(codes(page), [code], "{page}");
        }
    }

    #[test]
    fn files_are_judged_too() {
        assert_eq!(found(&[("/a.toml", "x")])[0], "CB410 `/a.toml`: no page or asset is of this kind");
        assert_eq!(found(&[("/a.svg", "<svg onload=x>")])[0], "CB424 `/a.svg`: it holds `onload`");
        assert_eq!(found(&[("/a.css", "@import '//a.example';")])[0], "CB422 `/a.css`: it names `//a.example`");
        assert_eq!(found(&[("/a.js", "'https://a.example'")])[0], "CB422 `/a.js`: it names `https://a.example`");
        assert_eq!(found(&[("/A.json", "1"), ("/a.json", "1")])[0], "CB411 `/a.json`: it cannot be a file beside `/A.json`");
        assert_eq!(
            found(&[("/a.json", "1"), ("/a.json/b/", "1")])[0],
            "CB411 `/a.json/b/`: it cannot be a file beside `/a.json`"
        );
        assert_eq!(found(&[("/_headers", "x"), ("/.well-known/security", "x"), ("/404.html", "x"), ("/a/", "x")]), [""; 0]);
    }

    #[test]
    fn a_heavy_page_is_weighed_compressed() {
        let light = "<p>the same again ".repeat(20_000);
        assert_eq!(found(&[("/", &light)]), [""; 0]);
        let mut state = 1u32;
        let heavy: String = (0..300_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from(b'a' + (state >> 24) as u8 % 26)
            })
            .collect();
        assert!(found(&[("/", &heavy)])[0].starts_with("CB408 `/`: 1"));
    }

    #[test]
    fn a_fault_of_every_page_is_told_a_few_times_and_soon() {
        let start = std::time::Instant::now();
        let files = (0..3_000).map(|number| {
            let page = "<a href=/nowhere/>n</a><a href=/p1/#nothing>n</a><p style=a>";
            (UrlPath::new(format!("/p{number}/")).unwrap(), page.as_bytes().into())
        });
        let findings = check(&Site { files: files.collect() }, &Policy::default());
        assert_eq!(findings.len(), 3 * SAME_MAX);
        assert!(findings.iter().filter(|finding| finding.notes == ["the same on 2997 more pages"]).count() == 3);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn reports_say_where_and_what_was_meant() {
        let files = site(&[
            ("/a/", "<a href=/fetures/>f</a><a href=/fetures/>f</a><a href=/features/#tlls>t</a>"),
            ("/features/", "<p id=tls>"),
        ]);
        let policy = Policy {
            sources: BTreeMap::from([(UrlPath::new("/a/").unwrap(), Utf8PathBuf::from("content/a.md"))]),
            ..Policy::default()
        };
        let findings = check(&files, &policy);
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].path().map(Utf8Path::as_str), Some("content/a.md"));
        assert_eq!(findings[0].help.as_deref(), Some("did you mean `/features/`?"));
        assert_eq!(findings[1].help.as_deref(), Some("did you mean `#tls`?"));
    }
}
