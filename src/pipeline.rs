//! The whole build on one screen: read → parse → merge → pages → site → check.

use crate::diagnostic::{self, Diagnostic};
use crate::source::SourceTree;
use camino::Utf8Path;
use jiff::civil::Date;

/// What a build depends on beside its input files.
#[derive(Debug, Clone)]
pub struct Options {
    /// The day that ages are counted from.
    pub as_of: Date,
    /// Stands in for the `base-url` of `clientbook.toml`.
    pub base_url: Option<String>,
}

/// Reads the catalogue below `root` and checks it and its site. The findings are in order; the tree has the texts they point to.
pub fn check(root: &Utf8Path, options: &Options) -> (SourceTree, Vec<Diagnostic>) {
    let _ = options;
    let (tree, mut findings) = SourceTree::read(root);
    diagnostic::tidy(&mut findings);
    (tree, findings)
}
