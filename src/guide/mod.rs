//! Markdown: front matter, headings, links, highlighted code. Raw HTML in it is text, never markup.
//!
//! Every piece of [`Html`] is made here or in `render`: text goes through [`escape`], an address through the list of allowed
//! kinds in `link`, code through the [`Highlighter`], which is given ranges by the grammar and writes the markup itself.

pub mod codes;
mod grammar;
mod heading;
mod highlight;
mod html;
mod link;
mod markdown;
mod memory;

pub use heading::Heading;
pub use highlight::Highlighter;
pub use html::{Html, escape, escape_into};

use crate::diagnostic::Diagnostic;
use crate::source::{SourceFile, SourceTree, front_matter::front_matter};
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Folders below `content/` whose Markdown belongs to other rooms.
const OTHERS: &[&str] = &["features", "languages", "levels", "registries", "examples", "scenarios"];

/// The order of a guide that names none.
const ORDER_DEFAULT: i64 = 1000;

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

/// What Markdown is rendered with. A `&Highlighter` alone stands for one without images.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// Colours the code.
    pub highlighter: &'c Highlighter,
    /// Final addresses of images by their path below `static/`: `diagram.svg` → `/assets/diagram.0123abcd.svg`.
    pub images: Option<&'c BTreeMap<String, String>>,
}

impl<'c> From<&'c Highlighter> for Context<'c> {
    fn from(highlighter: &'c Highlighter) -> Self {
        Context { highlighter, images: None }
    }
}

/// Reads every guide, sorted by order and address. One whose head cannot be read, or whose address is taken, is left out.
pub fn read<'c>(tree: &SourceTree, context: impl Into<Context<'c>>) -> (Vec<Guide>, Vec<Diagnostic>) {
    let context = context.into();
    read_with(tree, |file| parse(file, context))
}

/// As [`read`], with `parse` in the place of [`parse`]: one that remembers what the same bytes gave before.
pub fn read_with(
    tree: &SourceTree,
    parse: impl Fn(&SourceFile) -> (Option<Guide>, Vec<Diagnostic>) + Sync,
) -> (Vec<Guide>, Vec<Diagnostic>) {
    let files: Vec<&SourceFile> = tree.under("content").filter(|file| is_guide(&file.path)).collect();
    let results: Vec<(Option<Guide>, Vec<Diagnostic>)> = files.par_iter().map(|file| parse(file)).collect();
    let mut guides: Vec<Guide> = Vec::new();
    let mut findings = Vec::new();
    let mut taken: BTreeMap<String, Utf8PathBuf> = BTreeMap::new();
    for (guide, found) in results {
        findings.extend(found);
        let Some(guide) = guide else { continue };
        match taken.get(&guide.address) {
            Some(first) => findings.push(
                Diagnostic::new(&codes::SAME_ADDRESS, format!("two guides stand at `{}`", guide.address))
                    .in_file(&guide.path)
                    .help(format!("rename this one, or move its text into `{first}`"))
                    .note("this one is left out"),
            ),
            None => {
                taken.insert(guide.address.clone(), guide.path.clone());
                guides.push(guide);
            }
        }
    }
    guides.sort_by(|a, b| (a.order, &a.address).cmp(&(b.order, &b.address)));
    (guides, findings)
}

/// Renders the Markdown of `file` from byte `start` on (0, or where its front matter ends).
///
/// ```
/// # use clientbook::{guide::{Highlighter, prose}, source::SourceTree};
/// let tree = SourceTree::from_files([("clients/a/notes.md", "See [TLS](/features/tls/).\n\n<b>not bold</b>\n")]);
/// let (prose, findings) = prose(tree.get("clients/a/notes.md").expect("just made"), 0, &Highlighter::default());
/// assert!(prose.html.as_str().starts_with("<p>See <a href=\"/features/tls/\">TLS</a>.</p>\n"));
/// assert!(prose.html.as_str().contains("&lt;b&gt;not bold&lt;/b&gt;"));
/// assert_eq!(findings[0].code.id, "CB307");
/// ```
pub fn prose<'c>(file: &SourceFile, start: usize, context: impl Into<Context<'c>>) -> (Prose, Vec<Diagnostic>) {
    markdown::render(file, start, context.into())
}

/// Whether a file is a guide: Markdown below `content/` that belongs to no other room.
pub fn is_guide(path: &Utf8Path) -> bool {
    let mut segments = path.components().map(|component| component.as_str()).skip(1);
    path.extension() == Some("md") && segments.next().is_some_and(|first| !OTHERS.contains(&first))
}

/// Reads one guide. Looks at nothing but `file` and `context`.
pub fn parse(file: &SourceFile, context: Context<'_>) -> (Option<Guide>, Vec<Diagnostic>) {
    let head = match front_matter(file) {
        Ok(head) => head,
        Err(finding) => return (None, vec![finding]),
    };
    let reader = head.reader();
    let mut table = reader.parse();
    let title = table.require::<String>("title");
    let description = table.require::<String>("description");
    let order = table.integer("order");
    let menu_title = table.optional::<String>("menu-title");
    table.finish();
    let mut findings = reader.into_findings();
    let address = link::address(&file.path).filter(|address| address != "/");
    if address.is_none() {
        findings.push(
            Diagnostic::new(&codes::ADDRESS, format!("`{}` makes no address", file.path))
                .in_file(&file.path)
                .help("name it in lower case with letters, digits and `-`; the home page is made from `clientbook.toml`")
                .note("the guide is left out"),
        );
    }
    let (prose, found) = prose(file, head.body, context);
    findings.extend(found);
    let (Some(address), Some(title), Some(description)) = (address, title, description) else { return (None, findings) };
    let guide = Guide {
        address,
        title: title.value,
        description: description.value,
        order: order.map_or(ORDER_DEFAULT, |order| order.value),
        menu_title: menu_title.map(|menu| menu.value),
        prose,
        path: file.path.clone(),
    };
    (Some(guide), findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_files(files: &[(&str, &str)]) -> (Vec<Guide>, Vec<Diagnostic>) {
        read(&SourceTree::from_files(files.iter().copied()), &Highlighter::default())
    }

    #[test]
    fn guides_are_read_in_order_and_others_are_left_alone() {
        let (guides, findings) = read_files(&[
            ("content/b.md", "+++\ntitle = 'B'\ndescription = 'b'\n+++\n"),
            ("content/kit/index.md", "+++\ntitle = 'Kit'\ndescription = 'k'\norder = 1\nmenu-title = 'K'\n+++\n"),
            ("content/features/tls.md", "no guide"),
            ("content/languages/python.toml", "no guide"),
            ("clients/a/notes.md", "no guide"),
        ]);
        assert!(findings.is_empty(), "{findings:?}");
        let seen: Vec<_> = guides.iter().map(|guide| (guide.address.as_str(), guide.order)).collect();
        assert_eq!(seen, [("/kit/", 1), ("/b/", ORDER_DEFAULT)]);
        assert_eq!(guides[0].menu_title.as_deref(), Some("K"));
    }

    #[test]
    fn faults_of_a_head_are_all_reported() {
        let (guides, findings) = read_files(&[
            ("content/a.md", "+++\ntitel = 'A'\norder = 'x'\n+++\n# Title\n"),
            ("content/B.md", "+++\ntitle = 'B'\ndescription = 'b'\n+++\n"),
            ("content/c.md", "no head"),
            ("content/d.md", "+++\ntitle = 'D'\ndescription = 'd'\n+++\n"),
            ("content/d/index.md", "+++\ntitle = 'D'\ndescription = 'd'\n+++\n"),
        ]);
        assert_eq!(guides.len(), 1);
        let mut codes: Vec<_> = findings.iter().map(|finding| finding.code.id).collect();
        codes.sort_unstable();
        assert_eq!(codes, ["CB011", "CB012", "CB013", "CB030", "CB305", "CB309", "CB310"]);
    }
}
