//! A reader of TOML tables that reports every fault of a file in one run: missing, unknown and wrongly typed keys, each at its
//! place. Serde would stop at the first.
//!
//! ```
//! # use clientbook::source::{SourceTree, table::Reader};
//! let tree = SourceTree::from_files([("a.toml", "name = 'kafka-python'\nnmae = 1")]);
//! let reader = Reader::new(tree.get("a.toml").expect("just made"));
//! let mut table = reader.parse();
//! let name = table.require::<String>("name");
//! table.finish();
//! assert_eq!(name.map(|n| n.value).as_deref(), Some("kafka-python"));
//! assert_eq!(reader.into_findings().len(), 1); // `nmae` is unknown
//! ```

use super::{SourceFile, Spanned, codes};
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use std::cell::RefCell;
use std::collections::BTreeMap;
use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

/// Why a text is not a value of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What was expected, as a noun phrase: "a date as `2026-11-30`".
    pub expected: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl Fault {
    /// A fault that says what was expected.
    pub fn expected(what: impl Into<String>) -> Self {
        Fault { expected: what.into(), suggestion: None }
    }

    /// A fault for a word that is none of `words`.
    pub fn one_of(typed: &str, words: &[&str]) -> Self {
        let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        Fault { expected: format!("one of {list}"), suggestion: did_you_mean(typed, words.iter().copied()).map(str::to_owned) }
    }
}

/// A type that is written as a TOML string.
pub trait FromText: Sized {
    /// The value that `text` stands for, or why it stands for none.
    fn from_text(text: &str) -> Result<Self, Fault>;
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, Fault> {
        Ok(text.to_owned())
    }
}

/// Reads one file and collects its findings.
pub struct Reader<'f> {
    file: &'f SourceFile,
    /// The part of the file that is TOML: all of it, or a front matter.
    text: &'f str,
    /// Where `text` starts in the file, in bytes.
    offset: usize,
    findings: RefCell<Vec<Diagnostic>>,
}

impl<'f> Reader<'f> {
    /// A reader of a whole file. A file that is no UTF-8 reads as empty (the source tree has reported it).
    pub fn new(file: &'f SourceFile) -> Self {
        Reader { file, text: file.text().unwrap_or_default(), offset: 0, findings: RefCell::default() }
    }

    /// A reader of a part of a file that starts at byte `offset`.
    pub fn part(file: &'f SourceFile, text: &'f str, offset: usize) -> Self {
        Reader { file, text, offset, findings: RefCell::default() }
    }

    /// The top table, as much of it as can be read; syntax errors become findings.
    pub fn parse(&self) -> Table<'_, 'f> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            self.report(Diagnostic::new(&codes::SYNTAX, error.message().trim().to_owned()).at(
                &self.file.path,
                self.place(span),
                "here",
            ));
        }
        Table {
            reader: self,
            span: self.place(0..0),
            entries: table.into_inner().into_iter().map(entry).collect(),
            asked: Vec::new(),
        }
    }

    /// The file being read.
    pub fn file(&self) -> &'f SourceFile {
        self.file
    }

    /// Adds a finding.
    pub fn report(&self, finding: Diagnostic) {
        self.findings.borrow_mut().push(finding);
    }

    /// Adds a finding of kind `code` at `span`.
    pub fn report_at(
        &self,
        code: &'static crate::diagnostic::Code,
        title: impl Into<String>,
        span: Span,
        why: impl Into<String>,
    ) {
        self.report(Diagnostic::new(code, title).at(&self.file.path, span, why));
    }

    /// What was found.
    pub fn into_findings(self) -> Vec<Diagnostic> {
        self.findings.into_inner()
    }

    fn place(&self, range: std::ops::Range<usize>) -> Span {
        Span::from(range.start + self.offset..range.end + self.offset)
    }
}

type Entries<'f> = BTreeMap<String, (Span, TomlSpanned<DeValue<'f>>)>;

fn entry<'f>(
    (key, value): (TomlSpanned<toml::de::DeString<'f>>, TomlSpanned<DeValue<'f>>),
) -> (String, (Span, TomlSpanned<DeValue<'f>>)) {
    let span = Span::from(key.span());
    (key.into_inner().into_owned(), (span, value))
}

/// A table being read. Each key is taken out as it is asked for; [`finish`](Table::finish) reports what is left.
pub struct Table<'r, 'f> {
    reader: &'r Reader<'f>,
    span: Span,
    entries: Entries<'f>,
    asked: Vec<&'static str>,
}

impl<'r, 'f> Table<'r, 'f> {
    /// Where the table stands (its header, or its braces).
    pub fn span(&self) -> Span {
        self.span
    }

    /// The reader that collects the findings.
    pub fn reader(&self) -> &'r Reader<'f> {
        self.reader
    }

    /// A string under `key`, if it is there and of its type.
    pub fn optional<T: FromText>(&mut self, key: &'static str) -> Option<Spanned<T>> {
        let (_, value) = self.take(key)?;
        self.text(&value)
    }

    /// A string under `key`; its absence is a finding.
    pub fn require<T: FromText>(&mut self, key: &'static str) -> Option<Spanned<T>> {
        if !self.entries.contains_key(key) {
            self.asked.push(key);
            self.missing(key);
            return None;
        }
        self.optional(key)
    }

    /// An array of strings under `key`; absent reads as empty. Members that are not of their type are findings.
    pub fn list<T: FromText>(&mut self, key: &'static str) -> Vec<Spanned<T>> {
        let Some((_, value)) = self.take(key) else { return Vec::new() };
        match value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|item| self.text(item)).collect(),
            _ => {
                self.wrong_type(&value, "an array of strings");
                Vec::new()
            }
        }
    }

    /// An array of strings under `key`; absence is a finding.
    pub fn require_list<T: FromText>(&mut self, key: &'static str) -> Vec<Spanned<T>> {
        if !self.entries.contains_key(key) {
            self.missing(key);
        }
        self.list(key)
    }

    /// A whole number under `key`.
    pub fn integer(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let (_, value) = self.take(key)?;
        match value.get_ref().as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok()) {
            Some(number) => Some(Spanned { value: number, span: self.reader.place(value.span()) }),
            None => {
                self.wrong_type(&value, "a whole number");
                None
            }
        }
    }

    /// A whole number under `key`; absence is a finding.
    pub fn require_integer(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        if !self.entries.contains_key(key) {
            self.asked.push(key);
            self.missing(key);
            return None;
        }
        self.integer(key)
    }

    /// An array of whole numbers under `key`; absent reads as empty.
    pub fn integers(&mut self, key: &'static str) -> Vec<Spanned<i64>> {
        let Some((_, value)) = self.take(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(&value, "an array of whole numbers");
            return Vec::new();
        };
        let mut numbers = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok()) {
                Some(number) => numbers.push(Spanned { value: number, span: self.reader.place(item.span()) }),
                None => self.wrong_type(item, "a whole number"),
            }
        }
        numbers
    }

    /// A table under `key`.
    pub fn table(&mut self, key: &'static str) -> Option<Table<'r, 'f>> {
        let (name, value) = self.take(key)?;
        self.as_table(name, value)
    }

    /// A table under `key`; absence is a finding.
    pub fn require_table(&mut self, key: &'static str) -> Option<Table<'r, 'f>> {
        if !self.entries.contains_key(key) {
            self.asked.push(key);
            self.missing(key);
            return None;
        }
        self.table(key)
    }

    /// An array of tables under `key`; absent reads as empty.
    pub fn tables(&mut self, key: &'static str) -> Vec<Table<'r, 'f>> {
        let Some((name, value)) = self.take(key) else { return Vec::new() };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items.into_iter().filter_map(|item| self.as_table(name, item)).collect(),
            other => {
                self.wrong_type(&TomlSpanned::new(span, other), "an array of tables");
                Vec::new()
            }
        }
    }

    /// Every entry that is left, as tables by their key: for tables whose keys are data.
    pub fn each_table(&mut self) -> Vec<(Spanned<String>, Table<'r, 'f>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, (name, value))| {
                let table = self.as_table(name, value)?;
                Some((Spanned { value: key, span: self.reader.place(name.range()) }, table))
            })
            .collect()
    }

    /// Every entry that is left, as strings by their key: for tables whose keys are data.
    pub fn each_text<T: FromText>(&mut self) -> Vec<(Spanned<String>, Spanned<T>)> {
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, (name, value))| {
                Some((Spanned { value: key, span: self.reader.place(name.range()) }, self.text(&value)?))
            })
            .collect()
    }

    /// Reports every key that nobody asked for.
    pub fn finish(self) {
        for (key, (name, _)) in &self.entries {
            let span = self.reader.place(name.range());
            let meant = did_you_mean(key, self.asked.iter().copied());
            let mut finding = Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown key `{key}`")).at(
                &self.reader.file.path,
                span,
                "not a key of this table",
            );
            finding = match meant {
                Some(meant) => finding.help(format!("did you mean `{meant}`?")).fix(&self.reader.file.path, span, meant),
                None => finding.help(format!(
                    "the keys of this table are {}",
                    self.asked.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
                )),
            };
            self.reader.report(finding);
        }
    }

    fn take(&mut self, key: &'static str) -> Option<(Span, TomlSpanned<DeValue<'f>>)> {
        self.asked.push(key);
        self.entries.remove(key)
    }

    fn as_table(&self, name: Span, value: TomlSpanned<DeValue<'f>>) -> Option<Table<'r, 'f>> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Table {
                reader: self.reader,
                span: self.reader.place(if span.is_empty() { name.range() } else { span }),
                entries: table.into_iter().map(entry).collect(),
                asked: Vec::new(),
            }),
            other => {
                self.wrong_type(&TomlSpanned::new(span, other), "a table");
                None
            }
        }
    }

    fn text<T: FromText>(&self, value: &TomlSpanned<DeValue<'f>>) -> Option<Spanned<T>> {
        let span = self.reader.place(value.span());
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(value, "a string");
            return None;
        };
        match T::from_text(text) {
            Ok(value) => Some(Spanned { value, span }),
            Err(fault) => {
                let mut finding = Diagnostic::new(&codes::BAD_VALUE, format!("`{text}` is not {}", fault.expected)).at(
                    &self.reader.file.path,
                    span,
                    format!("expected {}", fault.expected),
                );
                if let Some(meant) = fault.suggestion {
                    finding = finding.help(format!("did you mean `{meant}`?")).fix(
                        &self.reader.file.path,
                        span,
                        format!("\"{meant}\""),
                    );
                }
                self.reader.report(finding);
                None
            }
        }
    }

    fn wrong_type(&self, value: &TomlSpanned<DeValue<'_>>, expected: &str) {
        let found = value.get_ref().type_str();
        self.reader.report(Diagnostic::new(&codes::WRONG_TYPE, format!("expected {expected}, found {found}")).at(
            &self.reader.file.path,
            self.reader.place(value.span()),
            format!("this is {found}"),
        ));
    }

    fn missing(&self, key: &str) {
        self.reader.report(Diagnostic::new(&codes::MISSING_KEY, format!("the key `{key}` is missing")).at(
            &self.reader.file.path,
            self.span,
            format!("this table needs `{key}`"),
        ));
    }
}
