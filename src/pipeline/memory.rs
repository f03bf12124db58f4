//! What a workshop remembers: parsed manifests by their bytes, pages by their views, facts of pages by their bytes. Nothing is
//! ever out of date, because what a value was made from is compared before it is used again.

use super::{Book, Made};
use crate::catalogue::manifest::RawClient;
use crate::diagnostic::Diagnostic;
use crate::pages::{Form, Model, Page};
use crate::render::Renderer;
use crate::site::{PageFacts, Policy, Site, UrlPath};
use crate::source::{SourceFile, SourceTree};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A hash of everything but the view that a page's bytes come from: templates, assets, settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look(u64);

impl Look {
    pub(super) fn of(tree: &SourceTree, book: &Book) -> Look {
        let mut hasher = DefaultHasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.write_usize(bytes.len());
            hasher.write(bytes);
        };
        for file in tree.under("templates") {
            part(file.path.as_str().as_bytes());
            part(&file.bytes);
        }
        for (name, asset) in book.assets.iter() {
            part(name.as_bytes());
            part(asset.url.as_str().as_bytes());
            part(asset.integrity.as_bytes());
        }
        part(format!("{:?}", book.catalogue.settings).as_bytes());
        Look(hasher.finish())
    }
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

type Parsed = (RawClient, Vec<Diagnostic>);

/// The bytes and the base URL that facts are about.
type Known = (Arc<[u8]>, String, Arc<PageFacts>);
type Map<K, V> = Mutex<HashMap<K, V>>;

/// Each value with what it was made from.
#[derive(Debug, Default)]
struct Kept {
    manifests: Map<String, (Arc<[u8]>, Parsed)>,
    pages: Map<UrlPath, (Look, Sight, Arc<[u8]>)>,
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

    /// A manifest as `parse` reads it.
    pub(super) fn manifest(&self, file: &SourceFile, parse: fn(&SourceFile) -> Parsed) -> Parsed {
        let Some(kept) = &self.0 else { return parse(file) };
        let known = lock(&kept.manifests).get(file.path.as_str()).cloned();
        if let Some((_, parsed)) = known.filter(|(bytes, _)| *bytes == file.bytes) {
            return parsed;
        }
        let parsed = parse(file);
        lock(&kept.manifests).insert(file.path.to_string(), (Arc::clone(&file.bytes), parsed.clone()));
        parsed
    }

    /// The bytes of a page.
    pub(super) fn page<'m>(&self, page: &Page<'m>, model: &Model<'m>, renderer: &Renderer, look: Look) -> Made {
        let view = page.view(model);
        let kept = self.0.as_ref().filter(|_| matches!(page.form(), Form::Template(_)));
        let Some((kept, path)) = kept.zip(UrlPath::new(page.address())) else {
            return renderer.bytes(page, &view).map(Into::into);
        };
        let mut eye = Eye::default();
        if serde_json::to_writer(&mut eye, &view).is_err() {
            return renderer.bytes(page, &view).map(Into::into);
        }
        let sight = Sight(eye.length, eye.hasher.finish());
        if let Some((_, _, bytes)) = lock(&kept.pages).get(&path).filter(|known| known.0 == look && known.1 == sight) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = renderer.bytes(page, &view)?.into();
        lock(&kept.pages).insert(path, (look, sight, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// What the check knows of a file of the site.
    pub(super) fn facts(&self, path: &UrlPath, bytes: &Arc<[u8]>, policy: &Policy) -> Arc<PageFacts> {
        let Some(kept) = &self.0 else { return Arc::new(PageFacts::of(path, bytes, policy)) };
        let known = lock(&kept.facts).get(path).cloned();
        let is_same = |before: &Arc<[u8]>| Arc::ptr_eq(before, bytes) || before == bytes;
        if let Some((_, _, facts)) = known.filter(|(before, base_url, _)| *base_url == policy.base_url && is_same(before)) {
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

/// A thread that panicked left a map that is whole: values are only ever inserted.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
