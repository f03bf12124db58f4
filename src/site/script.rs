//! What a script names: strings that start like an address of another host. A script of ours asks its own host only, and names
//! it by paths.

use super::css::names_a_host;
use std::ops::Range;

/// Strings in `text` that name another host, or an `http:`, `data:` or `javascript:` address; each with its bytes. XML namespaces,
/// which are names and not addresses, do not count. Comments count: the reader knows strings only.
pub(super) fn hosts(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(['"', '\'', '`']) {
        let rest = &text[at + 1..];
        let head_end = rest.char_indices().nth(24).map_or(rest.len(), |(end, _)| end);
        if names_a_host(&rest[..head_end]) && !rest.starts_with("http://www.w3.org/") {
            let end = rest.find(['"', '\'', '`', '\n']).unwrap_or(rest.len());
            found.push((at + 1..at + 1 + end, &rest[..end]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_strings_are_seen() {
        let text = "fetch('/search.json'); x(\"https://a.example/b\"); y(`//c.example`); z('http://www.w3.org/2000/svg'); '//'; 'data:,x'";
        let held: Vec<_> = hosts(text).into_iter().map(|(range, host)| (&text[range] == host, host)).collect();
        assert_eq!(held, [(true, "https://a.example/b"), (true, "//c.example"), (true, "data:,x")]);
    }
}
