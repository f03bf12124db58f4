//! What every page has, and the small pieces that pages share: links, sources, marks, dates and ages.

use super::Model;
use crate::catalogue::{Client, PartialDate, Purl, Source, Support, percent_encode};
use crate::guide::Html;
use crate::matrix::State;
use camino::Utf8Path;
use serde::Serialize;
use std::borrow::Cow;

/// What every page has: the template `base.html` reads it as `page`.
#[derive(Debug, Clone, Serialize)]
pub struct Frame<'m> {
    /// The heading, and the title of the window without the book's name.
    pub title: Cow<'m, str>,
    /// One sentence for search engines and previews.
    pub description: Cow<'m, str>,
    /// The path from `/`.
    pub address: String,
    /// The menu entry that is current: the address's first segment, `/clients/`.
    pub section: String,
    /// From the book down to this page, which is last.
    pub crumbs: Vec<Link<'m>>,
    /// Where the page's source is edited.
    pub edit: Option<String>,
    /// The path of the same data as JSON.
    pub twin: Option<String>,
    /// Search engines stay away: 404 and redirects.
    pub hidden: bool,
}

impl<'m> Frame<'m> {
    /// A frame for the page at `address`, below `parents`.
    pub fn new(address: impl Into<String>, title: impl Into<Cow<'m, str>>, description: impl Into<Cow<'m, str>>) -> Self {
        let (address, title) = (address.into(), title.into());
        let section = match address.split('/').nth(1) {
            Some(first) if !first.is_empty() => format!("/{first}/"),
            _ => "/".to_owned(),
        };
        Frame {
            title,
            description: description.into(),
            address,
            section,
            crumbs: Vec::new(),
            edit: None,
            twin: None,
            hidden: false,
        }
    }

    /// Puts the page below `parents`.
    #[must_use]
    pub fn below(mut self, parents: Vec<Link<'m>>) -> Self {
        self.crumbs = parents;
        self.crumbs.push(Link::new(self.title.clone(), self.address.clone()));
        self
    }

    /// Names the input file the page is made from.
    #[must_use]
    pub fn from_file(mut self, model: &Model<'m>, path: &Utf8Path) -> Self {
        self.edit = model.catalogue.settings.edit_url.as_ref().map(|url| {
            let path = path.as_str().split('/').map(percent_encode).collect::<Vec<_>>().join("/");
            url.replace("{path}", &path)
        });
        self
    }

    /// Says that `index.json` stands beside the page.
    #[must_use]
    pub fn with_twin(mut self) -> Self {
        self.twin = Some(format!("{}index.json", self.address));
        self
    }
}

/// A word that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link<'m> {
    /// What is shown.
    pub text: Cow<'m, str>,
    /// A path of the site, or an `https:` address.
    pub href: String,
}

impl<'m> Link<'m> {
    /// A link.
    pub fn new(text: impl Into<Cow<'m, str>>, href: impl Into<String>) -> Self {
        Link { text: text.into(), href: href.into() }
    }

    /// A link to a client's page.
    pub fn client(client: &'m Client) -> Self {
        Link::new(client.name.as_str(), format!("/clients/{}/", client.id))
    }
}

/// Finished HTML, to be written with the filter `html`; a plain string cannot be written with it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Markup<'m> {
    html: &'m str,
}

impl<'m> Markup<'m> {
    /// Wraps what `guide` has made.
    pub fn new(html: &'m Html) -> Self {
        Markup { html: html.as_str() }
    }

    /// Nothing to show.
    pub fn is_empty(&self) -> bool {
        self.html.is_empty()
    }
}

/// Where a fact can be seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen<'m> {
    /// An `https:` address; `None` for a package of a registry that is not in the catalogue.
    pub href: Option<Cow<'m, str>>,
    /// Short: `kafka.py:788`, `issue 2401`, `PyPI 3.0.12`, or the host.
    pub text: Cow<'m, str>,
}

impl<'m> Model<'m> {
    /// How a source is shown.
    pub fn seen(&self, source: &'m Source) -> Seen<'m> {
        match source {
            Source::Url(url) => Seen { href: Some(url.as_str().into()), text: url_label(url.as_str()) },
            Source::Package(purl) => {
                let registry = self.catalogue.registries.get(&purl.kind).map_or(purl.kind.as_str(), |registry| &registry.name);
                let version = purl.version.as_deref().unwrap_or_default();
                Seen { href: self.package_page(purl).map(Cow::Owned), text: format!("{registry} {version}").into() }
            }
        }
    }

    /// The page of a package in its registry.
    pub fn package_page(&self, purl: &Purl) -> Option<String> {
        Some(self.catalogue.registries.get(&purl.kind)?.page(purl))
    }
}

/// What to call an address: the file and line, the issue, the release, or else the host.
fn url_label(url: &str) -> Cow<'_, str> {
    let rest = url.strip_prefix("https://").unwrap_or(url);
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, _query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut segments = path.split('/').filter(|segment| !segment.is_empty()).rev();
    let (last, before) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
    let is_number = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
    let is_code = path.contains("/blob/") || path.contains("/src/");
    match before {
        "issues" if is_number => format!("issue {last}").into(),
        "pull" | "merge_requests" if is_number => format!("pull request {last}").into(),
        "tag" => format!("release {last}").into(),
        "commit" => format!("commit {}", last.get(..10).unwrap_or(last)).into(),
        "tree" => format!("tree {}", last.get(..10).unwrap_or(last)).into(),
        _ if path.contains("/tree/") => format!("{last}/").into(),
        _ if is_code && !last.is_empty() => match fragment.strip_prefix('L').and_then(|lines| lines.split('-').next()) {
            Some(line) if line.bytes().all(|b| b.is_ascii_digit()) => format!("{last}:{line}").into(),
            _ => last.into(),
        },
        _ => host.strip_prefix("www.").unwrap_or(host).into(),
    }
}

/// A state as its mark: the letter of the style sheet's class and the word beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Mark {
    /// One letter: the class of the shape.
    pub mark: &'static str,
    /// The word, which is never left out.
    pub word: &'static str,
}

/// The states, in the order in which they are told.
pub const STATES: [State; 10] = [
    State::Proven,
    State::ProvenAgeing,
    State::Contradicted,
    State::Claimed,
    State::Inherited,
    State::Partial,
    State::Planned,
    State::Removed,
    State::No,
    State::Unknown,
];

impl From<State> for Mark {
    fn from(state: State) -> Mark {
        let (mark, word) = match state {
            State::Proven => ("p", "proven"),
            State::ProvenAgeing => ("s", "proven, ageing"),
            State::Claimed => ("c", "claimed"),
            State::Inherited => ("i", "inherited"),
            State::Partial => ("h", "partial"),
            State::Contradicted => ("x", "contradicted"),
            State::No => ("n", "no"),
            State::Planned => ("l", "planned"),
            State::Removed => ("r", "removed"),
            State::Unknown => ("u", "unknown"),
        };
        Mark { mark, word }
    }
}

impl From<Support> for Mark {
    fn from(support: Support) -> Mark {
        let mark = match support {
            Support::Yes => "c",
            Support::Partial => "h",
            Support::No => "n",
            Support::Planned => "l",
            Support::Removed => "r",
        };
        Mark { mark, word: support.word() }
    }
}

/// A date for a machine and for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct When {
    /// `2026-10-03`, `2026-10` or `2026`.
    pub iso: String,
    /// `3 Oct 2026`, `Oct 2026` or `2026`.
    pub words: String,
}

impl From<PartialDate> for When {
    fn from(date: PartialDate) -> When {
        let month = date.month.and_then(|month| MONTHS.get(usize::try_from(month - 1).unwrap_or(12)));
        let words = match (date.day, month) {
            (Some(day), Some(month)) => format!("{day} {month} {}", date.year),
            (None, Some(month)) => format!("{month} {}", date.year),
            _ => date.year.to_string(),
        };
        When { iso: date.to_string(), words }
    }
}

impl From<jiff::civil::Date> for When {
    fn from(day: jiff::civil::Date) -> When {
        PartialDate { year: day.year(), month: Some(day.month()), day: Some(day.day()) }.into()
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// An age: days up to a year, then years. `12 d`, `2 y`.
pub fn age_short(days: u32) -> String {
    if days <= 365 { format!("{days} d") } else { format!("{} y", days / 365) }
}

/// An age in words: `today`, `1 day`, `12 days`, `1 year`.
pub fn age_words(days: u32) -> String {
    match days {
        0 => "today".to_owned(),
        1 => "1 day".to_owned(),
        2..=365 => format!("{days} days"),
        366..730 => "1 year".to_owned(),
        _ => format!("{} years", days / 365),
    }
}

/// A number in words up to twelve, in digits above.
pub fn count_words(count: usize) -> Cow<'static, str> {
    const WORDS: [&str; 13] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    WORDS.get(count).map_or_else(|| count.to_string().into(), |word| (*word).into())
}

/// A list in words: `a, b and c`.
pub fn list_words(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Starts a sentence.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::table::FromText;

    #[test]
    fn an_address_is_called_by_what_it_shows() {
        for (url, label) in [
            ("https://github.com/o/r/blob/a1b2/kafka/producer.py#L788", "producer.py:788"),
            ("https://github.com/o/r/blob/a1b2/README.rst?plain=1#L6-L9", "README.rst:6"),
            ("https://github.com/o/r/tree/0123456789abcdef0123456789abcdef01234567", "tree 0123456789"),
            ("https://github.com/o/r/tree/a1b2/lib", "lib/"),
            ("https://github.com/o/r/issues/2401", "issue 2401"),
            ("https://github.com/o/r/releases/tag/v1.0", "release v1.0"),
            ("https://www.example.org/", "example.org"),
        ] {
            assert_eq!(url_label(url), label, "{url}");
        }
    }

    #[test]
    fn ages_are_days_up_to_a_year_then_years() {
        assert_eq!([age_short(0), age_short(365), age_short(366), age_short(800)], ["0 d", "365 d", "1 y", "2 y"]);
        assert_eq!([age_words(1), age_words(12), age_words(400)], ["1 day", "12 days", "1 year"]);
    }

    #[test]
    fn dates_are_told_as_far_as_they_are_known() {
        for (date, words) in [("2026-11-30", "30 Nov 2026"), ("2026-10", "Oct 2026"), ("2012", "2012")] {
            assert_eq!(When::from(PartialDate::from_text(date).expect("a date")).words, words);
        }
    }
}
