//! From Markdown to HTML, event by event, without recursion: a file of ten thousand brackets costs time in proportion and
//! no stack. Containers deeper than [`DEPTH_MAX`] lose their markup and keep their text.

use super::heading::{Heading, Ids};
use super::html::{Html, escape_address, escape_into, escape_text_into};
use super::link::{self, Target};
use super::{Context, Prose, codes};
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};
use crate::source::SourceFile;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// How deep lists, quotations and emphasis may stand in one another.
const DEPTH_MAX: usize = 48;

/// Renders the Markdown of `file` from byte `start` on.
pub(super) fn render(file: &SourceFile, start: usize, context: Context<'_>) -> (Prose, Vec<Diagnostic>) {
    let text = file.text().and_then(|text| text.get(start..)).unwrap_or_default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer {
        file,
        start,
        text,
        context,
        out: String::with_capacity(text.len() + text.len() / 2),
        outer: Vec::new(),
        open: Vec::new(),
        links: Vec::new(),
        image: None,
        code: None,
        heading: None,
        headings: Vec::new(),
        level: 1,
        ids: Ids::new(),
        table: Table::default(),
        notes: Notes::default(),
        is_too_deep: false,
        findings: Vec::new(),
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        writer.event(event, range);
    }
    writer.finish()
}

struct Writer<'w> {
    file: &'w SourceFile,
    start: usize,
    text: &'w str,
    context: Context<'w>,
    out: String,
    /// The buffers that `out` stands in for: a footnote is written apart and put at the end.
    outer: Vec<String>,
    /// For each open container, whether its tags are written.
    open: Vec<bool>,
    /// For each open link, whether its tags are written.
    links: Vec<bool>,
    image: Option<Image>,
    code: Option<(Option<String>, String)>,
    heading: Option<(u8, usize, String)>,
    headings: Vec<Heading>,
    /// The level of the last heading.
    level: u8,
    ids: Ids,
    table: Table,
    notes: Notes,
    is_too_deep: bool,
    findings: Vec<Diagnostic>,
}

/// An image being read: its text comes as events of its own.
struct Image {
    dest: String,
    title: String,
    alt: String,
    range: Range<usize>,
    /// Images within its text.
    depth: usize,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// How many there were.
    count: usize,
}

#[derive(Default)]
struct Notes {
    /// By label.
    notes: BTreeMap<String, Note>,
    /// Labels in the order of their numbers.
    order: Vec<String>,
    /// Labels of the definitions being read.
    open: Vec<String>,
}

#[derive(Default)]
struct Note {
    /// From 1, in the order of the first references; 0: not referred to.
    number: usize,
    id: String,
    /// The fragments of its references.
    uses: Vec<String>,
    html: Option<String>,
}

impl<'w> Writer<'w> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.image.is_some() {
            return self.image_event(event);
        }
        match event {
            Event::Start(tag) => self.start_tag(tag, range),
            Event::End(tag) => self.end_tag(tag),
            Event::Text(text) => self.push_text(&text),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.push_text(&code);
                self.out.push_str("</code>");
            }
            Event::Html(html) | Event::InlineHtml(html) => self.raw_html(&html, range),
            Event::SoftBreak => self.push_text("\n"),
            Event::HardBreak => self.out.push_str("<br>\n"),
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::FootnoteReference(label) => self.note_reference(&label),
            // Tasks and mathematics are not asked for.
            Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
            return;
        }
        if let Some((_, _, heading)) = &mut self.heading {
            heading.push_str(text);
        }
        escape_text_into(&mut self.out, text);
    }

    fn start_tag(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::Heading { level, .. } => self.open_heading(level, range),
            Tag::BlockQuote(_) => self.open_container("<blockquote>\n", range),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language(&info),
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language, String::new()));
            }
            Tag::HtmlBlock => self.out.push_str("<p>"),
            Tag::List(None) => self.open_container("<ul>\n", range),
            Tag::List(Some(1)) => self.open_container("<ol>\n", range),
            Tag::List(Some(first)) => self.open_container(&format!("<ol start=\"{first}\">\n"), range),
            // An item is written exactly if its list is.
            Tag::Item => {
                let is_written = self.open.last().copied().unwrap_or(true);
                self.open.push(is_written);
                if is_written {
                    self.out.push_str("<li>");
                }
            }
            Tag::FootnoteDefinition(label) => {
                self.notes.open.push(label.into_string());
                self.outer.push(std::mem::take(&mut self.out));
            }
            Tag::Table(alignments) => self.open_table(alignments),
            Tag::TableHead => {
                self.table.is_head = true;
                self.table.column = 0;
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.table.column = 0;
                self.out.push_str("<tr>");
            }
            Tag::TableCell => self.open_cell(),
            Tag::Emphasis => self.open_container("<em>", range),
            Tag::Strong => self.open_container("<strong>", range),
            Tag::Strikethrough => self.open_container("<del>", range),
            Tag::Link { dest_url, title, .. } => self.open_link(&dest_url, &title, range),
            Tag::Image { dest_url, title, .. } => {
                let (dest, title) = (dest_url.into_string(), title.into_string());
                self.image = Some(Image { dest, title, alt: String::new(), range, depth: 0 });
            }
            // Definition lists, super- and subscript and metadata blocks are not asked for.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>\n"),
            TagEnd::Heading(_) => self.close_heading(),
            TagEnd::BlockQuote(_) => self.close_container("</blockquote>\n"),
            TagEnd::CodeBlock => self.close_code(),
            TagEnd::HtmlBlock => {
                self.out.truncate(self.out.trim_end().len());
                self.out.push_str("</p>\n");
            }
            TagEnd::List(is_ordered) => self.close_container(if is_ordered { "</ol>\n" } else { "</ul>\n" }),
            TagEnd::Item => self.close_container("</li>\n"),
            TagEnd::FootnoteDefinition => self.close_note(),
            TagEnd::Table => self.out.push_str("</tbody></table></section>\n"),
            TagEnd::TableHead => {
                self.table.is_head = false;
                self.out.push_str("</tr></thead><tbody>\n");
            }
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => {
                self.table.column += 1;
                self.out.push_str(if self.table.is_head { "</th>" } else { "</td>" });
            }
            TagEnd::Emphasis => self.close_container("</em>"),
            TagEnd::Strong => self.close_container("</strong>"),
            TagEnd::Strikethrough => self.close_container("</del>"),
            TagEnd::Link => {
                if self.links.pop() == Some(true) {
                    self.out.push_str("</a>");
                }
            }
            TagEnd::Image
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn open_container(&mut self, tag: &str, range: Range<usize>) {
        let is_written = self.open.last().copied().unwrap_or(true) && self.open.len() < DEPTH_MAX;
        self.open.push(is_written);
        if is_written {
            self.out.push_str(tag);
        } else if !self.is_too_deep {
            self.is_too_deep = true;
            let first = range.start..range.start + self.text[range].lines().next().map_or(0, str::len);
            self.report(&codes::TOO_DEEP, format!("nested deeper than {DEPTH_MAX} levels"), first, "from here on", |finding| {
                finding.note("the text inside stands without its markup")
            });
        }
    }

    fn close_container(&mut self, tag: &str) {
        if self.open.pop() == Some(true) {
            self.out.push_str(tag);
        }
    }

    fn open_heading(&mut self, level: HeadingLevel, range: Range<usize>) {
        let mut level = level as u8;
        if level == 1 {
            level = 2;
            self.report(&codes::BODY_TITLE, "a first-level heading in the text", range.clone(), "a second title", |finding| {
                finding
                    .help("the title comes from the front matter; start with `##`")
                    .note("shown as a heading of the second level")
            });
        }
        if self.open.is_empty() {
            if level > self.level + 1 {
                let expected = self.level + 1;
                let title = format!("a heading of level {level} where level {expected} comes next");
                self.report(&codes::SKIPPED_LEVEL, title, range, "skips a level", |finding| {
                    finding.help(format!("write it with `{}`", "#".repeat(usize::from(expected))))
                });
            }
            self.level = level;
        }
        self.heading = Some((level, self.out.len(), String::new()));
    }

    fn close_heading(&mut self) {
        let Some((level, at, text)) = self.heading.take() else { return };
        let id = self.ids.give(&text);
        let content = self.out.split_off(at);
        let _ = write!(self.out, "<h{level} id=\"{id}\">{content}<a class=\"anchor\" href=\"#");
        escape_address(&mut self.out, &id);
        self.out.push_str("\" aria-label=\"Link to this section: ");
        escape_into(&mut self.out, text.trim());
        let _ = writeln!(self.out, "\">#</a></h{level}>");
        if self.open.is_empty() && self.outer.is_empty() {
            self.headings.push(Heading { level, id, text: text.trim().to_owned() });
        }
    }

    fn close_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        self.out.push_str("<figure class=\"code\"><pre tabindex=\"0\" role=\"group\" aria-label=\"Code");
        if let Some(language) = &language {
            let _ = write!(self.out, ": {language}\"><code class=\"language-{language}\">");
        } else {
            self.out.push_str("\"><code>");
        }
        self.out.push_str(self.context.highlighter.code(language.as_deref(), &code).as_str());
        self.out.push_str("</code></pre></figure>\n");
    }

    fn open_table(&mut self, alignments: Vec<Alignment>) {
        self.table = Table { alignments, column: 0, is_head: false, count: self.table.count + 1 };
        let _ = write!(self.out, "<section class=\"scroll\" tabindex=\"0\" aria-label=\"Table {}", self.table.count);
        if let Some(heading) = self.headings.last() {
            self.out.push_str(": ");
            escape_into(&mut self.out, &heading.text);
        }
        self.out.push_str("\"><table>");
    }

    fn open_cell(&mut self) {
        self.out.push_str(if self.table.is_head { "<th scope=\"col\"" } else { "<td" });
        match self.table.alignments.get(self.table.column) {
            Some(Alignment::Right) => self.out.push_str(" class=\"right\">"),
            Some(Alignment::Center) => self.out.push_str(" class=\"center\">"),
            _ => self.out.push('>'),
        }
    }

    fn raw_html(&mut self, html: &str, range: Range<usize>) {
        if !html.starts_with("</") && !html.trim().is_empty() {
            let shown = range.start..range.start + html.trim_end().len();
            self.report(&codes::RAW_HTML, "HTML is shown as text", shown, "not markup here", |finding| {
                finding.help("write it in Markdown, or put it in backticks if it is meant to be read")
            });
        }
        self.push_text(html);
    }

    /// Reports at `range` of the Markdown.
    fn report(
        &mut self,
        code: &'static Code,
        title: impl Into<String>,
        range: Range<usize>,
        label: &str,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let trimmed = self.text[range.clone()].trim_end().len();
        let span = Span::from(range.start + self.start..range.start + self.start + trimmed);
        self.findings.push(more(Diagnostic::new(code, title).at(&self.file.path, span, label)));
    }
}

/// Links and images.
impl Writer<'_> {
    fn open_link(&mut self, dest: &str, title: &str, range: Range<usize>) {
        let target = link::target(dest, &self.file.path);
        let (address, is_outside) = match &target {
            Target::Outside(address) => (address.as_str(), !address.starts_with("mailto:")),
            Target::Inside(address) => (address.as_str(), false),
            Target::Unsafe(mended) => return self.http_link(dest, mended, range),
            Target::Astray(why) => return self.no_link(&codes::RELATIVE_LINK, dest, why, range),
            Target::Refused(why) => return self.no_link(&codes::REFUSED_LINK, dest, why, range),
        };
        self.links.push(true);
        self.out.push_str("<a href=\"");
        escape_address(&mut self.out, address);
        if !title.is_empty() {
            self.out.push_str("\" title=\"");
            escape_into(&mut self.out, title);
        }
        self.out.push_str(if is_outside { "\" rel=\"noopener noreferrer external\">" } else { "\">" });
    }

    fn no_link(&mut self, code: &'static Code, dest: &str, why: &str, range: Range<usize>) {
        self.links.push(false);
        self.report(code, format!("{}: `{}`", code.summary, dest.escape_debug()), range, why, |finding| {
            finding.note("its text stands without a link")
        });
    }

    fn http_link(&mut self, dest: &str, mended: &str, range: Range<usize>) {
        self.links.push(false);
        let at = self.text[range.clone()].rfind(dest).map(|at| range.start + at + self.start);
        let path = self.file.path.clone();
        self.report(&codes::HTTP_LINK, format!("the link to `{dest}` is not encrypted"), range, "`http:`", |finding| {
            let finding = finding.note("its text stands without a link");
            match at {
                Some(at) => finding.help(format!("link to `{mended}`")).fix(&path, at..at + dest.len(), mended),
                None => finding.help(format!("link to `{mended}`")),
            }
        });
    }

    fn image_event(&mut self, event: Event<'_>) {
        let Some(image) = &mut self.image else { return };
        match event {
            Event::Start(Tag::Image { .. }) => image.depth += 1,
            Event::End(TagEnd::Image) if image.depth > 0 => image.depth -= 1,
            Event::End(TagEnd::Image) => self.close_image(),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => image.alt.push_str(&text),
            Event::SoftBreak | Event::HardBreak => image.alt.push(' '),
            _ => {}
        }
    }

    fn close_image(&mut self) {
        let Some(Image { dest, title, alt, range, .. }) = self.image.take() else { return };
        if alt.trim().is_empty() {
            self.report(&codes::IMAGE_ALT, format!("the image `{dest}` has no text"), range.clone(), "says nothing", |finding| {
                finding.help("say between the brackets what it shows: `![Data flows one way](/static/flow.svg)`")
            });
        }
        let Some(address) = self.image_address(&dest, range) else {
            self.push_text(&alt);
            return;
        };
        self.out.push_str("<img src=\"");
        escape_address(&mut self.out, &address);
        self.out.push_str("\" alt=\"");
        escape_into(&mut self.out, alt.trim());
        if !title.is_empty() {
            self.out.push_str("\" title=\"");
            escape_into(&mut self.out, &title);
        }
        self.out.push_str("\" loading=\"lazy\" decoding=\"async\">");
    }

    /// The final address of the image at `dest`: `/static/…`, or a path relative to the file that leads there.
    fn image_address(&mut self, dest: &str, range: Range<usize>) -> Option<String> {
        let path = match dest.strip_prefix('/') {
            Some(rooted) => Some(rooted.into()),
            None => link::join(&self.file.path, dest),
        };
        let name = path.as_ref().and_then(|path| path.as_str().strip_prefix("static/")).unwrap_or_default();
        let known = self.context.images.and_then(|images| images.get(name));
        if let Some(address) = known {
            return Some(address.clone());
        }
        let near = self.context.images.and_then(|images| did_you_mean(name, images.keys().map(String::as_str)));
        let help = match near {
            Some(near) => format!("did you mean `/static/{near}`?"),
            None => "put the image into `static/` and write its path from there: `/static/flow.svg`".to_owned(),
        };
        let title = format!("the image `{}` is not in `static/`", dest.escape_debug());
        self.report(&codes::IMAGE_SOURCE, title, range, "no image of ours", |finding| {
            finding.help(help).note("its text stands in its place")
        });
        None
    }
}

/// Footnotes, and the end.
impl Writer<'_> {
    fn note_reference(&mut self, label: &str) {
        let note = self.notes.notes.entry(label.to_owned()).or_default();
        if note.number == 0 {
            self.notes.order.push(label.to_owned());
            note.number = self.notes.order.len();
            note.id = self.ids.give(&format!("note {}", note.number));
        }
        let number = note.number;
        let is_link_possible = self.links.is_empty() && self.heading.is_none();
        if is_link_possible {
            let own = self.ids.give(&format!("note {number} reference"));
            let _ =
                write!(self.out, "<sup id=\"{own}\"><a href=\"#{}\" aria-label=\"Note {number}\">{number}</a></sup>", note.id);
            note.uses.push(own);
        } else {
            let _ = write!(self.out, "<sup>{number}</sup>");
        }
    }

    fn close_note(&mut self) {
        let html = std::mem::replace(&mut self.out, self.outer.pop().unwrap_or_default());
        let Some(label) = self.notes.open.pop() else { return };
        self.notes.notes.entry(label).or_default().html.get_or_insert(html);
    }

    fn finish(mut self) -> (Prose, Vec<Diagnostic>) {
        let mut notes = std::mem::take(&mut self.notes);
        let mut labels = std::mem::take(&mut notes.order);
        labels.extend(notes.notes.iter().filter(|(_, note)| note.number == 0).map(|(label, _)| label.clone()));
        if !labels.is_empty() {
            self.out.push_str("<section class=\"notes\" aria-label=\"Notes\"><ol>\n");
            for label in &labels {
                let Some(note) = notes.notes.get(label) else { continue };
                if note.number == 0 {
                    self.out.push_str("<li>");
                } else {
                    let _ = write!(self.out, "<li id=\"{}\">", note.id);
                }
                self.out.push_str(note.html.as_deref().unwrap_or_default());
                for place in &note.uses {
                    let _ = write!(self.out, "<a href=\"#{place}\" aria-label=\"Back to the text\">↩</a>");
                }
                self.out.push_str("</li>\n");
            }
            self.out.push_str("</ol></section>\n");
        }
        (Prose { html: Html::vouched(self.out), headings: self.headings }, self.findings)
    }
}

/// The language of a code block: the first word after the fence, if it is fit for a class name.
fn language(info: &str) -> Option<String> {
    let word = info.split([' ', ',', '\t']).next().unwrap_or_default();
    let fits = !word.is_empty() && word.len() <= 32 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-#_".contains(&b));
    fits.then(|| word.to_ascii_lowercase())
}
