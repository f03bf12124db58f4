//! Versions, and days that are known in part.

use super::codes;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText};
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// A version as its project writes it. Ordered by its numbers; then what comes before a release (`-rc1`, `b2`, `.dev0`) before
/// the release, and what comes after it (`-cp1`, `.post1`) after; ties by text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Version(Box<str>);

/// Words that mark what comes before a release.
const PRE_RELEASE: &[&str] = &[
    "a",
    "alpha",
    "b",
    "beta",
    "c",
    "canary",
    "dev",
    "eap",
    "experimental",
    "m",
    "milestone",
    "next",
    "nightly",
    "pre",
    "preview",
    "rc",
    "snapshot",
    "unstable",
];
/// Words that mark the release itself.
const RELEASE: &[&str] = &["final", "ga", "release"];

impl Version {
    /// The version as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it comes before a release: alpha, beta, candidate, snapshot …
    pub fn is_pre_release(&self) -> bool {
        self.split().1 == Ordering::Less
    }

    /// As `cmp`, but `v1.0`, `1.0.0` and `1.0+build` are the same.
    pub fn precedence(&self, other: &Version) -> Ordering {
        let (left, left_phase, left_tail) = self.split();
        let (right, right_phase, right_tail) = other.split();
        let mut left = numbers(left);
        let mut right = numbers(right);
        let order = loop {
            match (left.next(), right.next()) {
                (None, None) => break Ordering::Equal,
                (a, b) => match a.unwrap_or(0).cmp(&b.unwrap_or(0)) {
                    Ordering::Equal => {}
                    unequal => break unequal,
                },
            }
        };
        order.then(left_phase.cmp(&right_phase)).then_with(|| natural(left_tail, right_tail))
    }

    /// Its numbers, whether the rest stands before (`Less`) or after (`Greater`) the release, and the rest.
    fn split(&self) -> (&str, Ordering, &str) {
        let text = self.0.strip_prefix(['v', 'V']).unwrap_or(&self.0);
        let text = text.split('+').next().unwrap_or_default();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (head, tail) = text.split_at(end);
        let tail = tail.trim_start_matches(['-', '.', '_', '~']);
        let word_end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let word = tail.get(..word_end).unwrap_or_default();
        let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(word));
        if tail.is_empty() || is(RELEASE) {
            (head, Ordering::Equal, "")
        } else if is(PRE_RELEASE) {
            (head, Ordering::Less, tail)
        } else {
            (head, Ordering::Greater, tail)
        }
    }
}

fn numbers(head: &str) -> impl Iterator<Item = u64> + '_ {
    head.split('.').filter(|part| !part.is_empty()).map(|part| part.parse().unwrap_or(u64::MAX))
}

/// Compares runs of digits as numbers, all else as lower-case text.
fn natural(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let (Some(&a), Some(&b)) = (left.first(), right.first()) {
        let order = if a.is_ascii_digit() && b.is_ascii_digit() {
            let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
            let (a, rest_a) = left.split_at(digits(left));
            let (b, rest_b) = right.split_at(digits(right));
            (left, right) = (rest_a, rest_b);
            let trim = |digits: &[u8]| digits.iter().skip_while(|b| **b == b'0').copied().collect::<Vec<u8>>();
            let (a, b) = (trim(a), trim(b));
            a.len().cmp(&b.len()).then(a.cmp(&b))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len())
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
        self.precedence(other).then_with(|| self.0.cmp(&other.0))
    }
}

impl FromText for Version {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+_~".contains(&b));
        if fits {
            Ok(Version(text.into()))
        } else {
            Err(Fault::expected("a version as `4.4.0` (letters, digits, `.`, `-`, `+`)"))
        }
    }

    fn shape() -> TextShape {
        TextShape {
            pattern: "^[A-Za-z0-9.+_~-]*[0-9][A-Za-z0-9.+_~-]*$",
            length_min: 1,
            length_max: Some(64),
            example: "4.4.0",
            ..TextShape::default()
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
    /// The first day it can mean.
    pub fn first_day(self) -> jiff::civil::Date {
        jiff::civil::Date::new(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1)).unwrap_or(jiff::civil::Date::MIN)
    }

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

    fn shape() -> TextShape {
        TextShape {
            pattern: "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$",
            example: "2026-11-30",
            ..TextShape::default()
        }
    }
}

/// A whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(pub PartialDate);

impl FromText for Day {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let date = PartialDate::from_text(text)?;
        if date.day.is_some() {
            return Ok(Day(date));
        }
        Err(Fault::expected("a whole day as `2026-11-30`").of_kind(&codes::DAY_NEEDED, format!("`{date}` is not a whole day")))
    }

    fn shape() -> TextShape {
        TextShape {
            pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
            example: "2026-11-30",
            ..TextShape::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::from_text(text).unwrap()
    }

    #[test]
    fn versions_stand_in_the_order_of_their_releases() {
        let order = [
            "0.8",
            "0.10.0",
            "1.0a1",
            "1.0.0-alpha.2",
            "1.0b2",
            "1.0.dev3",
            "1.0.0-rc2",
            "1.0.0-rc10",
            "1.0.0-SNAPSHOT",
            "1.0.0",
            "1.0.post1",
            "1.0.1",
            "1.2",
            "1.10",
            "v2.0.0",
            "7.6.0",
            "7.6.0-ccs",
            "7.6.1-preview",
            "7.6.1",
            "20241010",
        ];
        for pair in order.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{} < {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn the_same_release_written_otherwise() {
        for (a, b) in
            [("1.0", "1.0.0"), ("v1.2.3", "1.2.3"), ("1.2.3+build.7", "1.2.3"), ("3.1.0.Final", "3.1"), ("1.0-rc.1", "1.0-RC.1")]
        {
            assert_eq!(version(a).precedence(&version(b)), Ordering::Equal, "{a} and {b}");
            assert_ne!(version(a), version(b));
        }
        assert!(
            version("2.0-beta1").is_pre_release() && !version("2.0").is_pre_release() && !version("2.0-cp1").is_pre_release()
        );
    }

    #[test]
    fn what_is_no_version() {
        for text in ["", "latest", "1 0", "1/2", "<1>", "1\u{202e}", &"1".repeat(65)] {
            assert!(Version::from_text(text).is_err(), "{text:?}");
        }
        assert!(version("99999999999999999999999.1") > version("1")); // too large a number is no panic
    }

    #[test]
    fn dates_known_in_part() {
        for text in ["2026", "2026-11", "2026-11-30", "2024-02-29"] {
            assert_eq!(PartialDate::from_text(text).unwrap().to_string(), text);
        }
        for text in
            ["", "26", "2026-1", "2026-13", "2026-00", "2026-02-29", "2026-11-31", "2026-11-30-1", "2026-11-3x", "+026", "2026-"]
        {
            assert!(PartialDate::from_text(text).is_err(), "{text:?}");
        }
        let day = |text: &str| PartialDate::from_text(text).unwrap().latest_day().to_string();
        assert_eq!(
            (day("2024").as_str(), day("2024-02").as_str(), day("2024-02-03").as_str()),
            ("2024-12-31", "2024-02-29", "2024-02-03")
        );
        assert!(Day::from_text("2026-11").is_err());
    }
}
