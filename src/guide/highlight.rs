//! Code in five colours: keywords, strings, numbers, calls and comments. The grammars say much more; five is what a page
//! prints and a reader tells apart. Colouring is nearly all the time a build of guides takes, so the ranges found are kept
//! (see `memory`), and a grammar is loaded only for code that was never seen before.

use super::html::{Html, escape_into};
use super::memory::{Key, Memory};
use camino::{Utf8Path, Utf8PathBuf};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer code is shown in plain, in bytes.
const CODE_BYTES_MAX: usize = 200 * 1000;

/// Goes into the key of everything kept: change it when the classes change. The test below holds the first part to `Cargo.lock`.
pub(super) const VERSION: &str = "arborium 2.18.2, classes 1";

/// The grammars that are compiled in, and their other names.
const GRAMMARS: &[(&str, &[&str])] = &[
    ("bash", &["sh", "shell"]),
    ("c", &["h"]),
    ("c-sharp", &["csharp", "cs", "c#"]),
    ("cpp", &["c++", "cxx", "hpp"]),
    ("go", &["golang"]),
    ("java", &[]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("json", &["jsonc"]),
    ("python", &["py", "python3"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("scala", &[]),
    ("toml", &[]),
    ("typescript", &["ts", "mts", "cts"]),
];

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Keyword,
    String,
    Number,
    Call,
    Comment,
}

impl Class {
    /// All, in the order of their numbers in what is kept.
    pub(super) const ALL: [Class; 5] = [Class::Keyword, Class::String, Class::Number, Class::Call, Class::Comment];

    /// The class in the markup.
    fn name(self) -> &'static str {
        match self {
            Class::Keyword => "k",
            Class::String => "st",
            Class::Number => "nu",
            Class::Call => "fn",
            Class::Comment => "co",
        }
    }
}

/// A coloured range of code, in bytes. Tokens stand in order and do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) class: Class,
}

/// Highlights code, with a cache by (language, hash of the code). May be shared between threads.
pub struct Highlighter {
    memory: Memory,
    store: Arc<arborium::GrammarStore>,
    /// Parsers at rest: one for each thread that was ever at work at the same time.
    parsers: Mutex<Vec<arborium::Highlighter>>,
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlighter").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl Default for Highlighter {
    fn default() -> Self {
        Highlighter::new(None)
    }
}

impl Highlighter {
    /// A highlighter that keeps what it finds in `cache_dir`, in one file; `None` keeps it in memory only. A cache that cannot be
    /// read, is damaged or was written by another version is as good as none.
    pub fn new(cache_dir: Option<Utf8PathBuf>) -> Self {
        Highlighter {
            memory: Memory::load(cache_dir.as_deref().map(|folder| folder.join("highlight"))),
            store: Arc::new(arborium::GrammarStore::new()),
            parsers: Mutex::default(),
        }
    }

    /// `code` as the content of a `<code>`: escaped, the tokens of `language` in `<span class="…">` with the classes `k`
    /// (keyword), `st` (string), `nu` (number), `fn` (call) and `co` (comment). Line breaks at the end are left out. An unknown
    /// language, or none, gives plain text.
    ///
    /// ```
    /// # use clientbook::guide::Highlighter;
    /// let highlighter = Highlighter::new(None);
    /// let html = highlighter.code(Some("python"), "return '<b>'  # no\n");
    /// assert_eq!(
    ///     html.as_str(),
    ///     "<span class=\"k\">return</span> <span class=\"st\">&#39;&lt;b&gt;&#39;</span>  <span class=\"co\"># no</span>",
    /// );
    /// assert_eq!(highlighter.code(None, "a < b\n").as_str(), "a &lt; b");
    /// ```
    pub fn code(&self, language: Option<&str>, code: &str) -> Html {
        let code = code.trim_end_matches(['\n', '\r']);
        let Some(language) = language.and_then(grammar).filter(|_| code.len() <= CODE_BYTES_MAX) else {
            return markup(code, &[]);
        };
        let key = Key::of(&[VERSION, language, code]);
        let kept = self.memory.get(&key).filter(|tokens| fits(tokens, code));
        let tokens = kept.unwrap_or_else(|| {
            let tokens = self.parse(language, code);
            self.memory.put(key, &tokens);
            tokens
        });
        markup(code, &tokens)
    }

    /// Writes what is new into the cache, if there is one. Also done, silently, when the highlighter goes.
    pub fn save(&self) -> std::io::Result<()> {
        self.memory.save()
    }

    /// The cache's file, if there is one.
    pub fn cache(&self) -> Option<&Utf8Path> {
        self.memory.path()
    }

    fn parse(&self, language: &str, code: &str) -> Vec<Token> {
        let parsers = || self.parsers.lock().unwrap_or_else(PoisonError::into_inner);
        let at_rest = parsers().pop();
        let mut parser = at_rest.unwrap_or_else(|| arborium::Highlighter::with_store(Arc::clone(&self.store)));
        // A grammar is foreign code: what it cannot do leaves the code plain, and its parser is not used again.
        match catch_unwind(AssertUnwindSafe(|| parser.highlight_spans(language, code))) {
            Ok(Ok(spans)) => {
                parsers().push(parser);
                flatten(spans, code)
            }
            Ok(Err(_)) | Err(_) => Vec::new(),
        }
    }
}

/// The grammar that goes by `name`.
fn grammar(name: &str) -> Option<&'static str> {
    let is_meant = |(grammar, others): &&(&str, &[&str])| {
        grammar.eq_ignore_ascii_case(name) || others.iter().any(|other| other.eq_ignore_ascii_case(name))
    };
    GRAMMARS.iter().find(is_meant).map(|(grammar, _)| *grammar)
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

/// Tokens from a grammar's spans, which overlap and nest: the innermost counts, and among equals the later rule of the grammar.
fn flatten(spans: Vec<arborium::advanced::Span>, code: &str) -> Vec<Token> {
    let is_within = |start: u32, end: u32| {
        start < end && code.is_char_boundary(start as usize) && end as usize <= code.len() && code.is_char_boundary(end as usize)
    };
    let mut spans: Vec<(u32, u32, u32, Option<Class>)> = spans
        .into_iter()
        .filter(|span| is_within(span.start, span.end))
        .filter_map(|span| Some((span.start, span.end, span.pattern_index, class(&span.capture)?)))
        .collect();
    spans.sort_by_key(|&(start, end, rule, _)| (start, std::cmp::Reverse(end), rule));
    let mut tokens = Vec::new();
    let mut stack: Vec<(u32, Option<Class>)> = Vec::new();
    let mut at = 0;
    for (start, end, _, class) in spans {
        close_until(start, &mut at, &mut stack, &mut tokens, code);
        if let Some(&(_, Some(class))) = stack.last() {
            push(Token { start: at, end: start, class }, &mut tokens, code);
        }
        at = start;
        stack.push((end, class));
    }
    close_until(u32::MAX, &mut at, &mut stack, &mut tokens, code);
    tokens
}

/// Ends the spans of `stack` that end at `until` or before.
fn close_until(until: u32, at: &mut u32, stack: &mut Vec<(u32, Option<Class>)>, tokens: &mut Vec<Token>, code: &str) {
    while let Some(&(end, class)) = stack.last().filter(|(end, _)| *end <= until) {
        stack.pop();
        if end > *at {
            if let Some(class) = class {
                push(Token { start: *at, end, class }, tokens, code);
            }
            *at = end;
        }
    }
}

/// Adds a token, or lengthens the last one if only space lies between two of a class.
fn push(token: Token, tokens: &mut Vec<Token>, code: &str) {
    if token.start >= token.end {
        return;
    }
    match tokens.last_mut() {
        Some(last)
            if last.class == token.class
                && code[last.end as usize..token.start as usize].bytes().all(|b| b.is_ascii_whitespace()) =>
        {
            last.end = token.end;
        }
        _ => tokens.push(token),
    }
}

/// Whether `tokens`, which may come from a damaged cache, are in order and on the boundaries of `code`.
fn fits(tokens: &[Token], code: &str) -> bool {
    let mut at = 0;
    tokens.iter().all(|token| {
        let (start, end) = (token.start as usize, token.end as usize);
        let fits = at <= start && start < end && code.is_char_boundary(start) && code.is_char_boundary(end);
        at = end;
        fits
    })
}

/// The markup of `code` with `tokens`, which [`fits`] it.
fn markup(code: &str, tokens: &[Token]) -> Html {
    let mut out = String::with_capacity(code.len() + code.len() / 8 + tokens.len() * 24);
    let mut at = 0;
    for token in tokens {
        escape_into(&mut out, &code[at..token.start as usize]);
        out.push_str("<span class=\"");
        out.push_str(token.class.name());
        out.push_str("\">");
        escape_into(&mut out, &code[token.start as usize..token.end as usize]);
        out.push_str("</span>");
        at = token.end as usize;
    }
    escape_into(&mut out, &code[at..]);
    Html::vouched(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../Cargo.lock");
        let version = VERSION.split([' ', ',']).nth(1).unwrap();
        assert!(
            lock.contains(&format!("name = \"arborium\"\nversion = \"{version}\"")),
            "set VERSION to the version in Cargo.lock"
        );
    }

    #[test]
    fn every_grammar_is_there() {
        let store = arborium::GrammarStore::new();
        for (grammar, _) in GRAMMARS {
            assert!(store.get(grammar).is_some(), "{grammar} is not compiled in");
        }
    }

    #[test]
    fn code_is_the_same_text_with_and_without_colours() {
        let highlighter = Highlighter::default();
        let samples = [
            ("rust", "fn main() { let é = \"<b>\"; /* π */ println!(\"{é}\", 1.5e3); }"),
            ("javascript", "const f = async (x) => `a ${x + `b ${1}`} c`; // <script>"),
            ("python", "def f(x: int) -> str:\n    '''doc'''\n    return f\"{x!r} <&>\" if x else None\n"),
            ("java", "@Override public int f() { return 0xFFL + 'c'; }"),
            ("bash", "for x in \"$@\"; do echo \"a $(date) b\" | grep -q 'x'; done # end"),
            ("json", "{\"a\": [1, true, null]}"),
            ("toml", "a = \"b\" # c\n[d]\ne = 1979-05-27"),
            ("ruby", "puts \"a #{b} c\" if x"),
            ("c-sharp", "var s = $\"a {x} b\"; // c"),
            ("go", "func main() { ch := make(chan int); go f(`raw`) }"),
            ("c", "#include <stdio.h>\nint main(void) { return puts(\"x\"); }"),
            ("cpp", "template <class T> auto f(T&& t) -> decltype(t) { return 1'000; }"),
            ("scala", "def f(x: Int): String = s\"a $x ${x + 1}\""),
            ("typescript", "type A<T> = { [k in keyof T]?: T[k] }; let x: A<B> = <any>1;"),
        ];
        for (language, code) in samples {
            let html = highlighter.code(Some(language), code);
            assert!(html.as_str().contains("<span class=\""), "{language}: {}", html.as_str());
            let mut plain = html.as_str().replace("</span>", "");
            for class in Class::ALL {
                plain = plain.replace(&format!("<span class=\"{}\">", class.name()), "");
            }
            assert_eq!(plain, super::super::escape(code.trim_end()).as_str(), "{language}");
            assert_eq!(html, highlighter.code(Some(language), code), "{language}: the second time");
        }
    }

    #[test]
    fn what_is_too_long_or_unknown_is_plain() {
        let highlighter = Highlighter::default();
        let long = "x = 1\n".repeat(CODE_BYTES_MAX / 6 + 1);
        assert!(!highlighter.code(Some("python"), &long).as_str().contains("<span"));
        for name in ["", "klingon", "python<script>", "\" onclick=\""] {
            assert_eq!(highlighter.code(Some(name), "if <").as_str(), "if &lt;");
        }
    }

    #[test]
    fn hostile_code_takes_a_moment() {
        let highlighter = Highlighter::default();
        for (language, unit) in [("javascript", "`${"), ("python", "(["), ("rust", "{("), ("bash", "$("), ("c", "((")] {
            let start = std::time::Instant::now();
            let code = unit.repeat(5_000);
            assert!(highlighter.code(Some(language), &code).as_str().len() >= code.len());
            assert!(start.elapsed().as_secs() < 20, "{language} took {:?}", start.elapsed());
        }
    }

    #[test]
    fn tokens_that_do_not_fit_are_refused() {
        let token = |start, end| Token { start, end, class: Class::String };
        assert!(fits(&[token(0, 1), token(1, 3)], "aé"));
        for tokens in [&[token(0, 2)][..], &[token(1, 1)], &[token(0, 4)], &[token(1, 3), token(0, 1)]] {
            assert!(!fits(tokens, "aé"), "{tokens:?}");
        }
    }
}
