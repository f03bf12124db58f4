//! Code in five colours: keywords, strings, numbers, calls and comments. The grammars say much more; five is what a page
//! prints and a reader tells apart. Colouring is nearly all the time a build of guides takes, so the ranges found are kept
//! (see `memory`), and a grammar is loaded only for code that was never seen before.
//!
//! Grammars and queries are arborium's; its own highlighter is not used, because it looks for other languages within code and
//! has no limits. A few kilobytes of brackets would take it minutes. The limits here count steps and never time, so that
//! the same code looks the same on every machine; code that people write stays far below them.

use super::grammar::{GRAMMARS, Grammar};
use super::html::{Html, escape_text_into};
use super::memory::{Key, Memory};
use arborium::tree_sitter::{ParseOptions, ParseState, Parser, QueryCursor, StreamingIterator as _, Tree};
use camino::{Utf8Path, Utf8PathBuf};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Longer code is shown in plain, in bytes. Parsing what is no code at all takes quadratic time in some grammars.
const CODE_BYTES_MAX: usize = 20 * 1000;
/// Code that takes the parser more steps for each byte is shown in plain.
const STEPS_PER_BYTE_MAX: usize = 5;
/// Code on which the parser spends more hundreds of steps in finding out of an error is shown in plain.
const ERRORS_MAX: usize = 60;
/// Code whose syntax tree would cost more to query (see [`is_easy`]) is shown in plain.
const COST_MAX: u64 = 4_000_000;

/// How many rules may be half matched at a time; a list of thousands would otherwise take quadratic time.
const MATCHES_MAX: u32 = 256;

/// Goes into the key of everything kept: change it when the classes change. The test below holds the first part to `Cargo.lock`.
pub(super) const VERSION: &str = "arborium 2.18.2, classes 2";

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
    /// Each as it is first needed; `None` for one that does not load.
    grammars: [OnceLock<Option<Grammar>>; GRAMMARS.len()],
    /// Parsers at rest: one for each thread that was ever at work at the same time.
    parsers: Mutex<Vec<(Parser, QueryCursor)>>,
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
            grammars: [const { OnceLock::new() }; GRAMMARS.len()],
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
    ///     "<span class=\"k\">return</span> <span class=\"st\">'&lt;b&gt;'</span>  <span class=\"co\"># no</span>",
    /// );
    /// assert_eq!(highlighter.code(None, "a < b\n").as_str(), "a &lt; b");
    /// ```
    pub fn code(&self, language: Option<&str>, code: &str) -> Html {
        let code = code.trim_end_matches(['\n', '\r']);
        let Some(language) = language.and_then(number).filter(|_| code.len() <= CODE_BYTES_MAX) else {
            return markup(code, &[]);
        };
        let key = Key::of(&[VERSION, GRAMMARS[language].name, code]);
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

    fn parse(&self, language: usize, code: &str) -> Vec<Token> {
        let Some(grammar) = self.grammars[language].get_or_init(|| Grammar::load(&GRAMMARS[language])) else {
            return Vec::new();
        };
        let parsers = || self.parsers.lock().unwrap_or_else(PoisonError::into_inner);
        let at_rest = parsers().pop();
        let (mut parser, mut cursor) = at_rest.unwrap_or_else(new_parser);
        // A grammar is foreign code: what it cannot do leaves the code plain, and its parser is not used again.
        match catch_unwind(AssertUnwindSafe(|| spans(grammar, &mut parser, &mut cursor, code))) {
            Ok(spans) => {
                parsers().push((parser, cursor));
                join(flatten(spans.unwrap_or_default()), code)
            }
            Err(_) => Vec::new(),
        }
    }
}

/// The number of the grammar that goes by `name`.
fn number(name: &str) -> Option<usize> {
    GRAMMARS.iter().position(|known| {
        known.name.eq_ignore_ascii_case(name) || known.others.iter().any(|other| other.eq_ignore_ascii_case(name))
    })
}

/// A range that a rule of a grammar colours; without class it is code within a string, which is plain again.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
    /// The number of the rule.
    rule: usize,
    class: Option<Class>,
}

fn new_parser() -> (Parser, QueryCursor) {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCHES_MAX);
    (Parser::new(), cursor)
}

/// What the rules of `grammar` find in `code`; `None` if it does not parse or is too deep.
fn spans(grammar: &Grammar, parser: &mut Parser, cursor: &mut QueryCursor, code: &str) -> Option<Vec<Span>> {
    parser.set_language(&grammar.language).ok()?;
    let tree = parse(parser, code).filter(is_easy)?;
    let mut spans = Vec::new();
    let mut matches = cursor.matches(&grammar.query, tree.root_node(), code.as_bytes());
    while let Some(found) = matches.next() {
        for capture in found.captures {
            let Some(&Some(class)) = grammar.classes.get(capture.index as usize) else { continue };
            let range = capture.node.byte_range();
            if range.start < range.end && code.get(range.clone()).is_some() {
                spans.push(Span { start: range.start as u32, end: range.end as u32, rule: found.pattern_index, class });
            }
        }
    }
    Some(spans)
}

/// Parses `code`, if that takes no more steps than code of its length should.
fn parse(parser: &mut Parser, code: &str) -> Option<Tree> {
    // The parser asks after every hundredth step; so the limit is the same on every machine.
    let mut asked = 0;
    let limit = 20 + code.len() * STEPS_PER_BYTE_MAX / 100;
    let mut in_error = 0;
    let mut go_on = |state: &ParseState| {
        asked += 1;
        in_error += usize::from(state.has_error());
        if asked > limit || in_error > ERRORS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut read = |at: usize, _| code.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut go_on)));
    parser.reset();
    tree
}

/// Whether a query of `tree` ends soon: it costs, for each node, about its depth and the number of its siblings.
fn is_easy(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut siblings: Vec<u64> = vec![1];
    let mut cost = 0;
    loop {
        cost += siblings.len() as u64;
        if cost > COST_MAX {
            return false;
        }
        if cursor.goto_first_child() {
            siblings.push(1);
            continue;
        }
        while !cursor.goto_next_sibling() {
            let count = siblings.pop().unwrap_or_default();
            cost += count * count;
            if !cursor.goto_parent() {
                return cost <= COST_MAX;
            }
        }
        if let Some(count) = siblings.last_mut() {
            *count += 1;
        }
    }
}

/// Tokens from spans, which overlap and nest: the innermost counts, and among equals the later rule of the grammar.
fn flatten(mut spans: Vec<Span>) -> Vec<Token> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.rule));
    let mut tokens = Vec::new();
    let mut stack: Vec<(u32, Option<Class>)> = Vec::new();
    let mut at = 0;
    for span in spans {
        close_until(span.start, &mut at, &mut stack, &mut tokens);
        if let Some(&(_, Some(class))) = stack.last() {
            push(Token { start: at, end: span.start, class }, &mut tokens);
        }
        at = span.start;
        stack.push((span.end, span.class));
    }
    close_until(u32::MAX, &mut at, &mut stack, &mut tokens);
    tokens
}

/// Ends the spans of `stack` that end at `until` or before.
fn close_until(until: u32, at: &mut u32, stack: &mut Vec<(u32, Option<Class>)>, tokens: &mut Vec<Token>) {
    while let Some(&(end, class)) = stack.last().filter(|(end, _)| *end <= until) {
        stack.pop();
        if end > *at {
            if let Some(class) = class {
                push(Token { start: *at, end, class }, tokens);
            }
            *at = end;
        }
    }
}

/// Adds a token, or lengthens the last one if it is of the same class and ends there.
fn push(token: Token, tokens: &mut Vec<Token>) {
    if token.start >= token.end {
        return;
    }
    match tokens.last_mut() {
        Some(last) if last.class == token.class && last.end == token.start => last.end = token.end,
        _ => tokens.push(token),
    }
}

/// Makes one token of two of a class with nothing but space between them.
fn join(tokens: Vec<Token>, code: &str) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match joined.last_mut() {
            Some(last)
                if last.class == token.class
                    && code[last.end as usize..token.start as usize].bytes().all(|b| b.is_ascii_whitespace()) =>
            {
                last.end = token.end;
            }
            _ => joined.push(token),
        }
    }
    joined
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
        escape_text_into(&mut out, &code[at..token.start as usize]);
        out.push_str("<span class=\"");
        out.push_str(token.class.name());
        out.push_str("\">");
        escape_text_into(&mut out, &code[token.start as usize..token.end as usize]);
        out.push_str("</span>");
        at = token.end as usize;
    }
    escape_text_into(&mut out, &code[at..]);
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
    fn every_grammar_loads_and_colours_something() {
        for known in GRAMMARS {
            let grammar = Grammar::load(known).unwrap_or_else(|| panic!("{} does not load", known.name));
            for class in [Class::String, Class::Number] {
                assert!(grammar.classes.contains(&Some(Some(class))), "{} has no {class:?}", known.name);
            }
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
            let mut expected = String::new();
            escape_text_into(&mut expected, code.trim_end());
            assert_eq!(plain, expected, "{language}");
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
        let units =
            ["([{", "`${", "$(", "#{", "<a", "a.b().", "a|", "a,", "1 ", "\"a\",", "'", "not ", "a ", "\n", "if ", "/*", "é"];
        for (known, unit) in GRAMMARS.iter().flat_map(|known| units.map(|unit| (known, unit))) {
            let start = std::time::Instant::now();
            let code = unit.repeat(4_000 / unit.len());
            assert!(highlighter.code(Some(known.name), &code).as_str().len() >= code.trim_end().len());
            assert!(start.elapsed().as_secs() < 20, "{} took {:?} for {unit:?}", known.name, start.elapsed());
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
