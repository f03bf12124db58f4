//! `clientbook.toml`.

use super::{HttpsUrl, LanguageId, Line, Placed, Text, codes};
use crate::diagnostic::{Diagnostic, Span};
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, Reader, Table, shown};
use crate::source::{SourceFile, Spanned};

/// `clientbook.toml`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The book's name.
    pub title: String,
    /// What the clients are clients of: "Apache Kafka".
    pub subject: String,
    /// One sentence for search engines and feeds.
    pub description: String,
    /// Where the site will stand; ends in `/`.
    pub base_url: HttpsUrl,
    /// Address at which a source file is edited, with `{path}`; `None`: no edit links.
    pub edit_url: Option<String>,
    /// BCP 47 tag of the prose.
    pub language: String,
    /// After how many days a proof counts as ageing.
    pub proof_days: u32,
    /// After how many days a manifest counts as unchecked.
    pub checked_days: u32,
    /// Printed at the foot of every page.
    pub trademark: Option<String>,
    /// The main menu, in order.
    pub menu: Vec<MenuItem>,
    /// The home page's words.
    pub home: Home,
}

/// A titled path of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuItem {
    /// What is shown.
    pub title: String,
    /// A path of the site, from `/`; may end in a fragment.
    pub path: String,
    /// Where it stands in `clientbook.toml`.
    pub span: Span,
}

/// The home page's words.
#[derive(Debug, Clone)]
pub struct Home {
    /// The heading.
    pub heading: String,
    /// The paragraph below it.
    pub lead: String,
    /// Languages that get a tile, in order; the others are listed below.
    pub featured_languages: Vec<LanguageId>,
    /// Short cuts below the search box.
    pub needs: Vec<MenuItem>,
}

/// Settings whose references are not checked yet.
#[derive(Debug)]
pub(super) struct RawSettings {
    /// Without `featured_languages`; `None` when something else is wrong.
    pub settings: Option<Settings>,
    pub featured_languages: Vec<Placed<LanguageId>>,
}

/// Reads `clientbook.toml`.
pub(super) fn parse(file: &SourceFile) -> (RawSettings, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let (settings, featured_languages) = read(reader.parse());
    let findings = reader.into_findings();
    let settings = settings.filter(|_| !findings.iter().any(Diagnostic::is_error));
    (RawSettings { settings, featured_languages }, findings)
}

/// Reads the table. Asks for every key before it decides anything.
pub(super) fn read(mut table: Table<'_, '_>) -> (Option<Settings>, Vec<Placed<LanguageId>>) {
    let title = table.require::<Line<60>>(("title", "The book's name."));
    let subject = table.require::<Line<60>>(("subject", "What the clients are clients of."));
    let description = table.require::<Line<300>>(("description", "One sentence for search engines and feeds."));
    let base_url = table.require::<BaseUrl>(("base-url", "Where the site will stand; ends in `/`."));
    let edit_url = table.optional::<EditUrl>(("edit-url", "Where a source file is edited; `{path}` stands for its path."));
    let language = table.require::<Tag>(("language", "BCP 47 tag of the prose."));
    let (proof_days, checked_days) = read_staleness(table.table(("staleness", "After how many days facts grow old.")));
    let trademark = table.table(("trademark", "What is to be said of names.")).and_then(|mut table| {
        let text = table.require::<Text<500>>(("text", "Printed at the foot of every page."));
        table.finish();
        text
    });
    let menu = table.tables(("menu", "The main menu, in order.")).into_iter().map(read_item).collect::<Option<Vec<_>>>();
    let (home, featured) = match table.require_table(("home", "The home page's words.")) {
        Some(table) => read_home(table),
        None => (None, Vec::new()),
    };
    table.finish();
    let settings = (|| {
        Some(Settings {
            title: title?.value.0,
            subject: subject?.value.0,
            description: description?.value.0,
            base_url: base_url?.value.0,
            edit_url: edit_url.map(|url| url.value.0),
            language: language?.value.0,
            proof_days,
            checked_days,
            trademark: trademark.map(|text| text.value.0),
            menu: menu?,
            home: home?,
        })
    })();
    (settings, featured)
}

fn read_staleness(table: Option<Table<'_, '_>>) -> (u32, u32) {
    let Some(mut table) = table else { return (180, 365) };
    let reader = table.reader();
    let days = |days: Option<Spanned<i64>>, default: u32| match days.map(|days| (u32::try_from(days.value), days.span)) {
        Some((Ok(days @ 1..=36_500), _)) => days,
        Some((_, span)) => {
            reader.report_at(
                &crate::source::codes::BAD_VALUE,
                "a number of days that makes no sense",
                span,
                "expected 1 to 36500",
            );
            default
        }
        None => default,
    };
    let proof = days(table.integer(("proof-days", "After how many days a proof counts as ageing; 180 if absent.")), 180);
    let checked =
        days(table.integer(("checked-days", "After how many days a manifest counts as unchecked; 365 if absent.")), 365);
    table.finish();
    (proof, checked)
}

fn read_home(mut table: Table<'_, '_>) -> (Option<Home>, Vec<Placed<LanguageId>>) {
    let heading = table.require::<Line<120>>(("heading", "The heading."));
    let lead = table.require::<Line<500>>(("lead", "The paragraph below it."));
    let featured = table.list::<LanguageId>(("featured-languages", "Languages that get a tile, in order."));
    let needs =
        table.tables(("needs", "Short cuts below the search box.")).into_iter().map(read_item).collect::<Option<Vec<_>>>();
    table.finish();
    let home =
        (|| Some(Home { heading: heading?.value.0, lead: lead?.value.0, featured_languages: Vec::new(), needs: needs? }))();
    (home, featured)
}

fn read_item(mut table: Table<'_, '_>) -> Option<MenuItem> {
    let title = table.require::<Line<60>>(("title", "What is shown."));
    let path = table.require::<SitePath>(("path", "A path of the site, from `/`; may end in a fragment."));
    table.finish();
    let path = path?;
    Some(MenuItem { title: title?.value.0, path: path.value.0, span: path.span })
}

/// An `https:` address that ends in `/`.
struct BaseUrl(HttpsUrl);

impl FromText for BaseUrl {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let url = HttpsUrl::from_text(text)?;
        if url.as_str().ends_with('/') && !url.as_str().contains(['?', '#']) {
            return Ok(BaseUrl(url));
        }
        let bare = url.as_str().split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Err(Fault::expected("an `https:` address that ends in `/`, without `?` or `#`")
            .of_kind(&codes::BASE_URL, format!("`{}` does not end in `/`", shown(text)))
            .meant(Some(format!("{bare}/"))))
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^https://[^/?#]+/([^?#]*/)?$", example: "https://clients.example/", ..TextShape::default() }
    }
}

/// An `https:` address with `{path}`.
struct EditUrl(String);

impl FromText for EditUrl {
    fn from_text(text: &str) -> Result<Self, Fault> {
        HttpsUrl::from_text(&text.replace("{path}", "path"))?;
        if text.matches("{path}").count() == 1 && !text.replace("{path}", "").contains(['{', '}']) {
            return Ok(EditUrl(text.to_owned()));
        }
        Err(Fault::expected("an `https:` address that holds `{path}` once and no other placeholder")
            .of_kind(&codes::EDIT_URL, format!("`{}` does not say where the path belongs", shown(text))))
    }

    fn shape() -> TextShape {
        TextShape {
            pattern: "^https://[^/]+/.*\\{path\\}",
            example: "https://git.example/book/edit/main/{path}",
            ..TextShape::default()
        }
    }
}

/// A path of the site, perhaps with a fragment.
struct SitePath(String);

impl FromText for SitePath {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fits = text.starts_with('/')
            && !text.starts_with("//")
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-._~#".contains(&b))
            && !text.split(['/', '#']).any(|segment| segment == "..");
        if fits {
            return Ok(SitePath(text.to_owned()));
        }
        let mended = format!("/{}", text.trim_start_matches('/'));
        Err(Fault::expected("a path of the site that starts with `/`, as `/clients/`")
            .of_kind(&codes::MENU_PATH, format!("`{}` is not a path of the site", shown(text)))
            .meant((mended != text && !text.contains([':', '\\']) && SitePath::from_text(&mended).is_ok()).then_some(mended)))
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^/([A-Za-z0-9._~#-][A-Za-z0-9/._~#-]*)?$", example: "/clients/", ..TextShape::default() }
    }
}

/// A BCP 47 tag, by its form.
struct Tag(String);

impl FromText for Tag {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let mut parts = text.split('-');
        let first =
            parts.next().is_some_and(|part| (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_lowercase()));
        let rest = parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()));
        if first && rest { Ok(Tag(text.to_owned())) } else { Err(Fault::expected("a language tag as `en` or `pt-BR`")) }
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$", example: "en", ..TextShape::default() }
    }
}
