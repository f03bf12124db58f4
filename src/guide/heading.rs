//! Headings and their fragments.

use std::collections::{BTreeMap, BTreeSet};

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

/// Fragments that a page's frame uses itself.
const RESERVED: &[&str] = &["main", "nav", "search", "toc", "toc-h"];

/// Gives out fragments, each once.
#[derive(Debug)]
pub(super) struct Ids {
    taken: BTreeSet<String>,
    /// The number to try next, by text; without it a file of equal headings would take quadratic time.
    next: BTreeMap<String, u32>,
}

impl Ids {
    pub(super) fn new() -> Self {
        Ids { taken: RESERVED.iter().map(|&id| id.to_owned()).collect(), next: BTreeMap::new() }
    }

    /// The fragment for `text`: its letters and digits in lower case, the rest as `-`; a number follows if it is taken.
    pub(super) fn give(&mut self, text: &str) -> String {
        let base = slug(text);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(2);
        loop {
            let id = format!("{base}-{next}");
            *next += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "section".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_stable_and_unique() {
        let mut ids = Ids::new();
        let given: Vec<_> =
            ["The marks", "The marks", "The marks 2", "C++ & C#", "???", "Über", "Main", ""].map(|text| ids.give(text)).into();
        assert_eq!(given, ["the-marks", "the-marks-2", "the-marks-2-2", "c-c", "section", "über", "main-2", "section-2"]);
    }

    #[test]
    fn ten_thousand_equal_headings_take_a_moment() {
        let mut ids = Ids::new();
        let start = std::time::Instant::now();
        for _ in 0..10_000 {
            ids.give("same");
        }
        assert!(start.elapsed().as_secs() < 5);
    }
}
