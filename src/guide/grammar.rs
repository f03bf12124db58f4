//! The grammars that are compiled in, their names, and what their words for things are to us.

use super::highlight::Class;
use arborium::tree_sitter::{Language, Query};

/// A grammar that can be loaded.
pub(super) struct Known {
    /// Its name.
    pub(super) name: &'static str,
    /// Further names.
    pub(super) others: &'static [&'static str],
    /// The grammar and its query.
    load: fn() -> (Language, &'static str),
}

macro_rules! known {
    ($name:literal, $others:expr, $module:ident) => {
        Known {
            name: $name,
            others: &$others,
            load: || (arborium::$module::language().into(), &arborium::$module::HIGHLIGHTS_QUERY),
        }
    };
}

/// Every grammar; those of the features named in `Cargo.toml`.
pub(super) const GRAMMARS: &[Known] = &[
    known!("bash", ["sh", "shell"], lang_bash),
    known!("c", ["h"], lang_c),
    known!("c-sharp", ["csharp", "cs", "c#"], lang_c_sharp),
    known!("cpp", ["c++", "cxx", "hpp"], lang_cpp),
    known!("go", ["golang"], lang_go),
    known!("java", [], lang_java),
    known!("javascript", ["js", "mjs", "cjs", "jsx"], lang_javascript),
    known!("json", ["jsonc"], lang_json),
    known!("python", ["py", "python3"], lang_python),
    known!("ruby", ["rb"], lang_ruby),
    known!("rust", ["rs"], lang_rust),
    known!("scala", [], lang_scala),
    known!("toml", [], lang_toml),
    known!("typescript", ["ts", "mts", "cts"], lang_typescript),
];

/// A grammar that is loaded.
pub(super) struct Grammar {
    pub(super) language: Language,
    pub(super) query: Query,
    /// By the number of a capture: what it is, if it is anything to us.
    pub(super) classes: Vec<Option<Option<Class>>>,
}

impl Grammar {
    /// Loads the grammar; `None` if it and its query do not fit each other.
    pub(super) fn load(known: &Known) -> Option<Grammar> {
        let (language, query) = (known.load)();
        let query = Query::new(&language, query).ok()?;
        let classes = query.capture_names().iter().map(|name| class(name)).collect();
        Some(Grammar { language, query, classes })
    }
}

/// What a capture of a grammar's query is: `Some(None)` is code within a string, which is plain again; `None` says nothing.
fn class(capture: &str) -> Option<Option<Class>> {
    let (first, rest) = capture.split_once('.').unwrap_or((capture, ""));
    Some(Some(match (first, rest) {
        ("comment", _) => Class::Comment,
        ("keyword" | "conditional" | "repeat" | "include" | "exception" | "storageclass" | "preproc" | "define", _)
        | ("type", "qualifier") => Class::Keyword,
        ("string" | "character" | "escape", _) => Class::String,
        ("number" | "float" | "boolean", _) | ("constant", "builtin") => Class::Number,
        ("function" | "method", _) => Class::Call,
        ("embedded" | "none", _) => return Some(None),
        _ => return None,
    }))
}
