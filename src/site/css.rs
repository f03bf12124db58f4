//! What a stylesheet names: `url(…)`, `@import`, and strings that look like addresses of another host.

use std::borrow::Cow;
use std::ops::Range;

/// An address in a stylesheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'c> {
    /// The bytes that hold it, with its quotes if it has them.
    pub(super) range: Range<usize>,
    /// The address, escapes resolved.
    pub(super) address: Cow<'c, str>,
    /// Whether the browser loads it: true for `url(…)` and `@import`; other strings are only suspected.
    pub(super) is_load: bool,
}

/// Every address in `text`, in order.
pub(super) fn references(text: &str) -> Vec<Reference<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // What the next string is: the argument of `@import` or `@namespace`, or just a string.
    let mut rule = Rule::None;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            b'"' | b'\'' => {
                let end = string_end(bytes, at);
                let inner = &text[at + 1..end.saturating_sub(1).max(at + 1)];
                let address = unescape(inner);
                match rule {
                    Rule::Import => found.push(Reference { range: at..end, address, is_load: true }),
                    Rule::None if names_a_host(&address) => found.push(Reference { range: at..end, address, is_load: false }),
                    Rule::None | Rule::Namespace => {}
                }
                rule = Rule::None;
                at = end;
            }
            b'@' => {
                let word = word(&text[at + 1..]);
                rule = match word.to_ascii_lowercase().as_str() {
                    "import" => Rule::Import,
                    "namespace" => Rule::Namespace,
                    _ => Rule::None,
                };
                at += 1 + word.len();
            }
            b';' | b'{' | b'}' => {
                rule = Rule::None;
                at += 1;
            }
            b if b.is_ascii_alphabetic() || b == b'\\' || b == b'-' || b == b'_' || b >= 0x80 => {
                let word = word(&text[at..]);
                let after = at + word.len().max(1);
                at = after;
                if bytes.get(after) == Some(&b'(') && unescape(word).eq_ignore_ascii_case("url") {
                    let (reference, end) = url(text, after + 1);
                    if rule != Rule::Namespace {
                        found.push(reference);
                    }
                    rule = Rule::None;
                    at = end;
                }
            }
            _ => at += 1,
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    None,
    Import,
    Namespace,
}

/// Whether an address leads, or may lead, out of the site.
pub(super) fn names_a_host(address: &str) -> bool {
    let address: String = address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).take(16).collect();
    let address = address.to_ascii_lowercase();
    let schemes = ["http:", "https:", "ws:", "wss:", "data:", "javascript:", "blob:", "file:", "ftp:"];
    schemes.iter().any(|scheme| address.starts_with(scheme))
        || address.starts_with("//") && address.as_bytes().get(2).is_some_and(u8::is_ascii_alphanumeric)
}

/// The address that starts behind `url(`, and where the reading goes on.
fn url(text: &str, from: usize) -> (Reference<'_>, usize) {
    let bytes = text.as_bytes();
    let start = from + bytes[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    if let Some(b'"' | b'\'') = bytes.get(start) {
        let end = string_end(bytes, start);
        let inner = &text[start + 1..end.saturating_sub(1).max(start + 1)];
        return (Reference { range: start..end, address: unescape(inner), is_load: true }, end);
    }
    let mut end = start;
    while let Some(&b) = bytes.get(end) {
        match b {
            b')' => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    let mut end = end.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let trimmed = start + text[start..end].trim_end().len();
    (Reference { range: start..trimmed, address: unescape(&text[start..trimmed]), is_load: true }, end)
}

/// One past the quote that ends the string starting at `at`; a line break ends a bad one.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while let Some(&b) = bytes.get(end) {
        match b {
            b'\\' if bytes.get(end + 1).is_some_and(u8::is_ascii) => end += 2,
            b'\n' => return end + 1,
            b if b == quote => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The word at the start of `text`, escapes included.
fn word(text: &str) -> &str {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c == '\\' {
            at += 1 + escape(&text[at + 1..]).1;
        } else if c.is_ascii_alphanumeric() || c == '-' || c == '_' || !c.is_ascii() {
            at += c.len_utf8();
        } else {
            break;
        }
    }
    &text[..at]
}

/// What follows a backslash: the character meant, if any, and how many bytes it takes.
fn escape(text: &str) -> (Option<char>, usize) {
    let len = text.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if len > 0 {
        let code = u32::from_str_radix(&text[..len], 16).unwrap_or(0xfffd);
        let space = usize::from(text[len..].starts_with([' ', '\n', '\t']));
        return (char::from_u32(code).or(Some('\u{fffd}')), len + space);
    }
    match text.chars().next() {
        Some('\n') => (None, 1),
        Some(c) => (Some(c), c.len_utf8()),
        None => (None, 0),
    }
}

/// `text` with `\68 ` and `\:` resolved.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (c, len) = escape(rest);
        out.extend(c);
        rest = &rest[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(text: &str) -> Vec<String> {
        references(text).into_iter().map(|found| format!("{}{}", found.address, if found.is_load { "" } else { "?" })).collect()
    }

    #[test]
    fn every_way_to_name_a_file_is_seen() {
        let text =
            "@import \"a.css\"; @import url(b.css) print; @font-face { src: url( 'c.woff2' ) format(\"woff2\"), URL(d.woff2) }";
        assert_eq!(loads(text), ["a.css", "b.css", "c.woff2", "d.woff2"]);
        assert_eq!(loads("a { background: \\75rl(e.png); mask: u\\72 l(\"f\\.svg\") }"), ["e.png", "f.svg"]);
        assert_eq!(loads("a { b: url(\\68ttps://x.example/y) }"), ["https://x.example/y"]);
        assert_eq!(
            loads("a { b: image-set(\"https://x.example/y\" 1x, '//x.example' 2x) }"),
            ["https://x.example/y?", "//x.example?"]
        );
    }

    #[test]
    fn comments_strings_and_names_are_none() {
        assert_eq!(
            loads("/* url(a) */ a::before { content: \"url(b) // c\" } @namespace svg url(http://www.w3.org/2000/svg);"),
            [""; 0]
        );
        assert_eq!(loads("@namespace 'http://www.w3.org/1999/xhtml'; .curl(a) { --url: 'a' } /* open"), [""; 0]);
        assert_eq!(loads("a { content: '\\'url(x)' ; b: curl(x) }"), [""; 0]);
    }

    #[test]
    fn ranges_hold_what_was_found_and_nothing_panics() {
        let text = "a{b:url(\"x.png\")}@import 'y.css';c{d:url( z )}";
        let held: Vec<_> = references(text).into_iter().map(|found| &text[found.range]).collect();
        assert_eq!(held, ["\"x.png\"", "'y.css'", "z"]);
        for text in
            ["url(", "url('", "url(\\", "\"", "'\\", "\\", "@", "@import", "/*", "url(\\é", "é\\é(", "'a\n", "\"\\é\"", "'"]
        {
            for found in references(text) {
                let _ = &text[found.range];
            }
        }
    }
}
