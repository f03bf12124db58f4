//! Places in texts as people count them, and text from outside made safe to print.

use camino::Utf8Path;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Where the renderers find the text of a file.
pub trait Texts {
    /// The text of `path`, relative to the root; `None` when there is none. Of a file that is no UTF-8: the part before the
    /// first wrong byte.
    fn text(&self, path: &Utf8Path) -> Option<&str>;
}

/// No texts: findings are printed without their lines.
pub struct NoTexts;

impl Texts for NoTexts {
    fn text(&self, _: &Utf8Path) -> Option<&str> {
        None
    }
}

/// A place as an editor shows it: both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// The lines of `text`; there is always at least one.
    pub fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
        Lines { text, starts: starts.collect() }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The number, from 0, of the line that holds byte `offset`.
    pub fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The bytes of line `number` (from 0) without its line end; empty past the last one.
    pub fn range(&self, number: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(number) else { return self.text.len()..self.text.len() };
        let end = self.starts.get(number + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// Byte `offset` as a person counts it; past the end it is the end, inside a character it is that character.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor(self.text, offset);
        let line = self.number(offset);
        Position { line: line + 1, column: self.text[self.starts[line]..offset].chars().count() + 1 }
    }
}

/// The lines of each file, found once.
pub(super) struct Places<'t> {
    texts: &'t dyn Texts,
    lines: HashMap<String, Option<Lines<'t>>>,
}

impl<'t> Places<'t> {
    pub(super) fn new(texts: &'t dyn Texts) -> Self {
        Places { texts, lines: HashMap::new() }
    }

    /// The lines of `path`.
    pub(super) fn lines(&mut self, path: &Utf8Path) -> Option<&Lines<'t>> {
        if !self.lines.contains_key(path.as_str()) {
            self.lines.insert(path.as_str().to_owned(), self.texts.text(path).map(Lines::new));
        }
        self.lines.get(path.as_str()).and_then(Option::as_ref)
    }

    /// First and last position of `span` in `path`.
    pub(super) fn span(&mut self, path: &Utf8Path, span: Option<super::Span>) -> Option<(Position, Position)> {
        let span = span?;
        let lines = self.lines(path)?;
        Some((lines.position(span.start as usize), lines.position(span.end as usize)))
    }
}

/// The nearest place at or before `offset` where `text` can be cut.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Whether a character moves the cursor, colours the terminal, reorders the text around it, or hides.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// `text` with every hidden character written out (`\u{1b}`), so that printing it does nothing but show it. Line ends and
/// tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            // A String takes everything.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let lines = Lines::new("ab\nçé x\r\n\nlast");
        assert_eq!(lines.position(0), Position { line: 1, column: 1 });
        assert_eq!(lines.position("ab\nçé".len()), Position { line: 2, column: 3 });
        assert_eq!(lines.position(4), Position { line: 2, column: 1 }, "inside ç");
        assert_eq!(lines.position(9_999), Position { line: 4, column: 5 });
        assert_eq!(&lines.text()[lines.range(1)], "çé x");
        assert_eq!(&lines.text()[lines.range(3)], "last");
        assert_eq!(lines.range(4).len(), 0);
        assert_eq!(Lines::new("").position(3), Position { line: 1, column: 1 });
    }

    #[test]
    fn hidden_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}b\u{202e}c"), "a\\u{1b}[31m\\u{9b}b\\u{202e}c");
        assert_eq!(visible("tab\tand\nline çé 漢"), "tab\tand\nline çé 漢");
    }
}
