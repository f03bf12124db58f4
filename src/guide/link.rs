//! Where a link of a Markdown file leads. What is not on the list of allowed kinds is refused; nothing is guessed.

use camino::{Utf8Path, Utf8PathBuf};
use url::Url;

/// What becomes of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Another site, or a mail address.
    Outside(String),
    /// A place of this site: from `/`, or a fragment of the same page.
    Inside(String),
    /// An `http:` address; the same one with `https:`.
    Unsafe(String),
    /// A relative path that leads to no page, and why not.
    Astray(&'static str),
    /// Anything else, and why it is refused.
    Refused(&'static str),
}

/// Where `dest`, written in the file `from`, leads.
pub(super) fn target(dest: &str, from: &Utf8Path) -> Target {
    // Browsers drop tabs and line breaks from an address and read `\` as `/`, so that `java\nscript:` and `/\host` are traps.
    if dest.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Target::Refused("an address holds no spaces, line breaks or backslashes");
    }
    if dest.starts_with('#') {
        return Target::Inside(dest.to_owned());
    }
    if dest.starts_with("//") {
        return Target::Refused("write the whole address, from `https://`");
    }
    if dest.starts_with('/') {
        return Target::Inside(dest.to_owned());
    }
    match scheme(dest).map(str::to_ascii_lowercase).as_deref() {
        Some("https") => match Url::parse(dest) {
            Ok(url) if url.has_host() && url.username().is_empty() && url.password().is_none() => {
                Target::Outside(dest.to_owned())
            }
            _ => Target::Refused("this is not a whole `https:` address"),
        },
        Some("mailto") => Target::Outside(dest.to_owned()),
        Some("http") => Target::Unsafe(format!("https{}", &dest["http".len()..])),
        Some(_) => Target::Refused("links are `https:`, `mailto:`, a path of this site from `/`, or a `#fragment`"),
        None => relative(dest, from),
    }
}

/// The address that the Markdown file at `path` (from the root) stands at; `None` if it is no page or makes no address.
pub(super) fn address(path: &Utf8Path) -> Option<String> {
    let stem = path.as_str().strip_suffix(".md")?;
    let inner = match stem.strip_prefix("clients/").and_then(|rest| rest.strip_suffix("/notes")) {
        Some(client) => format!("clients/{client}"),
        None => stem.strip_prefix("content/")?.to_owned(),
    };
    let inner = if inner == "index" { "" } else { inner.strip_suffix("/index").unwrap_or(&inner) };
    let plain = |segment: &str| {
        !segment.is_empty()
            && !segment.starts_with('-')
            && segment.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    match inner {
        "" => Some("/".to_owned()),
        _ => inner.split('/').all(plain).then(|| format!("/{inner}/")),
    }
}

/// `path` as written in the file `from`, from the root: `..` and `.` taken away. `None` if it climbs out.
pub(super) fn join(from: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    let folder = from.parent().map_or("", Utf8Path::as_str);
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    Some(segments.join("/").into())
}

fn relative(dest: &str, from: &Utf8Path) -> Target {
    let (path, fragment) = dest.find('#').map_or((dest, ""), |at| dest.split_at(at));
    if !path.ends_with(".md") {
        return Target::Astray("a link to a page is its path from `/`, or the Markdown file it is made from");
    }
    match join(from, path) {
        None => Target::Astray("this climbs out of the catalogue"),
        Some(file) => match address(&file) {
            Some(address) => Target::Inside(format!("{address}{fragment}")),
            None => Target::Astray("no page is made from this file"),
        },
    }
}

/// What stands before the first `:`, if that is not within the path.
fn scheme(dest: &str) -> Option<&str> {
    let at = dest.find(':')?;
    (!dest[..at].contains(['/', '?', '#'])).then_some(&dest[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dest: &str) -> Target {
        target(dest, Utf8Path::new("content/kit/driver.md"))
    }

    #[test]
    fn the_allowed_kinds() {
        assert_eq!(of("https://example.org/a?b#c"), Target::Outside("https://example.org/a?b#c".into()));
        assert_eq!(of("mailto:a@example.org"), Target::Outside("mailto:a@example.org".into()));
        assert_eq!(of("/features/tls/"), Target::Inside("/features/tls/".into()));
        assert_eq!(of("#marks"), Target::Inside("#marks".into()));
        assert_eq!(of("index.md"), Target::Inside("/kit/".into()));
        assert_eq!(of("../about.md#marks"), Target::Inside("/about/#marks".into()));
        assert_eq!(of("../features/tls.md"), Target::Inside("/features/tls/".into()));
        assert_eq!(of("../../clients/sarama/notes.md"), Target::Inside("/clients/sarama/".into()));
        assert_eq!(of("../index.md"), Target::Inside("/".into()));
    }

    #[test]
    fn http_has_a_mend() {
        assert_eq!(of("http://example.org/"), Target::Unsafe("https://example.org/".into()));
        assert_eq!(of("HTTP://example.org/"), Target::Unsafe("https://example.org/".into()));
    }

    #[test]
    fn all_else_is_refused() {
        for dest in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//example.org/",
            "/\\example.org/",
            "https:",
            "https://",
            "https://user:word@example.org/",
            "https://exa mple.org/",
            "x:y",
            ":",
        ] {
            assert!(matches!(of(dest), Target::Refused(_)), "{dest:?} gives {:?}", of(dest));
        }
        for dest in ["", "a.html", "../../../etc/passwd.md", "../../../../x.md", "Upper.md", "../../src/x.md", "?q"] {
            assert!(matches!(of(dest), Target::Astray(_)), "{dest:?} gives {:?}", of(dest));
        }
    }
}
