//! The small types of a catalogue: ids, versions, dates, addresses, closed lists of words.

use crate::source::table::{Fault, FromText};
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;
use url::Url;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// Kebab-case: lower-case ASCII letters and digits in words joined by single hyphens, at most 64 characters.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl FromText for $name {
            fn from_text(text: &str) -> Result<Self, Fault> {
                if is_kebab_case(text) { Ok($name(text.into())) } else { Err(kebab_fault(text)) }
            }
        }
    )* };
}

ids! {
    /// A client's id: its folder below `clients/`.
    ClientId;
    /// A language's id.
    LanguageId;
    /// A feature's id.
    FeatureId;
    /// The id of a group of features.
    GroupId;
    /// A level's id.
    LevelId;
    /// A standard example's id.
    ExampleId;
    /// A scenario's id.
    ScenarioId;
}

fn is_kebab_case(text: &str) -> bool {
    text.len() <= 64
        && text.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

fn kebab_fault(text: &str) -> Fault {
    let mended = text
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    Fault {
        expected: "an id in kebab-case (`kafka-python`), at most 64 characters".to_owned(),
        suggestion: is_kebab_case(&mended).then_some(mended),
    }
}

/// A closed list of words, each with its Rust name.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every word, in order.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl FromText for $name {
            fn from_text(text: &str) -> Result<Self, Fault> {
                match text { $($word => Ok($name::$variant),)* _ => Err(Fault::one_of(text, Self::WORDS)) }
            }
        }
    )* };
}

words! {
    /// What a manifest says of a feature.
    Support {
        /// It is there.
        Yes = "yes",
        /// It is there within limits; the note says which.
        Partial = "partial",
        /// It is not there.
        No = "no",
        /// It is said to come.
        Planned = "planned",
        /// It was there once.
        Removed = "removed",
    }

    /// Whether a client is alive.
    StatusValue {
        /// New features and releases.
        Active = "active",
        /// Fixes only.
        Maintenance = "maintenance",
        /// Nothing happens, nobody said so.
        Dormant = "dormant",
        /// Its owner said that it is over.
        Archived = "archived",
    }

    /// How a client relates to the protocol.
    ClientKind {
        /// Speaks the protocol itself.
        Native = "native",
        /// A thin layer over an engine in another language.
        Binding = "binding",
        /// A nicer API over another client.
        Wrapper = "wrapper",
        /// Integration into a framework for streams, actors or the web.
        Framework = "framework",
        /// A proxy that speaks another protocol to its users.
        Bridge = "bridge",
        /// A command-line tool.
        Tool = "tool",
    }

    /// Whether a language is a language.
    LanguageKind {
        /// A programming language.
        Language = "language",
        /// A way in that needs no library.
        Interface = "interface",
    }
}

impl StatusValue {
    /// Active or in maintenance.
    pub fn is_living(self) -> bool {
        matches!(self, StatusValue::Active | StatusValue::Maintenance)
    }
}

/// A version as its project writes it, ordered by its numbers and then its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Version(String);

impl Version {
    /// The version as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.0
            .trim_start_matches('v')
            .split(['-', '+'])
            .next()
            .unwrap_or_default()
            .split('.')
            .map(|part| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0))
    }

    fn is_pre_release(&self) -> bool {
        self.0.trim_start_matches('v').split('+').next().unwrap_or_default().contains(|c: char| c.is_ascii_alphabetic())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Version| {
            let mut numbers: Vec<u64> = version.numbers().collect();
            while numbers.last() == Some(&0) {
                numbers.pop();
            }
            numbers
        };
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| other.is_pre_release().cmp(&self.is_pre_release()))
            .then_with(|| self.0.cmp(&other.0))
    }
}

impl FromText for Version {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+_~".contains(&b));
        if fits {
            Ok(Version(text.to_owned()))
        } else {
            Err(Fault::expected("a version as `4.4.0` (letters, digits, `.`, `-`, `+`)"))
        }
    }
}

/// A day, a month or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    /// The year.
    pub year: i16,
    /// The month, 1 to 12.
    pub month: Option<i8>,
    /// The day of the month; only where there is a month.
    pub day: Option<i8>,
}

impl PartialDate {
    /// The last day it can mean, for ages: a month is as young as its last day.
    pub fn latest_day(self) -> jiff::civil::Date {
        let month = self.month.unwrap_or(12);
        let first = jiff::civil::Date::new(self.year, month, 1).unwrap_or(jiff::civil::Date::MAX);
        let last = first.last_of_month();
        match self.day {
            Some(day) => jiff::civil::Date::new(self.year, month, day).unwrap_or(last),
            None => last,
        }
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

impl Serialize for PartialDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromText for PartialDate {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fault = || Fault::expected("a date as `2026-11-30`, `2026-11` or `2026`");
        let digits = |part: &str, length: usize| {
            (part.len() == length && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse::<i16>().ok()).flatten()
        };
        let mut parts = text.split('-');
        let year = parts.next().and_then(|part| digits(part, 4)).ok_or_else(fault)?;
        let month = parts.next().map(|part| digits(part, 2).ok_or_else(fault)).transpose()?;
        let day = parts.next().map(|part| digits(part, 2).ok_or_else(fault)).transpose()?;
        if parts.next().is_some() {
            return Err(fault());
        }
        let narrow = |n: i16| i8::try_from(n).map_err(|_| fault());
        let (month, day) = (month.map(narrow).transpose()?, day.map(narrow).transpose()?);
        jiff::civil::Date::new(year, month.unwrap_or(1), day.unwrap_or(1)).map_err(|_| fault())?;
        Ok(PartialDate { year, month, day })
    }
}

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
        let fault = Fault::expected("an `https:` address");
        match Url::parse(text) {
            Ok(url)
                if url.scheme() == "https"
                    && url.host_str().is_some_and(|host| !host.is_empty())
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                Ok(HttpsUrl(url.into()))
            }
            Ok(url) if url.scheme() == "http" => Err(Fault { suggestion: Some(text.replacen("http:", "https:", 1)), ..fault }),
            _ => Err(fault),
        }
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
        let fault = || Fault::expected("a package address as `pkg:pypi/kafka-python`");
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
                return Err(Fault::expected("a package address with its version (`pkg:pypi/kafka-python@3.0.12`)"));
            }
            return Ok(Source::Package(purl));
        }
        HttpsUrl::from_text(text)
            .map(Source::Url)
            .map_err(|fault| Fault { expected: "an `https:` address or a package address with its version".to_owned(), ..fault })
    }
}
