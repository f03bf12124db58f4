//! Finds the place of a value in JSON text: serde says what is wrong, this says where. Only walked when something is wrong.

use crate::diagnostic::Span;

/// A step into a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Into a member of an object.
    Key(&'static str),
    /// Into an element of an array.
    Index(usize),
}

/// The byte offset of a line and a column as serde_json counts them: from 1, in bytes, and the column one too far.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = if line <= 1 {
        0
    } else {
        text.bytes().enumerate().filter(|(_, b)| *b == b'\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1)
    };
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The place of the value that `steps` lead to in `text`, which is JSON; the nearest value around it where a step leads nowhere.
pub(super) fn value(text: &str, steps: &[Step]) -> Span {
    let mut walk = Walk { text: text.as_bytes(), at: 0 };
    walk.space();
    for step in steps {
        let before = walk.at;
        let found = match step {
            Step::Key(key) => walk.enter_key(key),
            Step::Index(index) => walk.enter_index(*index),
        };
        if found.is_none() {
            walk.at = before;
            break;
        }
    }
    let start = walk.at;
    walk.skip();
    Span::from(start..walk.at)
}

struct Walk<'t> {
    text: &'t [u8],
    at: usize,
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Past `byte` and the space around it.
    fn eat(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek() == Some(byte)).then(|| self.at += 1)?;
        self.space();
        Some(())
    }

    fn enter_key(&mut self, key: &str) -> Option<()> {
        self.eat(b'{')?;
        loop {
            let start = self.at;
            self.skip();
            let name = self.text.get(start + 1..self.at.saturating_sub(1)).unwrap_or_default();
            let is_it = name == key.as_bytes();
            self.eat(b':')?;
            if is_it {
                return Some(());
            }
            self.skip();
            self.eat(b',')?;
        }
    }

    fn enter_index(&mut self, index: usize) -> Option<()> {
        self.eat(b'[')?;
        for _ in 0..index {
            self.skip();
            self.eat(b',')?;
        }
        Some(())
    }

    /// Past one value. Counts brackets instead of recursing, so that depth costs nothing.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => self.skip_string(),
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                Some(b',' | b':') if depth > 0 => self.at += 1,
                Some(b) if b.is_ascii_whitespace() => self.at += 1,
                Some(b',' | b':') | None => return,
                Some(_) => {
                    while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
                        self.at += 1;
                    }
                    if !self.peek().is_some_and(|b| b"\",:{}[]".contains(&b) || b.is_ascii_whitespace()) {
                        return;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(b) = self.peek() {
            self.at += if b == b'\\' { 2 } else { 1 };
            if b == b'"' {
                return;
            }
        }
        self.at = self.at.min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_values() {
        let text = r#"{ "a": {"b\"": "x,]", "c": [1, {"d": "é"}, -2.5e3]}, "e": true }"#;
        let at = |steps: &[Step]| &text[value(text, steps).range()];
        assert_eq!(at(&[Step::Key("a"), Step::Key("c"), Step::Index(1), Step::Key("d")]), "\"é\"");
        assert_eq!(at(&[Step::Key("a"), Step::Key("c"), Step::Index(2)]), "-2.5e3");
        assert_eq!(at(&[Step::Key("e")]), "true");
        assert_eq!(at(&[Step::Key("a"), Step::Key("nowhere")]), &text[7..52]);
        assert_eq!(at(&[]), text);
    }

    #[test]
    fn broken_text_ends_the_walk() {
        for text in ["", "{", "[", "\"", "{\"a\"", "{\"a\":", "[[[[", "\"\\"] {
            let _ = value(text, &[Step::Key("a"), Step::Index(3)]);
        }
        assert_eq!(offset("ab\ncd", 2, 1), 3);
        assert_eq!(offset("ab", 9, 9), 2);
    }
}
