//! Findings: what is wrong, where, and how to mend it. Imports nothing of ours and knows no word of the domain.
//!
//! A room owns its codes: it declares them with [`codes!`] and makes a [`Diagnostic`] from one. No stage stops at its first
//! finding; each returns a value and a `Vec<Diagnostic>` beside it.

mod fix;
mod human;
mod machine;
mod report;
mod text;

pub use fix::fixed;
pub use report::{Format, render, summary, tidy};
pub use text::{Lines, NoTexts, Position, Texts, is_hidden, visible};

use camino::{Utf8Path, Utf8PathBuf};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The entry is left out, and a command ends with a non-zero exit code.
    Error,
    /// The entry stays; somebody should look.
    Warning,
}

/// One kind of finding, with an identity that never changes.
#[derive(Debug)]
pub struct Code {
    /// `CB` and three digits; never used again for something else.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One line, lower case, without a full stop.
    pub summary: &'static str,
    /// Markdown for `clientbook explain`: what it means, a wrong input, a right one.
    pub explanation: &'static str,
}

/// Declares a room's codes as constants and collects them in `ALL`. The explanation of each is the file
/// `codes/<id>.md` beside the caller.
#[macro_export]
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $severity:ident, $summary:literal;)*) => {
        $($(#[$doc])* pub const $name: $crate::diagnostic::Code = $crate::diagnostic::Code {
            id: $id,
            severity: $crate::diagnostic::Severity::$severity,
            summary: $summary,
            explanation: include_str!(concat!("codes/", $id, ".md")),
        };)*
        /// Every code of this room, in the order of their ids.
        pub const ALL: &[&$crate::diagnostic::Code] = &[$(&$name),*];
    };
}

/// A range of bytes in a file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span as a range that indexes a `str`.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clamp(range.start), end: clamp(range.end) }
    }
}

/// A place, and why it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The file, relative to the catalogue's root.
    pub path: Utf8PathBuf,
    /// The bytes meant; `None` means the file as a whole.
    pub span: Option<Span>,
    /// Why this place is shown; may be empty.
    pub text: String,
}

/// A mechanical mend: replace the bytes at `span` of `path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The file, relative to the catalogue's root.
    pub path: Utf8PathBuf,
    /// The bytes to replace.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// One finding.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// Which kind.
    pub code: &'static Code,
    /// What is wrong, literals in backticks.
    pub title: String,
    /// Where; the first label is the place that counts.
    pub labels: Vec<Label>,
    /// What to do.
    pub help: Option<String>,
    /// What was done meanwhile, or what else is known.
    pub notes: Vec<String>,
    /// The mend, where it is certain.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding of kind `code`; add places with [`at`](Self::at) or [`in_file`](Self::in_file).
    pub fn new(code: &'static Code, title: impl Into<String>) -> Self {
        Diagnostic { code, title: title.into(), labels: Vec::new(), help: None, notes: Vec::new(), fix: None }
    }

    /// Adds a place with the reason for showing it.
    #[must_use]
    pub fn at(mut self, path: &Utf8Path, span: impl Into<Span>, text: impl Into<String>) -> Self {
        self.labels.push(Label { path: path.to_owned(), span: Some(span.into()), text: text.into() });
        self
    }

    /// Adds a whole file as the place.
    #[must_use]
    pub fn in_file(mut self, path: &Utf8Path) -> Self {
        self.labels.push(Label { path: path.to_owned(), span: None, text: String::new() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says what was done meanwhile, or what else is known.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds the mend, where it is certain: replace `span` of `path`.
    #[must_use]
    pub fn fix(mut self, path: &Utf8Path, span: impl Into<Span>, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { path: path.to_owned(), span: span.into(), replacement: replacement.into() });
        self
    }

    /// Whether the entry concerned had to be left out.
    pub fn is_error(&self) -> bool {
        self.code.severity == Severity::Error
    }

    /// The first label's file, if there is one.
    pub fn path(&self) -> Option<&Utf8Path> {
        self.labels.first().map(|label| label.path.as_path())
    }
}

/// The nearest of `candidates` to `typed`, when it is near enough to be what was meant.
pub fn did_you_mean<'c>(typed: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&typed.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
