//! The whole build on one screen: read → parse → merge → pages → site → check. Every stage gives a value and findings beside
//! it; none stops at the first. What an error means is for the command to say.
//!
//! A page's bytes are a function of the templates, the assets, the settings and its view. So the [`Workshop`] that remembers
//! (for `serve`) makes views anew, and a view that is the same as before is not rendered or checked again; see `memory`.

pub mod codes;
mod memory;

use crate::catalogue::{Catalogue, HttpsUrl, manifest};
use crate::diagnostic::{self, Diagnostic};
use crate::guide::{self, Context, Guide, Highlighter};
use crate::matrix::Matrix;
use crate::pages::{self, Model, Page, Texts};
use crate::render::Renderer;
use crate::results::{self, Filed};
use crate::site::{self, Assets, Policy, Site, UrlPath, feeds, headers, sitemap};
use crate::source::SourceTree;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
use memory::{Ground, Memory};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a build depends on beside its input files.
#[derive(Debug, Clone)]
pub struct Options {
    /// The day that ages are counted from.
    pub as_of: Date,
    /// Stands in for the `base-url` of `clientbook.toml`; ends in `/`.
    pub base_url: Option<HttpsUrl>,
}

/// Everything that was read, parsed and found consistent.
#[derive(Debug)]
pub struct Book {
    /// What the input says.
    pub catalogue: Catalogue,
    /// What the kit measured.
    pub reports: Vec<Filed>,
    /// The guides.
    pub guides: Vec<Guide>,
    /// Prose and code, finished.
    pub texts: Texts,
    /// What stands below `static/`.
    pub assets: Arc<Assets>,
}

/// What reading gives.
#[derive(Debug)]
pub struct Input {
    /// The files; also the texts that findings point to.
    pub tree: SourceTree,
    /// `None` only when `clientbook.toml` cannot be used.
    pub book: Option<Book>,
    /// What is wrong, in order.
    pub findings: Vec<Diagnostic>,
}

/// What a build gives.
#[derive(Debug)]
pub struct Built {
    /// The files; also the texts that findings point to.
    pub tree: SourceTree,
    /// The site without what is broken; `None` when the settings or the templates cannot be used.
    pub site: Option<Arc<Site>>,
    /// What is wrong, in order.
    pub findings: Vec<Diagnostic>,
}

/// Reads the catalogue below `root`.
pub fn read(root: &Utf8Path, options: &Options) -> Input {
    Workshop::forgetful(root).read(root, options, None)
}

/// Builds the site of the catalogue below `root`, once.
pub fn build(root: &Utf8Path, options: &Options) -> Built {
    Workshop::forgetful(root).build(root, options, None)
}

/// Where sites are built, once or again and again.
#[derive(Debug)]
pub struct Workshop {
    highlighter: Highlighter,
    memory: Memory,
}

impl Workshop {
    /// A workshop that remembers what it made: for building again and again.
    pub fn new(root: &Utf8Path) -> Workshop {
        Workshop { highlighter: highlighter(root), memory: Memory::lasting() }
    }

    fn forgetful(root: &Utf8Path) -> Workshop {
        Workshop { highlighter: highlighter(root), memory: Memory::none() }
    }

    /// Reads and parses. `changed`: all that changed below the root since the last time; `None` when that is not known.
    pub fn read(&self, root: &Utf8Path, options: &Options, changed: Option<&BTreeSet<Utf8PathBuf>>) -> Input {
        let (tree, mut findings) = self.memory.tree(root, changed);
        let (assets, more) = self.memory.assets(&tree);
        findings.extend(more);
        let (catalogue, more) = Catalogue::read_with(&tree, |file| self.memory.manifest(file, manifest::parse));
        findings.extend(more);
        let (reports, more) = results::read(&tree);
        findings.extend(more);
        let images = assets.images();
        let context = Context { highlighter: &self.highlighter, images: Some(&images) };
        let (guides, more) = guide::read_with(&tree, |file| self.memory.guide(file, context));
        findings.extend(more);
        let book = catalogue.map(|mut catalogue| {
            catalogue.settings.base_url = options.base_url.clone().unwrap_or(catalogue.settings.base_url);
            let (texts, more) = texts(&tree, &catalogue, context);
            findings.extend(more);
            Book { catalogue, reports, guides, texts, assets }
        });
        diagnostic::tidy(&mut findings);
        Input { tree, book, findings }
    }

    /// Reads, makes every page, and checks the finished site. `changed` as for [`read`](Self::read).
    pub fn build(&self, root: &Utf8Path, options: &Options, changed: Option<&BTreeSet<Utf8PathBuf>>) -> Built {
        let Input { tree, book, mut findings } = self.read(root, options, changed);
        let Some(book) = book else { return Built { tree, site: None, findings } };
        let (matrix, more) = Matrix::merge(&book.catalogue, &book.reports, options.as_of);
        findings.extend(more);
        let (renderer, more) = Renderer::new(&tree, &book.assets, &book.catalogue.settings);
        findings.extend(more);
        let model = Model::new(&book.catalogue, &matrix, &book.guides, &book.texts);
        let site = renderer.map(|renderer| {
            let pages = pages::list(&model);
            let ground = Ground::of(&tree, &book, options);
            let made = pages.par_iter().map(|page| self.memory.page(page, &model, &renderer, &ground)).collect();
            let (site, sources, more) = assemble(&book, &model, &pages, made);
            findings.extend(more);
            let base_url = book.catalogue.settings.base_url.as_str().to_owned();
            let mut left_out = BTreeSet::new();
            if findings.iter().any(Diagnostic::is_error) {
                left_out = addresses(&tree, &pages);
                left_out.retain(|path| !site.files.contains_key(path));
            }
            findings.extend(self.check(&site, &Policy { base_url, sources, left_out, ..Policy::default() }));
            Arc::new(site)
        });
        diagnostic::tidy(&mut findings);
        Built { tree, site, findings }
    }

    fn check(&self, site: &Site, policy: &Policy) -> Vec<Diagnostic> {
        let files: Vec<_> = site.files.iter().collect();
        let facts: Vec<_> = files.par_iter().map(|(path, bytes)| (*path, self.memory.facts(path, bytes, policy))).collect();
        self.memory.forget_others(site);
        site::check_facts(site, &facts, policy)
    }
}

/// Keeps what it found below the root, unless a link stands there.
fn highlighter(root: &Utf8Path) -> Highlighter {
    let folder = root.join(".clientbook");
    let is_link = folder.symlink_metadata().is_ok_and(|data| data.is_symlink());
    Highlighter::new((!is_link).then_some(folder))
}

/// Where the pages of every entry would stand, if none were left out: a link to one that is will be right again.
fn addresses(tree: &SourceTree, pages: &[Page<'_>]) -> BTreeSet<UrlPath> {
    let content = tree.under("content").filter_map(|file| file.path.strip_prefix("content").ok()).flat_map(|path| {
        let path = path.with_extension("");
        let stem = path.file_name().unwrap_or_default();
        [format!("/{path}/"), format!("/{path}/index.json"), format!("/compare/{stem}/")]
    });
    let clients = tree
        .under("clients")
        .filter_map(|file| file.path.parent())
        .flat_map(|folder| [format!("/{folder}/"), format!("/{folder}/index.json"), format!("/{folder}/badge.svg")]);
    content.chain(clients).chain(pages.iter().map(Page::address)).filter_map(UrlPath::new).collect()
}

/// Prose and code of entries, finished.
fn texts(tree: &SourceTree, catalogue: &Catalogue, context: Context<'_>) -> (Texts, Vec<Diagnostic>) {
    let features = catalogue.features.values().map(|feature| (&feature.path, feature.body.start));
    let examples = catalogue.examples.values().map(|example| (&example.path, example.body.start));
    let scenarios = catalogue.scenarios.values().map(|scenario| (&scenario.path, scenario.body.start));
    let notes = catalogue.clients.values().filter_map(|client| Some((client.notes.as_ref()?, 0)));
    let bodies: Vec<_> = features.chain(examples).chain(scenarios).chain(notes).collect();
    let prose: Vec<_> = bodies
        .into_par_iter()
        .filter_map(|(path, start)| Some((path.clone(), guide::prose(tree.get(path)?, start, context))))
        .collect();
    let programs: Vec<_> = catalogue.clients.values().flat_map(|client| client.examples.values()).collect();
    let code = programs.into_par_iter().filter_map(|program| {
        let language = program.language.as_ref().and_then(|id| catalogue.languages.get(id));
        let grammar = language.and_then(|language| language.highlight.as_deref());
        Some((program.path.clone(), context.highlighter.code(grammar, tree.get(&program.path)?.text()?)))
    });
    let mut texts = Texts { code: code.collect(), ..Texts::default() };
    let mut findings = Vec::new();
    for (path, (prose, more)) in prose {
        findings.extend(more);
        texts.prose.insert(path, prose);
    }
    (texts, findings)
}

/// A page's bytes, or why there are none.
type Made = Result<Arc<[u8]>, Box<Diagnostic>>;
type Sources = BTreeMap<UrlPath, Utf8PathBuf>;

/// Puts everything at its address, and says which file each page was made from.
fn assemble(book: &Book, model: &Model<'_>, pages: &[Page<'_>], made: Vec<Made>) -> (Site, Sources, Vec<Diagnostic>) {
    let mut site = Site::default();
    let mut sources = Sources::new();
    let mut findings = Vec::new();
    for (_, asset) in book.assets.iter() {
        site.files.insert(asset.url.clone(), Arc::clone(&asset.bytes));
    }
    for (page, made) in pages.iter().zip(made) {
        match (UrlPath::new(page.address()), made) {
            (_, Err(finding)) => findings.push(*finding),
            (None, _) => findings.push(misplaced(page, "is no address")),
            (Some(path), Ok(_)) if site.files.contains_key(&path) => findings.push(misplaced(page, "is taken by another page")),
            (Some(path), Ok(bytes)) => {
                if let Some(source) = page.source() {
                    sources.insert(path.clone(), source.to_owned());
                }
                site.files.insert(path, bytes);
            }
        }
    }
    for (path, text) in machine_readable(book, model, pages) {
        if let Some(path) = UrlPath::new(path) {
            // A `robots.txt` of the catalogue's own stays.
            site.files.entry(path).or_insert_with(|| text.into_bytes().into());
        }
    }
    (site, sources, findings)
}

fn misplaced(page: &Page<'_>, why: &str) -> Diagnostic {
    let finding = Diagnostic::new(&codes::ADDRESS, format!("`{}` {why}", page.address())).note("the page is left out");
    let finding = finding.help("rename the file, so that its page stands elsewhere");
    match page.source() {
        Some(source) => finding.in_file(source),
        None => finding,
    }
}

/// Feeds, the sitemap, and what hosts and robots read.
fn machine_readable(book: &Book, model: &Model<'_>, pages: &[Page<'_>]) -> [(&'static str, String); 5] {
    let settings = &book.catalogue.settings;
    let base_url = settings.base_url.as_str();
    let feed = feeds::Feed {
        title: format!("{}: changes", settings.title),
        description: settings.description.clone(),
        base_url: base_url.to_owned(),
        page: "/changes/".to_owned(),
        language: settings.language.clone(),
        as_of: model.matrix.as_of.to_string(),
    };
    let entries = pages::feed_entries(model);
    let mut listed: Vec<UrlPath> =
        pages.iter().filter(|page| page.is_listed()).filter_map(|page| UrlPath::new(page.address())).collect();
    listed.sort();
    listed.dedup();
    let (atom, json) = ("/changes/atom.xml", "/changes/feed.json");
    [
        (atom, feeds::atom(&feed, atom, &entries)),
        (json, feeds::json(&feed, json, &entries)),
        ("/sitemap.xml", sitemap::sitemap(base_url, listed.iter().map(|path| (path, None)))),
        ("/robots.txt", sitemap::robots(base_url)),
        ("/_headers", headers::headers()),
    ]
}
