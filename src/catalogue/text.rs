//! Plain text: not empty, not longer than fits, nothing hidden in it.

use super::codes;
use crate::diagnostic::Span;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText};
use std::ops::Range;

/// One line of plain text, of 1 to `MAX` characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<const MAX: usize>(pub String);

/// Plain text of 1 to `MAX` characters that may have line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<const MAX: usize>(pub String);

impl<const MAX: usize> FromText for Line<MAX> {
    fn from_text(text: &str) -> Result<Self, Fault> {
        check(text, MAX, "one line")?;
        match text.find(['\n', '\t', '\r']) {
            Some(_) => Err(Fault::expected(format!("one line of 1 to {MAX} characters, without tabs"))
                .of_kind(&codes::HIDDEN_CHARACTER, "a line end or a tab in a text that is shown on one line")),
            None => Ok(Line(text.trim().to_owned())),
        }
    }

    fn shape() -> TextShape {
        TextShape { length_min: 1, length_max: Some(MAX), pattern: "\\S", example: "Text", ..TextShape::default() }
    }
}

impl<const MAX: usize> FromText for Text<MAX> {
    fn from_text(text: &str) -> Result<Self, Fault> {
        check(text, MAX, "text")?;
        Ok(Text(text.trim().to_owned()))
    }

    fn shape() -> TextShape {
        Line::<MAX>::shape()
    }
}

fn check(text: &str, max: usize, what: &str) -> Result<(), Fault> {
    let fault = Fault::expected(format!("{what} of 1 to {max} characters"));
    if text.trim().is_empty() {
        return Err(fault.of_kind(&codes::EMPTY_TEXT, "an empty text"));
    }
    if let Some(fault) = hidden_fault(text) {
        return Err(fault);
    }
    // Bytes first: nearly every text is short, and counting characters costs.
    if text.len() > max && text.chars().count() > max {
        let title = format!("a text of {} characters where {max} fit", text.chars().count());
        return Err(fault.of_kind(&codes::TEXT_TOO_LONG, title));
    }
    Ok(())
}

/// The fault of a text that hides something.
pub(super) fn hidden_fault(text: &str) -> Option<Fault> {
    let (_, c) = hidden(text)?;
    let title = format!("a hidden character, {}, in a text", name(c));
    Some(Fault::expected("text in which every character can be seen").of_kind(&codes::HIDDEN_CHARACTER, title))
}

/// The first character of `text` that is neither seen nor needed: controls except tabs and line ends, characters that
/// reorder the text around them, zero-width ones except the joiners that some scripts need.
pub fn hidden(text: &str) -> Option<(Range<usize>, char)> {
    // All of them but the ASCII controls start with a byte above 0xC1, so plain ASCII is decided by its bytes.
    let plain = |b: u8| (b' '..=b'~').contains(&b) || matches!(b, b'\n' | b'\t' | b'\r');
    if text.bytes().all(plain) {
        return None;
    }
    text.char_indices().find(|(_, c)| is_hidden(*c)).map(|(at, c)| (at..at + c.len_utf8(), c))
}

/// `U+202E`.
pub(super) fn name(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The place of the first hidden character of `text`, which starts at byte `offset` of its file.
pub(super) fn hidden_span(text: &str, offset: usize) -> Option<(Span, char)> {
    hidden(text).map(|(range, c)| (Span::from(range.start + offset..range.end + offset), c))
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T: FromText>(text: &str) -> Option<&'static str> {
        T::from_text(text).err().and_then(|fault| fault.kind).map(|(code, _)| code.id)
    }

    #[test]
    fn text_of_any_script_and_markup_is_text() {
        for text in ["<script>alert(1)</script>", "Ελληνικά", "日本語", "می‌خواهم", "👩‍💻", "{{ x }} {% raw %}"]
        {
            assert_eq!(Line::<80>::from_text(text).unwrap().0, text);
        }
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for text in ["a\u{202e}b", "a\u{0}b", "\u{1b}[31mred", "a\u{200b}b", "\u{feff}a", "a\u{85}b", "a\u{e0041}"] {
            assert_eq!(code::<Line<80>>(text), Some("CB116"), "{text:?}");
            assert_eq!(code::<Text<80>>(text), Some("CB116"), "{text:?}");
        }
        assert_eq!(code::<Line<80>>("a\nb"), Some("CB116"));
        assert_eq!(code::<Text<80>>("a\nb"), None);
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(code::<Line<3>>("äöü"), None);
        assert_eq!(code::<Line<3>>("äöüß"), Some("CB115"));
        assert_eq!(code::<Line<3>>(" "), Some("CB114"));
    }
}
