//! The search index: one small JSON file that the page's script reads when somebody starts to type.
//!
//! ```json
//! {"kinds":["client","feature"],"entries":[["Sarama","/clients/sarama/",0,"go pure Go client"], …]}
//! ```
//! An entry is its title, its address, the number of its kind, and further words to find it by. Entries keep their order, which
//! is that of equally good answers.

use serde::Serialize;
use std::collections::HashMap;

/// Something that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What is shown.
    pub title: String,
    /// Its path of the site, from `/`.
    pub address: String,
    /// What it is, in one word: "client".
    pub kind: String,
    /// Further words: languages, packages, proposals, a summary.
    pub text: String,
}

#[derive(Serialize)]
struct Index<'e> {
    kinds: Vec<&'e str>,
    entries: Vec<(&'e str, &'e str, usize, String)>,
}

/// The index of `entries` as JSON. Words of a text that repeat, also in another case, or stand in the title are written once.
pub fn index(entries: &[Entry]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut rows = Vec::with_capacity(entries.len());
    for entry in entries {
        let number = *numbers.entry(&entry.kind).or_insert_with(|| {
            kinds.push(&entry.kind);
            kinds.len() - 1
        });
        rows.push((entry.title.as_str(), entry.address.as_str(), number, words(&entry.title, &entry.text)));
    }
    // Strings and numbers only: this cannot fail.
    serde_json::to_string(&Index { kinds, entries: rows }).unwrap_or_default()
}

fn words(title: &str, text: &str) -> String {
    let lower = |word: &str| word.to_lowercase();
    let mut seen: std::collections::HashSet<String> = title.split_whitespace().map(lower).collect();
    let kept: Vec<&str> = text.split_whitespace().filter(|word| seen.insert(lower(word))).collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str, kind: &str, text: &str) -> Entry {
        Entry { title: title.into(), address: format!("/{kind}s/{title}/"), kind: kind.into(), text: text.into() }
    }

    #[test]
    fn an_index_is_small_and_says_things_once() {
        let entries =
            [entry("sarama", "client", "Go go Sarama pure"), entry("tls", "feature", ""), entry("x", "client", "\"<\"")];
        assert_eq!(
            index(&entries),
            "{\"kinds\":[\"client\",\"feature\"],\"entries\":[[\"sarama\",\"/clients/sarama/\",0,\"Go pure\"],\
             [\"tls\",\"/features/tls/\",1,\"\"],[\"x\",\"/clients/x/\",0,\"\\\"<\\\"\"]]}"
        );
        let text =
            "A pure client library of about two hundred characters which says what it is for and what it is built on ".repeat(2);
        let many: Vec<Entry> = (0..190).map(|number| entry(&format!("client-number-{number}"), "client", &text)).collect();
        assert!(index(&many).len() < 60_000, "{}", index(&many).len());
    }
}
