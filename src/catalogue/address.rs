//! Addresses: `https:` URLs, package URLs, and the two as sources of a fact.

use super::{codes, text};
use crate::diagnostic::is_hidden;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, shown};
use serde::Serialize;
use std::fmt;
use url::Url;

/// An `https:` address with a host, without user name or password.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HttpsUrl(String);

impl HttpsUrl {
    /// The address, normalised.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for HttpsUrl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl FromText for HttpsUrl {
    fn from_text(text: &str) -> Result<Self, Fault> {
        const EXPECTED: &str = "an `https:` address with a host";
        if let Some(fault) = text::hidden_fault(text) {
            return Err(fault);
        }
        let fault = Fault::expected(EXPECTED);
        match Url::parse(text) {
            Ok(url)
                if url.scheme() == "https"
                    // The parser forgives `https:x`, `https:///x` and `https:\\x`; here they are slips of the pen.
                    && text.get(8..).is_some_and(|rest| text[..8].eq_ignore_ascii_case("https://") && !rest.starts_with(['/', '\\']))
                    && url.host_str().is_some_and(|host| !host.is_empty())
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                Ok(HttpsUrl(url.into()))
            }
            Ok(url) if url.scheme() == "http" => Err(fault
                .of_kind(&codes::NOT_HTTPS, format!("`{}` is not an `https:` address", shown(text)))
                .meant(Some(text.replacen(':', "s:", 1)))),
            Ok(url) if url.scheme() != "https" => {
                Err(fault.of_kind(&codes::OTHER_SCHEME, format!("an address of the scheme `{}:`", shown(url.scheme()))))
            }
            _ => Err(fault),
        }
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^https://[^/]", example: "https://example.com/", ..TextShape::default() }
    }
}

/// A package address (`pkg:type/namespace/name@version`), as <https://github.com/package-url/purl-spec> says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purl {
    /// The registry: `pypi`, `golang`, …
    pub kind: String,
    /// Decoded; segments joined by `/`.
    pub namespace: Option<String>,
    /// Decoded.
    pub name: String,
    /// Decoded.
    pub version: Option<String>,
}

impl fmt::Display for Purl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pkg:{}/", self.kind)?;
        if let Some(namespace) = &self.namespace {
            for segment in namespace.split('/') {
                write!(f, "{}/", percent_encode(segment))?;
            }
        }
        f.write_str(&percent_encode(&self.name))?;
        if let Some(version) = &self.version {
            write!(f, "@{}", percent_encode(version))?;
        }
        Ok(())
    }
}

impl Serialize for Purl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromText for Purl {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fault = || Fault::expected("a package address (`pkg:type/namespace/name`, each part percent-encoded)");
        let rest = text.strip_prefix("pkg:").ok_or_else(fault)?;
        let (rest, version) = match rest.rsplit_once('@') {
            Some((rest, version)) if !version.contains('/') && !rest.ends_with('/') => (rest, Some(version)),
            _ => (rest, None),
        };
        let decode = |part: &str| {
            let is_plain = part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%+@:!".contains(&b));
            let decoded = percent_decode(part).filter(|decoded| is_plain && !decoded.is_empty());
            let decoded = decoded.filter(|decoded| !matches!(decoded.as_str(), "." | "..") && !decoded.contains(is_unfit));
            decoded.ok_or_else(fault)
        };
        let mut segments: Vec<&str> = rest.split('/').collect();
        let name = decode(segments.pop().unwrap_or_default())?;
        if segments.is_empty() {
            return Err(fault());
        }
        let kind = segments.remove(0);
        if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b)) {
            return Err(fault());
        }
        let namespace = segments.into_iter().map(decode).collect::<Result<Vec<_>, _>>()?.join("/");
        Ok(Purl {
            kind: kind.to_owned(),
            namespace: (!namespace.is_empty()).then_some(namespace),
            name,
            version: version.map(decode).transpose()?,
        })
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^pkg:[a-z0-9.-]+/.", example: "pkg:pypi/a-package", ..TextShape::default() }
    }
}

/// What no registry has in a name, and what could end up elsewhere on a page or in a path.
fn is_unfit(c: char) -> bool {
    c.is_whitespace() || is_hidden(c) || "/\\<>\"'`{}|^".contains(c)
}

/// One percent-encoded path segment.
pub fn percent_encode(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn percent_decode(segment: &str) -> Option<String> {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let hex = segment.get(at + 1..at + 3)?;
            out.push(u8::from_str_radix(hex, 16).ok()?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

/// Where a fact can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// At an address.
    Url(HttpsUrl),
    /// In a published package of a given version.
    Package(Purl),
}

impl Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Source::Url(url) => url.serialize(serializer),
            Source::Package(purl) => purl.serialize(serializer),
        }
    }
}

impl FromText for Source {
    fn from_text(text: &str) -> Result<Self, Fault> {
        if text.starts_with("pkg:") {
            let purl = Purl::from_text(text)?;
            if purl.version.is_none() {
                return Err(Fault::expected("a package address with its version (`pkg:type/name@version`)"));
            }
            return Ok(Source::Package(purl));
        }
        HttpsUrl::from_text(text)
            .map(Source::Url)
            .map_err(|fault| Fault { expected: "an `https:` address, or a package address with its version".to_owned(), ..fault })
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^(https://[^/]|pkg:[a-z0-9.-]+/.+@.)", example: "pkg:pypi/a-package@1.0.0", ..TextShape::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purls_come_back_as_they_are_written() {
        for (text, kind, namespace, name, version) in [
            ("pkg:pypi/pylib", "pypi", None, "pylib", None),
            ("pkg:pypi/pylib@3.0.12", "pypi", None, "pylib", Some("3.0.12")),
            ("pkg:npm/%40scope/lib@1.0.0-rc.1", "npm", Some("@scope"), "lib", Some("1.0.0-rc.1")),
            (
                "pkg:golang/github.com/owner/lib/v2@v2.1.0%2Bincompatible",
                "golang",
                Some("github.com/owner/lib"),
                "v2",
                Some("v2.1.0+incompatible"),
            ),
            ("pkg:maven/org.example/lib-clients@4.4.0", "maven", Some("org.example"), "lib-clients", Some("4.4.0")),
            ("pkg:conan/lib@1.0%7Ebeta", "conan", None, "lib", Some("1.0~beta")),
        ] {
            let purl = Purl::from_text(text).unwrap();
            let parts = (purl.kind.as_str(), purl.namespace.as_deref(), purl.name.as_str(), purl.version.as_deref());
            assert_eq!(parts, (kind, namespace, name, version), "{text}");
            assert_eq!(Purl::from_text(&purl.to_string()).unwrap(), purl, "{text}");
        }
        assert_eq!(Purl::from_text("pkg:npm/@scope/lib").unwrap().to_string(), "pkg:npm/%40scope/lib");
    }

    #[test]
    fn what_is_no_purl() {
        for text in [
            "",
            "pkg:",
            "pkg:pypi",
            "pkg:pypi/",
            "pkg:PyPI/a",
            "pypi/a",
            "pkg:/a",
            "pkg:pypi//a",
            "pkg:pypi/a@",
            "pkg:npm/%40",
            "pkg:npm/a%",
            "pkg:npm/a%zz",
            "pkg:npm/a%ff",
            "pkg:npm/..",
            "pkg:npm/%2e%2e/a",
            "pkg:npm/a%2fb",
            "pkg:npm/<script>",
            "pkg:npm/%3Cscript%3E",
            "pkg:npm/a b",
            "pkg:npm/a?x=1",
            "pkg:npm/a#x",
            "pkg:npm/a%00",
            "pkg:npm/a%E2%80%AEb",
            "pkg:npm/ä",
        ] {
            // An empty scope is a name that starts with `@`: odd, but harmless.
            assert!(Purl::from_text(text).is_err() || text == "pkg:npm/%40", "{text}");
        }
    }

    #[test]
    fn addresses_of_other_kinds_are_refused() {
        let code = |text: &str| HttpsUrl::from_text(text).map_err(|fault| fault.kind.map(|(code, _)| code.id));
        for text in [
            "javascript:alert(1)",
            "JAVASCRIPT:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "file:///x",
            "ftp://x/",
        ] {
            assert!(matches!(code(text), Err(Some("CB121" | "CB116"))), "{text:?}: {:?}", code(text));
        }
        assert_eq!(code("http://example.com/"), Err(Some("CB120")));
        for text in [
            "",
            "//example.com/",
            "/path",
            "https://",
            "https:///x",
            "https://user@example.com/",
            "https://u:p@example.com/",
            "example.com",
        ] {
            assert!(code(text).is_err(), "{text:?}");
        }
        for text in ["https://example.com/", "https://example.com/a?b=<c>#d", "https://пример.example/"] {
            let url = HttpsUrl::from_text(text).unwrap();
            assert!(url.as_str().is_ascii() && !url.as_str().contains(['<', '"']), "{url}");
        }
        assert!(Source::from_text("pkg:pypi/pylib").is_err(), "a source names the version that was looked into");
    }
}
