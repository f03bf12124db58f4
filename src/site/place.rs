//! Places of the site: a path, or a path and a fragment. A place is known by the hash of its text, so that ten thousand pages with a
//! hundred links each are eight bytes a link, and "does every link lead somewhere" is a question to a set. Only a page with a
//! broken link is read again, for the words of the report.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The hash of a place.
pub(super) type Place = u64;

/// The place `fragment` of `path`; without fragment (empty) the path itself.
pub(super) fn place(path: &str, fragment: &str) -> Place {
    let mut hasher = DefaultHasher::new();
    (path, fragment).hash(&mut hasher);
    hasher.finish()
}

/// The place at which a script or stylesheet of this content stands: found only if both are right.
pub(super) fn verified(path: &str, integrity: &str) -> Place {
    let mut hasher = DefaultHasher::new();
    (path, "integrity", integrity).hash(&mut hasher);
    hasher.finish()
}

/// What an address in a page leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// A place of this site: its path and fragment, decoded.
    Own(Cow<'a, str>, Cow<'a, str>),
    /// An `https:` address of another host.
    Other,
    /// `mailto:`.
    Mail,
    /// An `http:` address.
    Http,
    /// Another scheme, or an address that browsers read in a way of their own.
    Forbidden,
}

/// Reads `address` as written on the page at `page`. `base_url` is where the site stands, ending in `/`, or empty.
pub(super) fn target<'a>(address: &'a str, page: &'a str, base_url: &str) -> Target<'a> {
    let is_trap = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if address.chars().any(is_trap) {
        return Target::Forbidden;
    }
    if let Some(rest) = address.strip_prefix("//") {
        return if rest.is_empty() { Target::Forbidden } else { Target::Other };
    }
    if base_url.ends_with('/') && address.starts_with(base_url) {
        return own(&address[base_url.len() - 1..], page);
    }
    let scheme = address.find(':').map(|at| &address[..at]).filter(|scheme| !scheme.contains(['/', '?', '#']));
    match scheme {
        None => own(address, page),
        Some(scheme) if scheme.eq_ignore_ascii_case("https") => Target::Other,
        Some(scheme) if scheme.eq_ignore_ascii_case("http") => Target::Http,
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto") => Target::Mail,
        Some(_) => Target::Forbidden,
    }
}

fn own<'a>(address: &'a str, page: &'a str) -> Target<'a> {
    let (path, fragment) = address.split_once('#').unwrap_or((address, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let path = match path {
        "" => Cow::Borrowed(page),
        _ if path.starts_with('/') => decoded(path),
        _ => Cow::Owned(join(page, &decoded(path))),
    };
    // `#top` is there without an id; what follows `:~:` is for the browser.
    let fragment = fragment.split_once(":~:").map_or(fragment, |(fragment, _)| fragment);
    let fragment = if fragment.eq_ignore_ascii_case("top") { Cow::Borrowed("") } else { decoded(fragment) };
    Target::Own(path, fragment)
}

fn join(page: &str, path: &str) -> String {
    let folder = page.rfind('/').map_or("", |at| &page[..at]);
    let mut segments: Vec<&str> = folder.split('/').collect();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." => {
                if segments.len() > 1 {
                    segments.pop();
                }
            }
            _ => segments.push(segment),
        }
    }
    if path.ends_with("..") || path.ends_with("/.") || path == "." {
        segments.push("");
    }
    segments.join("/")
}

/// `text` with its `%XX` resolved; as it is, if that gives no UTF-8.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, hex(after.first()), hex(after.get(1))) {
            bytes.push((high * 16 + low) as u8);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Target<'_> {
        target(address, "/kit/driver/", "https://book.example/")
    }

    fn place_of<'a>(path: &'a str, fragment: &'a str) -> Target<'a> {
        Target::Own(path.into(), fragment.into())
    }

    #[test]
    fn addresses_are_read_as_a_browser_reads_them() {
        assert_eq!(of("/a/?q=1#b"), place_of("/a/", "b"));
        assert_eq!(of("#b%C3%A9"), place_of("/kit/driver/", "bé"));
        assert_eq!(of("#b%FF%"), place_of("/kit/driver/", "b%FF%"));
        assert_eq!(of("#top"), place_of("/kit/driver/", ""));
        assert_eq!(of(""), place_of("/kit/driver/", ""));
        assert_eq!(of("x.json"), place_of("/kit/driver/x.json", ""));
        assert_eq!(of("../"), place_of("/kit/", ""));
        assert_eq!(of(".."), place_of("/kit/", ""));
        assert_eq!(of("../../../../a/"), place_of("/a/", ""));
        assert_eq!(of("https://book.example/a/#b"), place_of("/a/", "b"));
        assert_eq!(of("https://book.example.evil/"), Target::Other);
        assert_eq!(of("HTTPS://example.org"), Target::Other);
        assert_eq!(of("//example.org"), Target::Other);
        assert_eq!(of("http://example.org"), Target::Http);
        assert_eq!(of("mailto:a@b.example"), Target::Mail);
        for address in
            ["javascript:x", "JAVAscript:x", "data:,x", "java\tscript:x", " javascript:x", "/\\example.org", "x:y", "//"]
        {
            assert_eq!(of(address), Target::Forbidden, "{address:?}");
        }
    }
}
