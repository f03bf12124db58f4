//! Assets: the files below `static/`, each under a name that holds the hash of its content, so that a browser may keep it for
//! ever and a changed file is another file. References between stylesheets and fonts are rewritten to the final names.

use super::css::{self, Reference};
use super::drawing::{self, Harm};
use super::{UrlPath, codes, script};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::{SourceFile, SourceTree};
use base64::Engine as _;
use camino::Utf8Path;
use sha2::{Digest, Sha256, Sha384};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// How deep stylesheets may import each other.
const IMPORTS_MAX: usize = 16;

/// A file of the site that was made from one below `static/`.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Where it stands: `/assets/style.0123abcd.css`.
    pub url: UrlPath,
    /// What a page puts into `integrity`: `sha384-…`.
    pub integrity: String,
    /// Its content, references rewritten.
    pub bytes: Arc<[u8]>,
}

/// Every asset, by its path below `static/`.
#[derive(Debug, Default)]
pub struct Assets {
    by_name: BTreeMap<String, Asset>,
}

impl Assets {
    /// Gives every file below `static/` its final name and content. A file whose name makes no address is reported and left
    /// out; a reference that leads nowhere, or out of the site, is reported and stays as it is.
    ///
    /// ```
    /// # use clientbook::{site::Assets, source::SourceTree};
    /// let tree = SourceTree::from_files([("static/a.css", "b{src:url(fonts/c.woff2)}"), ("static/fonts/c.woff2", "font")]);
    /// let (assets, findings) = Assets::collect(&tree);
    /// assert!(findings.is_empty());
    /// let style = assets.get("a.css").expect("it is there");
    /// assert!(style.url.as_str().starts_with("/assets/a.") && style.url.as_str().ends_with(".css"));
    /// let font = assets.get("fonts/c.woff2").expect("it is there");
    /// assert_eq!(&style.bytes[..], format!("b{{src:url(\"{}\")}}", font.url).as_bytes());
    /// ```
    pub fn collect(tree: &SourceTree) -> (Assets, Vec<Diagnostic>) {
        let mut collector = Collector { sources: BTreeMap::new(), assets: Assets::default(), findings: Vec::new() };
        for file in tree.under("static") {
            let Some(name) = file.path.as_str().strip_prefix("static/") else { continue };
            let is_hidden = name.split('/').any(|segment| segment.starts_with('.') && segment != ".well-known");
            if !is_hidden {
                collector.sources.insert(name, file);
            }
        }
        let names: Vec<&str> = collector.sources.keys().copied().collect();
        for name in names {
            collector.add(name, &mut Vec::new());
        }
        (collector.assets, collector.findings)
    }

    /// The asset made from `static/<name>`.
    pub fn get(&self, name: &str) -> Option<&Asset> {
        self.by_name.get(name)
    }

    /// Every asset with its path below `static/`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Asset)> {
        self.by_name.iter().map(|(name, asset)| (name.as_str(), asset))
    }

    /// The final addresses of images by their path below `static/`, for `guide`.
    pub fn images(&self) -> BTreeMap<String, String> {
        let is_image = |name: &str| {
            let extension = Utf8Path::new(name).extension().unwrap_or_default();
            ["svg", "png", "webp", "avif", "jpg", "jpeg", "gif"].contains(&extension)
        };
        let images = self.by_name.iter().filter(|(name, _)| is_image(name));
        images.map(|(name, asset)| (name.clone(), asset.url.as_str().to_owned())).collect()
    }
}

struct Collector<'t> {
    sources: BTreeMap<&'t str, &'t SourceFile>,
    assets: Assets,
    findings: Vec<Diagnostic>,
}

impl<'t> Collector<'t> {
    /// Adds the asset `name` and what it refers to; `open` are the stylesheets that are being added.
    fn add(&mut self, name: &'t str, open: &mut Vec<&'t str>) {
        if self.assets.by_name.contains_key(name) {
            return;
        }
        let Some(&file) = self.sources.get(name) else { return };
        let extension = Utf8Path::new(name).extension().unwrap_or_default().to_ascii_lowercase();
        let bytes: Arc<[u8]> = match (extension.as_str(), file.text()) {
            ("css", Some(text)) => {
                open.push(name);
                let bytes = self.stylesheet(name, file, text, open);
                open.pop();
                bytes
            }
            ("js" | "mjs", Some(text)) => {
                for (range, host) in script::hosts(text) {
                    self.outside(file, range, host);
                }
                Arc::clone(&file.bytes)
            }
            ("svg", Some(text)) => {
                self.drawing(file, text);
                Arc::clone(&file.bytes)
            }
            _ => Arc::clone(&file.bytes),
        };
        let Some(url) = UrlPath::new(address(name, &bytes)) else {
            self.findings.push(
                Diagnostic::new(&codes::ASSET_NAME, format!("`{name}` makes no address"))
                    .in_file(&file.path)
                    .help("name it with letters, digits, `-`, `_`, `.` and `~`")
                    .note("the file is left out"),
            );
            return;
        };
        let integrity = format!("sha384-{}", base64::engine::general_purpose::STANDARD.encode(Sha384::digest(&bytes)));
        self.assets.by_name.insert(name.to_owned(), Asset { url, integrity, bytes });
    }

    fn stylesheet(&mut self, name: &'t str, file: &SourceFile, text: &str, open: &mut Vec<&'t str>) -> Arc<[u8]> {
        let mut out = String::with_capacity(text.len() + 256);
        let mut at = 0;
        for reference in css::references(text) {
            let Some(url) = self.resolve(name, file, &reference, open) else { continue };
            out.push_str(&text[at..reference.range.start]);
            let _ = write!(out, "\"{url}\"");
            at = reference.range.end;
        }
        out.push_str(&text[at..]);
        out.into_bytes().into()
    }

    /// The final address of what a stylesheet refers to, or `None` with a finding where there is none.
    fn resolve(&mut self, name: &str, file: &SourceFile, reference: &Reference<'_>, open: &mut Vec<&'t str>) -> Option<String> {
        let address = reference.address.as_ref();
        if css::names_a_host(address) || !reference.is_load {
            self.outside(file, reference.range.clone(), address);
            return None;
        }
        if address.starts_with('#') {
            return None;
        }
        let (path, suffix) = address.find(['?', '#']).map_or((address, ""), |at| address.split_at(at));
        let wanted = join(name, path);
        let Some((&known, _)) = self.sources.get_key_value(wanted.as_str()) else {
            let mut finding = Diagnostic::new(&codes::ASSET_MISSING, format!("`static/{wanted}` is not there")).at(
                &file.path,
                reference.range.clone(),
                "named here",
            );
            if let Some(near) = did_you_mean(&wanted, self.sources.keys().copied()) {
                finding = finding.help(format!("did you mean `static/{near}`?"));
            }
            self.findings.push(finding);
            return None;
        };
        if open.contains(&known) || open.len() > IMPORTS_MAX {
            let title = format!("`{name}` imports `{known}`, which imports it");
            self.findings.push(
                Diagnostic::new(&codes::ASSET_CIRCLE, title)
                    .at(&file.path, reference.range.clone(), "closes the circle")
                    .help("import in one direction only"),
            );
            return None;
        }
        self.add(known, open);
        self.assets.get(known).map(|asset| format!("{}{suffix}", asset.url))
    }

    fn outside(&mut self, file: &SourceFile, range: std::ops::Range<usize>, address: &str) {
        let title = format!("`{}` is outside of the site", address.escape_debug());
        self.findings.push(
            Diagnostic::new(&codes::ASSET_LOAD, title)
                .at(&file.path, range, "named here")
                .help("keep the file below `static/` and name it by its path"),
        );
    }

    fn drawing(&mut self, file: &SourceFile, text: &str) {
        for harm in drawing::harms(text) {
            match harm {
                Harm::Load(address, range) => self.outside(file, range, &address),
                Harm::Script(what, range) => self.findings.push(
                    Diagnostic::new(&codes::ASSET_SCRIPT, format!("{what} in a drawing"))
                        .at(&file.path, range, "not allowed in an SVG file")
                        .help("take it out: a drawing is shapes and text"),
                ),
            }
        }
    }
}

/// `path` as written in the stylesheet `name`, from `static/`.
fn join(name: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { name.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}

/// The address of the asset `name`: its own, for files that are looked for by name, or one with the hash of its content.
fn address(name: &str, bytes: &[u8]) -> String {
    let is_kept = name.starts_with("schema/")
        || name.starts_with(".well-known/")
        || ["favicon.ico", "robots.txt", "humans.txt", "security.txt", "CNAME", "_redirects"].contains(&name);
    if is_kept {
        return format!("/{name}");
    }
    let mut hash = String::new();
    for byte in Sha256::digest(bytes).iter().take(4) {
        let _ = write!(hash, "{byte:02x}");
    }
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let slash = if folder.is_empty() { "" } else { "/" };
    match file.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("/assets/{folder}{slash}{stem}.{hash}.{extension}"),
        _ => format!("/assets/{folder}{slash}{file}.{hash}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(files: &[(&str, &str)]) -> (Assets, Vec<Diagnostic>) {
        Assets::collect(&SourceTree::from_files(files.iter().copied()))
    }

    fn codes(files: &[(&str, &str)]) -> Vec<&'static str> {
        collect(files).1.iter().map(|finding| finding.code.id).collect()
    }

    #[test]
    fn names_hold_hashes_except_those_that_are_looked_for() {
        let (assets, findings) = collect(&[
            ("static/a/b.js", "1"),
            ("static/LICENSE", "x"),
            ("static/schema/manifest.schema.json", "{}"),
            ("static/favicon.ico", "x"),
            ("static/.DS_Store", "x"),
            ("content/a.md", "x"),
        ]);
        assert!(findings.is_empty(), "{findings:?}");
        let urls: Vec<_> = assets.iter().map(|(_, asset)| asset.url.as_str()).collect();
        assert_eq!(urls, ["/assets/LICENSE.2d711642", "/assets/a/b.6b86b273.js", "/favicon.ico", "/schema/manifest.schema.json"]);
        let integrity = &assets.get("a/b.js").unwrap().integrity;
        assert_eq!(integrity, "sha384-R/BdNnsMMuQ4+2Pmz0pfNcKqL5DcdUP4pBoPlc6KQKMTq1zzYTSiBoxMlpy1Dbd2");
    }

    #[test]
    fn a_changed_font_changes_the_stylesheets_that_lead_to_it() {
        let style = |font: &'static str| {
            let files = [
                ("static/z.css", "@import 'b/y.css';"),
                ("static/b/y.css", "a{b:url('../x.woff2?a#b')}"),
                ("static/x.woff2", font),
            ];
            let (assets, findings) = collect(&files);
            assert!(findings.is_empty(), "{findings:?}");
            assets.get("z.css").unwrap().url.clone()
        };
        assert_ne!(style("1"), style("2"));
        assert_eq!(style("1"), style("1"));
    }

    #[test]
    fn faults_of_assets_are_found_where_they_are() {
        assert_eq!(codes(&[("static/a b.css", "")]), ["CB420"]);
        assert_eq!(codes(&[("static/a.css", "b{c:url(d.png)}")]), ["CB421"]);
        assert_eq!(codes(&[("static/a.css", "b{c:url(../../clientbook.toml)}"), ("clientbook.toml", "")]), ["CB421"]);
        assert_eq!(codes(&[("static/a.css", "@import url(https://a.example/b.css);")]), ["CB422"]);
        assert_eq!(codes(&[("static/a.css", "b{c:url(data:image/png;base64,AAAA)}")]), ["CB422"]);
        assert_eq!(codes(&[("static/a.js", "fetch('http://a.example')")]), ["CB422"]);
        assert_eq!(codes(&[("static/a.svg", "<svg><image href='//a.example'/></svg>")]), ["CB422"]);
        assert_eq!(codes(&[("static/a.css", "@import 'a.css';")]), ["CB423"]);
        assert_eq!(codes(&[("static/a.css", "@import 'b.css';"), ("static/b.css", "@import 'a.css';")]), ["CB423"]);
        assert_eq!(codes(&[("static/a.svg", "<svg onload='x'><script/></svg>")]), ["CB424", "CB424"]);
        let long: Vec<(String, String)> =
            (0..1000).map(|i| (format!("static/{i:04}.css"), format!("@import '{:04}.css';", i + 1))).collect();
        let (_, findings) = Assets::collect(&SourceTree::from_files(long));
        assert!(!findings.is_empty());
    }

    #[test]
    fn places_are_in_the_source() {
        let text = "a{b:url(c.png)}";
        let (_, findings) = collect(&[("static/a.css", text)]);
        assert_eq!(&text[findings[0].labels[0].span.unwrap().range()], "c.png");
    }
}
