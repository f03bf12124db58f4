//! `content/languages/<id>.toml`.

use super::{LanguageId, LanguageKind, Line};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, Reader, Table};
use camino::Utf8PathBuf;

/// A programming language, or an interface that needs no library.
#[derive(Debug, Clone)]
pub struct Language {
    /// The file's stem.
    pub id: LanguageId,
    /// "Python".
    pub name: String,
    /// One to three characters for a tile.
    pub symbol: String,
    /// The grammar to highlight with.
    pub highlight: Option<String>,
    /// File name extensions of its source files, without the dot.
    pub extensions: Vec<String>,
    /// Whether it is a language at all.
    pub kind: LanguageKind,
    /// Further words to find it by.
    pub aliases: Vec<String>,
    /// Lower comes first.
    pub order: i64,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

impl Language {
    /// Whether its source files have `extension`, whatever the case.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
    }
}

/// Reads a language; `None` when something is wrong with it.
pub(super) fn parse(id: LanguageId, file: &SourceFile) -> (Option<Language>, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let language = read(id, reader.parse());
    let findings = reader.into_findings();
    (language.filter(|_| !findings.iter().any(Diagnostic::is_error)), findings)
}

/// Reads the table. Asks for every key before it decides anything.
pub(super) fn read(id: LanguageId, mut table: Table<'_, '_>) -> Option<Language> {
    let name = table.require::<Line<40>>(("name", "The language's name."));
    let symbol = table.require::<Line<3>>(("symbol", "One to three characters for a tile."));
    let highlight = table.optional::<Line<40>>(("highlight", "The grammar to highlight its code with."));
    let extensions = table.list::<Extension>(("extensions", "File name extensions of its source files, without the dot."));
    let kind = table.require::<LanguageKind>((
        "kind",
        "`language`: a programming language; `interface`: a way in that needs no library (HTTP, a command line …).",
    ));
    let aliases = table.list::<Line<40>>(("aliases", "Further words to find it by."));
    let order = table.require_integer(("order", "Lower comes first; ties by name."));
    let path = table.reader().file().path.clone();
    table.finish();
    Some(Language {
        id,
        name: name?.value.0,
        symbol: symbol?.value.0,
        highlight: highlight.map(|name| name.value.0),
        extensions: extensions.into_iter().map(|extension| extension.value.0).collect(),
        kind: kind?.value,
        aliases: aliases.into_iter().map(|alias| alias.value.0).collect(),
        order: order?.value,
        path,
    })
}

/// A file name extension without its dot.
struct Extension(String);

impl FromText for Extension {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let fits =
            |text: &str| (1..=16).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+_".contains(&b));
        if fits(text) {
            return Ok(Extension(text.to_owned()));
        }
        let bare = text.trim_start_matches('.');
        Err(Fault::expected("a file name extension without its dot, as `py`").meant(fits(bare).then_some(bare)))
    }

    fn shape() -> TextShape {
        TextShape { pattern: "^[A-Za-z0-9_+]{1,16}$", example: "py", ..TextShape::default() }
    }
}
