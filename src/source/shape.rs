//! What a table may hold, written down by running its reader: [`Table`](super::table::Table) asks for keys, and where it is
//! told to describe instead of to read, each question becomes a [`Key`] with its [`Kind`]. So a schema cannot part from the
//! reader: it *is* the reader's list of questions.

use std::cell::RefCell;
use std::rc::Rc;

/// A key and what is said of it in editors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// One or two sentences; may be empty.
    pub doc: &'static str,
}

impl From<&'static str> for Key {
    fn from(name: &'static str) -> Self {
        Key { name, doc: "" }
    }
}

impl From<(&'static str, &'static str)> for Key {
    fn from((name, doc): (&'static str, &'static str)) -> Self {
        Key { name, doc }
    }
}

/// What may stand in a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextShape {
    /// The only values, where the list is closed.
    pub words: &'static [&'static str],
    /// A regular expression (ECMA 262) that holds of every value.
    pub pattern: &'static str,
    /// The fewest characters.
    pub length_min: usize,
    /// The most characters.
    pub length_max: Option<usize>,
    /// One value, as an example.
    pub example: &'static str,
}

/// What may stand under a key.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A string.
    Text(TextShape),
    /// An array of strings, and how many it has at least.
    List(TextShape, usize),
    /// A whole number.
    Integer,
    /// An array of whole numbers.
    Integers,
    /// A table.
    Table(Shape),
    /// An array of tables.
    Tables(Shape),
}

/// What may stand in a table.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// Its keys, in the order in which the reader asks for them; the flag says whether the key is required.
    pub keys: Vec<(Key, bool, Kind)>,
    /// What stands under every other key, where keys are data: the key's shape and the value's.
    pub each: Option<(TextShape, Box<Kind>)>,
}

/// A shape while its table is being described; shared with the tables inside.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch(Rc<RefCell<Draft>>);

#[derive(Debug, Default)]
struct Draft {
    keys: Vec<(Key, bool, DraftKind)>,
    each: Option<(TextShape, DraftKind)>,
}

/// As [`Kind`], with the tables inside still being described.
#[derive(Debug, Clone)]
pub(super) enum DraftKind {
    Plain(Kind),
    Table(Sketch),
    Tables(Sketch),
}

impl DraftKind {
    fn finish(&self) -> Kind {
        match self {
            DraftKind::Plain(kind) => kind.clone(),
            DraftKind::Table(sketch) => Kind::Table(sketch.finish()),
            DraftKind::Tables(sketch) => Kind::Tables(sketch.finish()),
        }
    }
}

impl Sketch {
    pub(super) fn key(&self, key: Key, required: bool, kind: DraftKind) {
        self.0.borrow_mut().keys.push((key, required, kind));
    }

    pub(super) fn each(&self, key: TextShape, kind: DraftKind) {
        self.0.borrow_mut().each = Some((key, kind));
    }

    pub(super) fn finish(&self) -> Shape {
        let draft = self.0.borrow();
        Shape {
            keys: draft.keys.iter().map(|(key, required, kind)| (*key, *required, kind.finish())).collect(),
            each: draft.each.as_ref().map(|(key, kind)| (*key, Box::new(kind.finish()))),
        }
    }
}
