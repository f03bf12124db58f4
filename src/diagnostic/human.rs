//! Findings for people: the source line, what is wrong with it, and the mend as a patch.

use super::text::{Lines, Places, Position, floor, visible};
use super::{Diagnostic, Label, Severity};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Padding, Patch, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;

/// Columns that a rendered line may take.
const WIDTH: usize = 120;
/// Of a longer line, only the part around the place is shown.
const LINE_BYTES_MAX: usize = 400;
/// A place of more lines than this is shown by its first line.
const SPAN_LINES_MAX: usize = 5;

/// One finding as text that ends in a line end.
pub(super) fn render(finding: &Diagnostic, places: &mut Places<'_>, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    let level = match finding.code.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&finding.title)).id(finding.code.id);
    let mut elements = snippets(finding, places);
    let notes = finding.notes.iter().map(|note| Level::NOTE.message(safe(note)));
    // The help of a mend that is shown stands above the patch.
    let patch = patch(finding, places);
    let help = finding.help.as_ref().filter(|_| patch.is_none()).map(|help| Level::HELP.message(safe(help)));
    let messages: Vec<Element<'_>> = notes.chain(help).map(Element::from).collect();
    if !messages.is_empty() && matches!(elements.last(), Some(Element::Cause(_))) {
        elements.push(Padding.into());
    }
    elements.extend(messages);
    let mut report = vec![title.elements(elements)];
    report.extend(patch);
    renderer.render(&report) + "\n"
}

fn safe(text: &str) -> Cow<'_, str> {
    visible(text)
}

/// One snippet for each file that the labels name, in their order.
fn snippets<'a>(finding: &'a Diagnostic, places: &mut Places<'_>) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    let mut shown: Vec<&camino::Utf8Path> = Vec::new();
    for label in &finding.labels {
        if shown.contains(&label.path.as_path()) {
            continue;
        }
        shown.push(&label.path);
        let here: Vec<&Label> = finding.labels.iter().filter(|other| other.path == label.path).collect();
        let origin = Origin::path(visible(label.path.as_str()));
        let spans: Vec<Range<usize>> = here.iter().filter_map(|label| label.span).map(|span| span.range()).collect();
        let Some((lines, first)) = places.lines(&label.path).zip(spans.first()) else {
            elements.push(origin.into());
            continue;
        };
        let window = Window::around(lines, &spans);
        let kind = |nth: usize| if shown.len() == 1 && nth == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let labelled = here.iter().filter(|label| label.span.is_some()).zip(&window.spans).enumerate();
        let annotations = labelled.map(|(nth, (label, span))| {
            kind(nth).span(span.clone()).label((!label.text.is_empty()).then(|| visible(&label.text)))
        });
        let annotations: Vec<_> = annotations.collect();
        let at = lines.position(first.start);
        let shift = window.position(&window.spans[0]) != at;
        let snippet = Snippet::source(window.text).line_start(window.line).annotations(annotations);
        if shift {
            // What is shown of the line begins elsewhere or has more characters: the place is written out.
            elements.push(origin.line(at.line).char_column(at.column).into());
            elements.push(snippet.into());
        } else {
            elements.push(snippet.path(visible(label.path.as_str())).into());
        }
    }
    elements
}

/// The mend as a patch, below the help.
fn patch<'a>(finding: &'a Diagnostic, places: &mut Places<'_>) -> Option<Group<'a>> {
    let fix = finding.fix.as_ref()?;
    let window = Window::around(places.lines(&fix.path)?, &[fix.span.range()]);
    let span = window.spans.into_iter().next()?;
    let help = finding.help.as_deref().unwrap_or("this can be mended");
    let snippet = Snippet::source(window.text).line_start(window.line).patch(Patch::new(span, visible(&fix.replacement)));
    Some(Level::HELP.secondary_title(visible(help)).element(snippet))
}

/// The lines of a text that some spans touch, safe to print, and where the spans are in them.
struct Window {
    text: String,
    /// The number of the first line, from 1.
    line: usize,
    spans: Vec<Range<usize>>,
}

impl Window {
    /// Where the renderer will say that `span` is.
    fn position(&self, span: &Range<usize>) -> Position {
        let at = Lines::new(&self.text).position(span.start);
        Position { line: at.line + self.line - 1, ..at }
    }

    fn around(lines: &Lines<'_>, spans: &[Range<usize>]) -> Window {
        let spans: Vec<Range<usize>> = spans.iter().map(|span| short(lines, span)).collect();
        let touched: Vec<usize> = spans.iter().flat_map(|s| lines.number(s.start)..=lines.number(s.end)).collect();
        let first = touched.iter().copied().min().unwrap_or(0);
        let last = touched.iter().copied().max().unwrap_or(0);
        let mut window = Window { text: String::new(), line: first + 1, spans: spans.clone() };
        for number in first..=last {
            // Lines between are folded away; they only keep the count.
            if touched.iter().any(|line| line.abs_diff(number) <= 1) {
                window.push(lines.text(), lines.range(number), &spans);
            }
            if number < last {
                window.text.push('\n');
            }
        }
        window
    }

    /// Adds the line at `line` and moves the ends of `spans` that stand in it.
    fn push(&mut self, text: &str, line: Range<usize>, spans: &[Range<usize>]) {
        let inside = |at: usize| (line.start..=line.end).contains(&at);
        let marks = spans.iter().flat_map(|span| [span.start, span.end]).filter(|at| inside(*at));
        let kept = if line.len() > LINE_BYTES_MAX {
            let near = marks.min().unwrap_or(line.start);
            let start = floor(text, near.saturating_sub(LINE_BYTES_MAX / 2).max(line.start));
            start..floor(text, (near + LINE_BYTES_MAX / 2).min(line.end))
        } else {
            line.clone()
        };
        let begin = self.text.len();
        let place = |at: usize| begin + visible(&text[kept.start..floor(text, at.clamp(kept.start, kept.end))]).len();
        for (span, moved) in spans.iter().zip(&mut self.spans) {
            if inside(span.start) {
                moved.start = place(span.start);
            }
            if inside(span.end) {
                moved.end = place(span.end).max(moved.start);
            }
        }
        self.text.push_str(&visible(&text[kept]));
    }
}

/// `span` within the text, on character boundaries and line ends, and not longer than a screen can show.
fn short(lines: &Lines<'_>, span: &Range<usize>) -> Range<usize> {
    // A place in a line end is the end of its line.
    let settle = |at: usize| {
        let at = floor(lines.text(), at);
        at.min(lines.range(lines.number(at)).end)
    };
    let start = settle(span.start);
    let mut end = settle(span.end).max(start);
    if lines.number(end) - lines.number(start) >= SPAN_LINES_MAX {
        end = lines.range(lines.number(start)).end;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_keeps_the_count_of_lines_and_the_places() {
        let text = "one\ntwo\nthree\nfour\nfive\nsix \u{1b}x";
        let lines = Lines::new(text);
        let six = text.len() - 1;
        let window = Window::around(&lines, &[4..7, six..six + 1]);
        assert_eq!(window.line, 2);
        assert_eq!(window.text, "two\nthree\n\nfive\nsix \\u{1b}x");
        assert_eq!(&window.text[window.spans[0].clone()], "two");
        assert_eq!(&window.text[window.spans[1].clone()], "x");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}é!{}", "é".repeat(50_000), "x".repeat(50_000));
        let lines = Lines::new(&text);
        let window = Window::around(&lines, std::slice::from_ref(&(100_002..100_003)));
        assert!(window.text.len() <= LINE_BYTES_MAX + 4);
        assert_eq!(&window.text[window.spans[0].clone()], "!");
    }

    #[test]
    fn any_span_of_any_text_has_a_window() {
        for text in ["", "\n", "\r\n\r\n", "é\u{202e}\r\nb\n", "a\nb\nc\nd\ne\nf\ng\nh"] {
            let lines = Lines::new(text);
            for start in 0..text.len() + 3 {
                for end in 0..text.len() + 3 {
                    let window = Window::around(&lines, std::slice::from_ref(&(start..end)));
                    assert!(window.text.get(window.spans[0].clone()).is_some(), "{text:?} {start}..{end}");
                }
            }
        }
    }
}
