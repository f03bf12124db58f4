//! The TOML between two lines `+++` at the head of a Markdown file.

use super::{SourceFile, codes, table::Reader};
use crate::diagnostic::{Diagnostic, Span};

/// The parts of a Markdown file.
#[derive(Debug, Clone, Copy)]
pub struct FrontMatter<'f> {
    file: &'f SourceFile,
    /// The TOML.
    pub toml: &'f str,
    /// Where the TOML starts in the file, in bytes.
    pub offset: usize,
    /// Where the Markdown starts in the file, in bytes.
    pub body: usize,
}

impl<'f> FrontMatter<'f> {
    /// A reader of the TOML that places its findings in the file.
    pub fn reader(&self) -> Reader<'f> {
        Reader::part(self.file, self.toml, self.offset)
    }
}

/// Splits a Markdown file at its front matter, or says where that is missing or not closed.
///
/// ```
/// # use clientbook::source::{SourceTree, front_matter::front_matter};
/// let tree = SourceTree::from_files([("a.md", "+++\ntitle = 'A'\n+++\nText.\n")]);
/// let file = tree.get("a.md").expect("just made");
/// let head = front_matter(file).expect("well formed");
/// assert_eq!((head.toml, head.offset), ("title = 'A'\n", 4));
/// assert_eq!(&file.text().expect("UTF-8")[head.body..], "Text.\n");
/// ```
pub fn front_matter(file: &SourceFile) -> Result<FrontMatter<'_>, Diagnostic> {
    let text = file.text().unwrap_or_default();
    let offset = first_line_end(text);
    if text[..offset].trim_start_matches('\u{feff}').trim_end() != "+++" {
        let shown = text[..offset].trim_end().len();
        return Err(Diagnostic::new(&codes::NO_FRONT_MATTER, "the front matter is missing")
            .at(&file.path, Span::from(0..shown), "expected a line `+++` here")
            .help("start the file with `+++`, the keys as TOML, and another `+++`"));
    }
    let mut at = offset;
    while at < text.len() {
        let end = at + first_line_end(&text[at..]);
        if text[at..end].trim_end() == "+++" {
            return Ok(FrontMatter { file, toml: &text[offset..at], offset, body: end });
        }
        at = end;
    }
    let open = text[..offset].trim_end().len();
    Err(Diagnostic::new(&codes::OPEN_FRONT_MATTER, "the front matter is not closed")
        .at(&file.path, Span::from(0..open), "opened here")
        .help("end it with a line `+++`"))
}

/// One past the first line's line break, in bytes.
fn first_line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;

    fn file(text: &str) -> SourceFile {
        SourceFile { path: Utf8PathBuf::from("a.md"), bytes: text.as_bytes().into() }
    }

    #[test]
    fn carriage_returns_and_a_byte_order_mark_are_borne() {
        let file = file("\u{feff}+++\r\ntitle = 'A'\r\n+++\r\nText");
        let head = front_matter(&file).unwrap();
        assert_eq!(head.toml, "title = 'A'\r\n");
        assert_eq!(&file.text().unwrap()[head.body..], "Text");
    }

    #[test]
    fn an_empty_front_matter_and_no_body() {
        let file = file("+++\n+++");
        let head = front_matter(&file).unwrap();
        assert_eq!((head.toml, head.body), ("", 7));
    }

    #[test]
    fn what_is_missing_is_named() {
        for text in ["", "Text\n", "++++\n", " +++\n+++\n", "---\n---\n"] {
            assert_eq!(front_matter(&file(text)).unwrap_err().code.id, "CB030", "{text:?}");
        }
        for text in ["+++", "+++\n", "+++\ntitle = 1\n", "+++\n++++\n"] {
            assert_eq!(front_matter(&file(text)).unwrap_err().code.id, "CB031", "{text:?}");
        }
    }
}
