//! Markdown: front matter, headings, links, highlighted code. Raw HTML in it is text, never markup.

use crate::diagnostic::Diagnostic;
use crate::source::SourceTree;
use camino::Utf8PathBuf;

/// Finished HTML that is safe to put into a page as it is. Only this room and `render` make it.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Html(String);

impl Html {
    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A guide: a Markdown file below `content/` that is nobody else's.
#[derive(Debug, Clone)]
pub struct Guide {
    /// Its address: `content/kit/index.md` stands at `/kit/`.
    pub address: String,
    /// Its heading.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// Lower comes first; ties by address.
    pub order: i64,
    /// The short title for menus.
    pub menu_title: Option<String>,
    /// Its text.
    pub prose: Prose,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

/// Rendered Markdown.
#[derive(Debug, Clone, Default)]
pub struct Prose {
    /// The markup.
    pub html: Html,
    /// Its headings below the title, in order, for a table of contents.
    pub headings: Vec<Heading>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 2 to 6.
    pub level: u8,
    /// Its fragment.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// Reads every guide.
pub fn read(tree: &SourceTree, highlighter: &Highlighter) -> (Vec<Guide>, Vec<Diagnostic>) {
    let _ = (tree, highlighter);
    todo!("R3")
}

/// Highlights code, with a cache by (language, hash of the code).
#[derive(Debug, Default)]
pub struct Highlighter {}
