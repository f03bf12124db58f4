//! Addresses: `https:` URLs, package URLs, and the two as sources of a fact.

use super::{codes, text};
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
            percent_decode(part).filter(|part| !part.is_empty() && !part.chars().any(char::is_control)).ok_or_else(fault)
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
