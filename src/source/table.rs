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

use super::shape::{DraftKind, Key, Kind, Shape, Sketch, TextShape};
use super::{SourceFile, Spanned, codes};
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean, is_hidden};
use camino::Utf8PathBuf;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

/// Why a text is not a value of its type.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What was expected, as a noun phrase: "a date as `2026-11-30`".
    pub expected: String,
    /// What was probably meant; becomes a fix.
    pub suggestion: Option<String>,
    /// A kind of finding of its own, and its title; otherwise it is a [`codes::BAD_VALUE`].
    pub kind: Option<(&'static Code, String)>,
}

impl Fault {
    /// A fault that says what was expected.
    pub fn expected(what: impl Into<String>) -> Self {
        Fault { expected: what.into(), suggestion: None, kind: None }
    }

    /// A fault for a word that is none of `words`.
    pub fn one_of(typed: &str, words: &[&str]) -> Self {
        let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        Fault::expected(format!("one of {list}")).meant(did_you_mean(typed, words.iter().copied()))
    }

    /// Makes it a finding of kind `code`, headed `title`.
    #[must_use]
    pub fn of_kind(mut self, code: &'static Code, title: impl Into<String>) -> Self {
        self.kind = Some((code, title.into()));
        self
    }

    /// Says what was probably meant.
    #[must_use]
    pub fn meant(mut self, suggestion: Option<impl Into<String>>) -> Self {
        self.suggestion = suggestion.map(Into::into);
        self
    }
}

/// A type that is written as a TOML string.
pub trait FromText: Sized {
    /// The value that `text` stands for, or why it stands for none.
    fn from_text(text: &str) -> Result<Self, Fault>;

    /// What may stand there, for schemas.
    fn shape() -> TextShape {
        TextShape::default()
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, Fault> {
        Ok(text.to_owned())
    }
}

/// `text` as a TOML string.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// `text` for a title: what is hidden in it written out, on one line, and not longer than 80 characters.
pub fn shown(text: &str) -> String {
    shown_up_to(text, 80)
}

/// As [`shown`], with another limit.
pub fn shown_up_to(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == max {
            out.push('…');
            break;
        }
        if is_hidden(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// Reads one file and collects its findings.
pub struct Reader<'f> {
    file: &'f SourceFile,
    /// The part of the file that is TOML: all of it, or a front matter.
    text: &'f str,
    /// Where `text` starts in the file, in bytes.
    offset: usize,
    findings: RefCell<Vec<Diagnostic>>,
    /// Whether the syntax is broken: then a key may be missing only because it could not be read.
    broken: Cell<bool>,
}

impl<'f> Reader<'f> {
    /// A reader of a whole file. A file that is no UTF-8 reads as empty (the source tree has reported it).
    pub fn new(file: &'f SourceFile) -> Self {
        Reader::part(file, file.text().unwrap_or_default(), 0)
    }

    /// A reader of a part of a file that starts at byte `offset`.
    pub fn part(file: &'f SourceFile, text: &'f str, offset: usize) -> Self {
        Reader { file, text, offset, findings: RefCell::default(), broken: Cell::new(false) }
    }

    /// The top table, as much of it as can be read; syntax errors become findings.
    pub fn parse(&self) -> Table<'_, 'f> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            self.broken.set(true);
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim();
            let title = if message.is_empty() { "TOML that does not parse" } else { message };
            self.report(Diagnostic::new(&codes::SYNTAX, title).at(&self.file.path, self.place(span), "here"));
        }
        Table {
            reader: self,
            span: self.place(0..0),
            entries: entries(table.into_inner()),
            asked: Vec::new(),
            found: Vec::new(),
            missing: Vec::new(),
            sketch: None,
        }
    }

    /// What `read` asks of a table.
    pub fn describe(read: impl FnOnce(Table<'_, '_>)) -> Shape {
        let file = SourceFile { path: Utf8PathBuf::new(), bytes: Vec::new().into() };
        let reader = Reader::part(&file, "", 0);
        let sketch = Sketch::default();
        read(Table {
            reader: &reader,
            span: Span::default(),
            entries: Entries::new(),
            asked: Vec::new(),
            found: Vec::new(),
            missing: Vec::new(),
            sketch: Some(sketch.clone()),
        });
        sketch.finish()
    }

    /// The file being read.
    pub fn file(&self) -> &'f SourceFile {
        self.file
    }

    /// The text being read: all of the file, or a front matter.
    pub fn text(&self) -> &'f str {
        self.text
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

type Entries<'f> = BTreeMap<Cow<'f, str>, (Span, TomlSpanned<DeValue<'f>>)>;

fn entries(table: DeTable<'_>) -> Entries<'_> {
    table
        .into_iter()
        .map(|(key, value)| {
            let span = Span::from(key.span());
            (key.into_inner(), (span, value))
        })
        .collect()
}

/// A table being read. Each key is taken out as it is asked for; [`finish`](Table::finish) reports what is left.
pub struct Table<'r, 'f> {
    reader: &'r Reader<'f>,
    span: Span,
    entries: Entries<'f>,
    asked: Vec<&'static str>,
    /// Those that were there.
    found: Vec<&'static str>,
    /// Required ones that were not.
    missing: Vec<&'static str>,
    /// Set where the table is to be described, not read.
    sketch: Option<Sketch>,
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
    pub fn optional<T: FromText>(&mut self, key: impl Into<Key>) -> Option<Spanned<T>> {
        let (_, value) = self.take(key.into(), false, DraftKind::Plain(Kind::Text(T::shape())))?;
        self.text(&value)
    }

    /// A string under `key`; its absence is a finding.
    pub fn require<T: FromText>(&mut self, key: impl Into<Key>) -> Option<Spanned<T>> {
        let (_, value) = self.take(key.into(), true, DraftKind::Plain(Kind::Text(T::shape())))?;
        self.text(&value)
    }

    /// An array of strings under `key`; absent reads as empty. Members that are not of their type are findings.
    pub fn list<T: FromText>(&mut self, key: impl Into<Key>) -> Vec<Spanned<T>> {
        let value = self.take(key.into(), false, DraftKind::Plain(Kind::List(T::shape(), 0)));
        self.texts(value)
    }

    /// An array of strings under `key`; absence is a finding.
    pub fn require_list<T: FromText>(&mut self, key: impl Into<Key>) -> Vec<Spanned<T>> {
        let value = self.take(key.into(), true, DraftKind::Plain(Kind::List(T::shape(), 0)));
        self.texts(value)
    }

    /// An array of at least one string under `key`; absence and emptiness are findings.
    pub fn require_some<T: FromText>(&mut self, key: impl Into<Key>) -> Vec<Spanned<T>> {
        let value = self.take(key.into(), true, DraftKind::Plain(Kind::List(T::shape(), 1)));
        if let Some((_, value)) = &value
            && value.get_ref().as_array().is_some_and(|items| items.is_empty())
        {
            self.reader.report_at(&codes::EMPTY_LIST, "an empty list", self.reader.place(value.span()), "expected at least one");
        }
        self.texts(value)
    }

    /// A whole number under `key`.
    pub fn integer(&mut self, key: impl Into<Key>) -> Option<Spanned<i64>> {
        let (_, value) = self.take(key.into(), false, DraftKind::Plain(Kind::Integer))?;
        self.number(&value)
    }

    /// A whole number under `key`; absence is a finding.
    pub fn require_integer(&mut self, key: impl Into<Key>) -> Option<Spanned<i64>> {
        let (_, value) = self.take(key.into(), true, DraftKind::Plain(Kind::Integer))?;
        self.number(&value)
    }

    /// An array of whole numbers under `key`; absent reads as empty.
    pub fn integers(&mut self, key: impl Into<Key>) -> Vec<Spanned<i64>> {
        let value = self.take(key.into(), false, DraftKind::Plain(Kind::Integers));
        self.array(value, "an array of whole numbers").iter().filter_map(|item| self.number(item)).collect()
    }

    /// A table under `key`.
    pub fn table(&mut self, key: impl Into<Key>) -> Option<Table<'r, 'f>> {
        self.inner_table(key.into(), false)
    }

    /// A table under `key`; absence is a finding.
    pub fn require_table(&mut self, key: impl Into<Key>) -> Option<Table<'r, 'f>> {
        self.inner_table(key.into(), true)
    }

    /// An array of tables under `key`; absent reads as empty.
    pub fn tables(&mut self, key: impl Into<Key>) -> Vec<Table<'r, 'f>> {
        self.inner_tables(key.into(), false)
    }

    /// An array of tables under `key`; absence is a finding.
    pub fn require_tables(&mut self, key: impl Into<Key>) -> Vec<Table<'r, 'f>> {
        self.inner_tables(key.into(), true)
    }

    /// Every entry that is left, as tables by their key: for tables whose keys are data. In the order of the keys.
    pub fn each_table<K: FromText>(&mut self) -> Vec<(Spanned<K>, Table<'r, 'f>)> {
        if let Some(sketch) = &self.sketch {
            let inner = Sketch::default();
            sketch.each(K::shape(), DraftKind::Table(inner.clone()));
            let example = Spanned { value: K::from_text(K::shape().example), span: self.span };
            let table = self.described(inner);
            return example.value.ok().map(|value| (Spanned { value, span: example.span }, table)).into_iter().collect();
        }
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, (name, value))| {
                let key = self.key(&key, name);
                let table = self.as_table(name, value)?;
                Some((key?, table))
            })
            .collect()
    }

    /// Every entry that is left, as strings by their key: for tables whose keys are data. In the order of the keys.
    pub fn each_text<K: FromText, T: FromText>(&mut self) -> Vec<(Spanned<K>, Spanned<T>)> {
        if let Some(sketch) = &self.sketch {
            sketch.each(K::shape(), DraftKind::Plain(Kind::Text(T::shape())));
        }
        let entries = std::mem::take(&mut self.entries);
        entries
            .into_iter()
            .filter_map(|(key, (name, value))| {
                let key = self.key(&key, name);
                let text = self.text(&value)?;
                Some((key?, text))
            })
            .collect()
    }

    /// Reports every key that nobody asked for, and every required one that is not there. One that is only misspelt is the
    /// first kind, not both.
    pub fn finish(mut self) {
        let path = &self.reader.file.path;
        for (key, (name, _)) in &self.entries {
            let span = self.reader.place(name.range());
            let finding = Diagnostic::new(&codes::UNKNOWN_KEY, format!("unknown key `{}`", shown(key)));
            let finding = finding.at(path, span, "not a key of this table");
            let absent = self.asked.iter().copied().filter(|asked| !self.found.contains(asked));
            self.reader.report(match did_you_mean(key, absent) {
                Some(meant) => {
                    self.missing.retain(|missing| *missing != meant);
                    finding.help(format!("did you mean `{meant}`?")).fix(path, span, meant)
                }
                None => {
                    let keys = self.asked.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                    finding.help(format!("the keys of this table are {keys}"))
                }
            });
        }
        if self.reader.broken.get() {
            return;
        }
        for key in &self.missing {
            let finding = Diagnostic::new(&codes::MISSING_KEY, format!("the key `{key}` is missing"));
            self.reader.report(finding.at(path, self.span, format!("this table needs `{key}`")));
        }
    }

    fn take(&mut self, key: Key, required: bool, kind: DraftKind) -> Option<(Span, TomlSpanned<DeValue<'f>>)> {
        self.asked.push(key.name);
        if let Some(sketch) = &self.sketch {
            sketch.key(key, required, kind);
            return None;
        }
        let found = self.entries.remove(key.name);
        match found {
            Some(_) => self.found.push(key.name),
            None if required => self.missing.push(key.name),
            None => {}
        }
        found
    }

    fn inner_table(&mut self, key: Key, required: bool) -> Option<Table<'r, 'f>> {
        if self.sketch.is_some() {
            let inner = Sketch::default();
            self.take(key, required, DraftKind::Table(inner.clone()));
            return Some(self.described(inner));
        }
        let (name, value) = self.take(key, required, DraftKind::Plain(Kind::Integer))?;
        self.as_table(name, value)
    }

    fn inner_tables(&mut self, key: Key, required: bool) -> Vec<Table<'r, 'f>> {
        if self.sketch.is_some() {
            let inner = Sketch::default();
            self.take(key, required, DraftKind::Tables(inner.clone()));
            return vec![self.described(inner)];
        }
        let value = self.take(key, required, DraftKind::Plain(Kind::Integer));
        let name = value.as_ref().map(|(name, _)| *name).unwrap_or_default();
        self.array(value, "an array of tables").into_iter().filter_map(|item| self.as_table(name, item)).collect()
    }

    fn described(&self, sketch: Sketch) -> Table<'r, 'f> {
        Table {
            reader: self.reader,
            span: self.span,
            entries: Entries::new(),
            asked: Vec::new(),
            found: Vec::new(),
            missing: Vec::new(),
            sketch: Some(sketch),
        }
    }

    fn as_table(&self, name: Span, value: TomlSpanned<DeValue<'f>>) -> Option<Table<'r, 'f>> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Table {
                reader: self.reader,
                span: self.reader.place(if span.is_empty() { name.range() } else { span }),
                entries: entries(table),
                asked: Vec::new(),
                found: Vec::new(),
                missing: Vec::new(),
                sketch: None,
            }),
            other => {
                self.wrong_type(&TomlSpanned::new(span, other), "a table");
                None
            }
        }
    }

    fn array(&self, value: Option<(Span, TomlSpanned<DeValue<'f>>)>, expected: &str) -> Vec<TomlSpanned<DeValue<'f>>> {
        let Some((_, value)) = value else { return Vec::new() };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items.into_iter().collect(),
            other => {
                self.wrong_type(&TomlSpanned::new(span, other), expected);
                Vec::new()
            }
        }
    }

    fn texts<T: FromText>(&self, value: Option<(Span, TomlSpanned<DeValue<'f>>)>) -> Vec<Spanned<T>> {
        self.array(value, "an array of strings").iter().filter_map(|item| self.text(item)).collect()
    }

    fn number(&self, value: &TomlSpanned<DeValue<'f>>) -> Option<Spanned<i64>> {
        match value.get_ref().as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok()) {
            Some(number) => Some(Spanned { value: number, span: self.reader.place(value.span()) }),
            None => {
                self.wrong_type(value, "a whole number");
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
        T::from_text(text).map(|value| Spanned { value, span }).map_err(|fault| self.fault(text, fault, span, quoted)).ok()
    }

    fn key<K: FromText>(&self, key: &str, name: Span) -> Option<Spanned<K>> {
        let span = self.reader.place(name.range());
        K::from_text(key).map(|value| Spanned { value, span }).map_err(|fault| self.fault(key, fault, span, str::to_owned)).ok()
    }

    fn fault(&self, text: &str, fault: Fault, span: Span, write: impl Fn(&str) -> String) {
        let (code, title) =
            fault.kind.unwrap_or_else(|| (&codes::BAD_VALUE, format!("`{}` is not {}", shown(text), fault.expected)));
        let path = &self.reader.file.path;
        let mut finding = Diagnostic::new(code, title).at(path, span, format!("expected {}", fault.expected));
        if let Some(meant) = fault.suggestion {
            finding = finding.help(format!("did you mean `{}`?", shown(&meant))).fix(path, span, write(&meant));
        }
        self.reader.report(finding);
    }

    fn wrong_type(&self, value: &TomlSpanned<DeValue<'_>>, expected: &str) {
        let found = value.get_ref().type_str();
        self.reader.report(Diagnostic::new(&codes::WRONG_TYPE, format!("expected {expected}, found {found}")).at(
            &self.reader.file.path,
            self.reader.place(value.span()),
            format!("this is {found}"),
        ));
    }
}
