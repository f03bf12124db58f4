//! Reads the input folders into a [`SourceTree`]. With `site::write`, `pull` and `kit`, the only code that touches the disk.
//!
//! Nothing here follows a link out of the root, reads a file that is larger than [`FILE_BYTES_MAX`], or stops at the first
//! file it cannot read.

pub mod codes;
pub mod front_matter;
mod read;
pub mod shape;
pub mod table;

pub use read::write;

use crate::diagnostic::{Diagnostic, Span};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest input file that is read, in bytes; larger ones are a finding.
pub const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// The folders (and one file) below the root that are input.
pub const INPUTS: &[&str] = &["clientbook.toml", "clients", "content", "templates", "static"];

static BUILTIN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A value with the place it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What was read.
    pub value: T,
    /// Where, in the file it came from.
    pub span: Span,
}

/// One input file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Relative to the root, `/` between segments.
    pub path: Utf8PathBuf,
    /// Its content.
    pub bytes: Arc<[u8]>,
}

impl SourceFile {
    /// The content as text; `None` when it is not UTF-8 (which `read` has reported for every file that must be text).
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// Every input file, by path; the whole input of a build.
#[derive(Debug, Clone, Default)]
pub struct SourceTree {
    files: BTreeMap<Utf8PathBuf, SourceFile>,
}

impl SourceTree {
    /// Reads the inputs below `root`, over the built-in theme.
    pub fn read(root: &Utf8Path) -> (SourceTree, Vec<Diagnostic>) {
        read::read(root, SourceTree::builtin())
    }

    /// Reads the files at `paths`, relative to the root, again. `false`, and nothing is changed, when that is not enough and the
    /// whole tree has to be read: one of them is new, gone, no plain file, or there is something to report of it.
    pub fn read_again(&mut self, root: &Utf8Path, paths: &BTreeSet<Utf8PathBuf>) -> bool {
        read::read_again(root, self, paths)
    }

    /// A tree made of `files`, over nothing; for tests and generated input.
    pub fn from_files<P: Into<Utf8PathBuf>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> SourceTree {
        let mut tree = SourceTree::default();
        for (path, bytes) in files {
            tree.insert(path.into(), bytes.into());
        }
        tree
    }

    /// The built-in theme: what `templates/` and `static/` hold where a catalogue has none of its own.
    pub fn builtin() -> SourceTree {
        SourceTree::from_files(BUILTIN.iter().map(|(path, bytes)| (*path, *bytes)))
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: Utf8PathBuf, bytes: Vec<u8>) {
        self.files.insert(path.clone(), SourceFile { path, bytes: bytes.into() });
    }

    /// The file at `path`, relative to the root.
    pub fn get(&self, path: impl AsRef<Utf8Path>) -> Option<&SourceFile> {
        self.files.get(path.as_ref())
    }

    /// The files below `folder`, sorted by path.
    pub fn under<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t SourceFile> {
        self.files.values().filter(move |file| file.path.starts_with(folder))
    }

    /// Every file, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.values()
    }
}
