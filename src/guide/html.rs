//! Finished HTML, and the two ways to make text harmless in it.

use std::sync::Arc;

/// Finished HTML that is safe to put into a page as it is. Only this room and `render` make it. Copying it is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Html(Arc<str>);

impl Html {
    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Vouches for `markup`: every text in it went through [`escape`] or [`escape_address`].
    pub(crate) fn vouched(markup: String) -> Html {
        Html(markup.into())
    }
}

/// Appends `text` to `out` so that it is text, in an element or in a quoted attribute.
pub fn escape_into(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            0 => "\u{fffd}",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(entity);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

/// Appends `text` to `out` so that it is text in an element (not in an attribute: quotes stay as they are).
pub(super) fn escape_text_into(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            0 => "\u{fffd}",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(entity);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

/// `text` as text, for an element or a quoted attribute.
///
/// ```
/// # use clientbook::guide::escape;
/// assert_eq!(escape("a < b & 'c'").as_str(), "a &lt; b &amp; &#39;c&#39;");
/// ```
pub fn escape(text: &str) -> Html {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    escape_into(&mut out, text);
    Html::vouched(out)
}

/// Appends `address` for an `href` or `src`: what may not stand in an address is percent-encoded. Says nothing of where it leads.
pub(super) fn escape_address(out: &mut String, address: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in address.bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            b'\'' => out.push_str("&#39;"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            _ if b"-._~:/?#@!$()*+,;=%".contains(&byte) => out.push(char::from(byte)),
            _ => {
                out.push('%');
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_opens_markup_survives() {
        let every: String = (0..0x250u32).filter_map(char::from_u32).collect();
        let escaped = escape(&every);
        assert!(!escaped.as_str().contains(['<', '>', '"', '\'', '\0']));
        let mut address = String::new();
        escape_address(&mut address, &every);
        assert!(!address.contains(['<', '>', '"', '\'', ' ', '\n', '\t', '\\', '`']));
        assert!(address.is_ascii());
    }
}
