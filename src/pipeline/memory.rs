//! What a workshop remembers: files, parsed manifests and guides by their bytes, pages by their views, facts of pages by their
//! bytes. Nothing is ever out of date, because what a value was made from is compared before it is used again.
//!
//! For one kind of page not even the view is made: what is shown of a client alone comes from the client's folder, from those
//! of its engines and of the clients built on it, and from what is no client's ([`Ground`]). `tests/rebuild.rs` holds this to
//! builds from nothing.

use super::{Book, Made, Options};
use crate::catalogue::manifest::RawClient;
use crate::catalogue::{Client, ClientId};
use crate::diagnostic::Diagnostic;
use crate::guide::{self, Context, Guide};
use crate::pages::{Data, Model, Page};
use crate::render::Renderer;
use crate::site::{Assets, PageFacts, Policy, Site, UrlPath};
use crate::source::{SourceFile, SourceTree};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// What pages stand on, in short.
pub(super) struct Ground<'b> {
    book: &'b Book,
    /// Everything but the view that a page's bytes come from: templates, assets, settings.
    look: u64,
    /// What views are made from and is no client's: the look, `content/` without guides, the day.
    common: u64,
    /// Each client's folder.
    folders: HashMap<&'b str, u64>,
    /// The clients that are built on a client.
    built_on: HashMap<&'b ClientId, Vec<&'b ClientId>>,
}

impl<'b> Ground<'b> {
    pub(super) fn of(tree: &'b SourceTree, book: &'b Book, options: &Options) -> Ground<'b> {
        let mut hasher = DefaultHasher::new();
        tree.under("templates").for_each(|file| hash_file(file, &mut hasher));
        for (name, asset) in book.assets.iter() {
            (name, &asset.url, &asset.integrity).hash(&mut hasher);
        }
        format!("{:?}", book.catalogue.settings).hash(&mut hasher);
        let look = hasher.finish();
        options.as_of.hash(&mut hasher);
        tree.under("content").filter(|file| !guide::is_guide(&file.path)).for_each(|file| hash_file(file, &mut hasher));
        let mut ground = Ground { book, look, common: hasher.finish(), folders: HashMap::new(), built_on: HashMap::new() };
        let mut folder = ("", DefaultHasher::new());
        for file in tree.under("clients") {
            let id = file.path.as_str().split('/').nth(1).unwrap_or_default();
            if id != folder.0 {
                ground.folders.insert(folder.0, folder.1.finish());
                folder = (id, DefaultHasher::new());
            }
            hash_file(file, &mut folder.1);
        }
        ground.folders.insert(folder.0, folder.1.finish());
        for client in book.catalogue.clients.values() {
            if let Some(engine) = &client.based_on {
                ground.built_on.entry(engine).or_default().push(&client.id);
            }
        }
        ground
    }

    /// What a page of one client stands on; `None` for other pages, which look at all of them.
    fn below(&self, page: &Page<'_>) -> Option<u64> {
        let (Page::Client(client) | Page::Badge(client) | Page::Data(Data::Client(client))) = page else { return None };
        let mut hasher = DefaultHasher::new();
        self.common.hash(&mut hasher);
        let mut add = |id: &ClientId| (id, self.folders.get(id.as_str())).hash(&mut hasher);
        add(&client.id);
        self.book.catalogue.engines(client).for_each(|engine: &Client| add(&engine.id));
        self.built_on.get(&client.id).into_iter().flatten().for_each(|id| add(id));
        Some(hasher.finish())
    }
}

fn hash_file(file: &SourceFile, hasher: &mut DefaultHasher) {
    (file.path.as_str(), &file.bytes).hash(hasher);
}

/// What a view was, in short: its length and hash as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sight(u64, u64);

/// Counts and hashes what is written.
#[derive(Default)]
struct Eye {
    hasher: DefaultHasher,
    length: u64,
}

impl io::Write for Eye {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.write(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A map that threads share.
type Map<K, V> = Mutex<HashMap<K, V>>;
type Manifest = (RawClient, Vec<Diagnostic>);
type Parsed = (Option<Guide>, Vec<Diagnostic>);

/// The bytes and the base URL that facts are about.
type Known = (Arc<[u8]>, String, Arc<PageFacts>);

/// The assets, and the files that they were made from.
#[derive(Debug, Clone)]
struct Collected {
    files: Vec<SourceFile>,
    assets: Arc<Assets>,
    findings: Vec<Diagnostic>,
}

/// A page, and what it was made from.
#[derive(Debug, Clone)]
struct Printed {
    look: u64,
    below: Option<u64>,
    sight: Sight,
    bytes: Arc<[u8]>,
}

/// Each value with what it was made from.
#[derive(Debug, Default)]
struct Kept {
    tree: Mutex<Option<SourceTree>>,
    assets: Mutex<Option<Collected>>,
    manifests: Map<Utf8PathBuf, (Arc<[u8]>, Manifest)>,
    guides: Map<Utf8PathBuf, (Arc<[u8]>, u64, Parsed)>,
    pages: Map<UrlPath, Printed>,
    facts: Map<UrlPath, Known>,
}

/// The memory of a workshop, or none.
#[derive(Debug)]
pub(super) struct Memory(Option<Kept>);

impl Memory {
    pub(super) fn none() -> Memory {
        Memory(None)
    }

    pub(super) fn lasting() -> Memory {
        Memory(Some(Kept::default()))
    }

    /// The inputs; only what changed is read, where that is known.
    pub(super) fn tree(&self, root: &Utf8Path, changed: Option<&BTreeSet<Utf8PathBuf>>) -> (SourceTree, Vec<Diagnostic>) {
        let Some(kept) = &self.0 else { return SourceTree::read(root) };
        let mut known = lock(&kept.tree);
        if let (Some(tree), Some(changed)) = (known.as_mut(), changed)
            && tree.read_again(root, changed)
        {
            return (tree.clone(), Vec::new());
        }
        let (tree, findings) = SourceTree::read(root);
        // A tree with findings is read as a whole again: they would be missing.
        *known = findings.is_empty().then(|| tree.clone());
        (tree, findings)
    }

    /// The assets; the files are hashed again only when one of them is another.
    pub(super) fn assets(&self, tree: &SourceTree) -> (Arc<Assets>, Vec<Diagnostic>) {
        let collect = || {
            let (assets, findings) = Assets::collect(tree);
            (Arc::new(assets), findings)
        };
        let Some(kept) = &self.0 else { return collect() };
        let files: Vec<SourceFile> = tree.under("static").cloned().collect();
        let is_file = |(a, b): (&SourceFile, &SourceFile)| a.path == b.path && is_same(&a.bytes, &b.bytes);
        let mut known = lock(&kept.assets);
        if let Some(known) = known.as_ref()
            && known.files.len() == files.len()
            && known.files.iter().zip(&files).all(is_file)
        {
            return (Arc::clone(&known.assets), known.findings.clone());
        }
        let (assets, findings) = collect();
        *known = Some(Collected { files, assets: Arc::clone(&assets), findings: findings.clone() });
        (assets, findings)
    }

    /// A manifest as `parse` reads it.
    pub(super) fn manifest(&self, file: &SourceFile, parse: fn(&SourceFile) -> Manifest) -> Manifest {
        let Some(kept) = &self.0 else { return parse(file) };
        let known = lock(&kept.manifests).get(&file.path).cloned();
        if let Some((_, parsed)) = known.filter(|(bytes, _)| is_same(bytes, &file.bytes)) {
            return parsed;
        }
        let parsed = parse(file);
        lock(&kept.manifests).insert(file.path.clone(), (Arc::clone(&file.bytes), parsed.clone()));
        parsed
    }

    /// A guide.
    pub(super) fn guide(&self, file: &SourceFile, context: Context<'_>) -> Parsed {
        let Some(kept) = &self.0 else { return guide::parse(file, context) };
        let mut hasher = DefaultHasher::new();
        context.images.hash(&mut hasher);
        let images = hasher.finish();
        let known = lock(&kept.guides).get(&file.path).cloned();
        if let Some((_, _, parsed)) = known.filter(|known| known.1 == images && is_same(&known.0, &file.bytes)) {
            return parsed;
        }
        let parsed = guide::parse(file, context);
        lock(&kept.guides).insert(file.path.clone(), (Arc::clone(&file.bytes), images, parsed.clone()));
        parsed
    }

    /// The bytes of a page.
    pub(super) fn page<'m>(&self, page: &Page<'m>, model: &Model<'m>, renderer: &Renderer, ground: &Ground<'_>) -> Made {
        let Some((kept, path)) = self.0.as_ref().zip(UrlPath::new(page.address())) else {
            return Ok(renderer.bytes(page, &page.view(model))?.into());
        };
        let below = ground.below(page);
        let known = lock(&kept.pages).get(&path).filter(|known| known.look == ground.look).cloned();
        if let Some(known) = known.as_ref().filter(|known| below.is_some() && known.below == below) {
            return Ok(Arc::clone(&known.bytes));
        }
        let view = page.view(model);
        let mut eye = Eye::default();
        let is_seen = serde_json::to_writer(&mut eye, &view).is_ok();
        let sight = Sight(eye.length, eye.hasher.finish());
        let bytes = match known.filter(|known| is_seen && known.sight == sight) {
            Some(known) => known.bytes,
            None => renderer.bytes(page, &view)?.into(),
        };
        lock(&kept.pages).insert(path, Printed { look: ground.look, below, sight, bytes: Arc::clone(&bytes) });
        Ok(bytes)
    }

    /// What the check knows of a file of the site.
    pub(super) fn facts(&self, path: &UrlPath, bytes: &Arc<[u8]>, policy: &Policy) -> Arc<PageFacts> {
        let Some(kept) = &self.0 else { return Arc::new(PageFacts::of(path, bytes, policy)) };
        let known = lock(&kept.facts).get(path).cloned();
        if let Some((_, _, facts)) = known.filter(|(before, base_url, _)| *base_url == policy.base_url && is_same(before, bytes))
        {
            return facts;
        }
        let facts = Arc::new(PageFacts::of(path, bytes, policy));
        let entry = (Arc::clone(bytes), policy.base_url.clone(), Arc::clone(&facts));
        lock(&kept.facts).insert(path.clone(), entry);
        facts
    }

    /// Forgets what is not in `site` any more.
    pub(super) fn forget_others(&self, site: &Site) {
        let Some(kept) = &self.0 else { return };
        lock(&kept.facts).retain(|path, _| site.files.contains_key(path));
        lock(&kept.pages).retain(|path, _| site.files.contains_key(path));
    }
}

fn is_same(before: &Arc<[u8]>, now: &Arc<[u8]>) -> bool {
    Arc::ptr_eq(before, now) || before == now
}

/// A thread that panicked left a map that is whole: values are only ever inserted.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
