//! Markdown from many hands: whatever it says, what comes out is our own markup around harmless text.

use clientbook::diagnostic::Diagnostic;
use clientbook::guide::{Context, Highlighter, Prose, prose};
use clientbook::source::SourceTree;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn render(text: &str) -> (Prose, Vec<Diagnostic>) {
    let tree = SourceTree::from_files([("content/kit/a.md", text)]);
    let images = BTreeMap::from([("flow.svg".to_owned(), "/assets/flow.01234567.svg".to_owned())]);
    let highlighter = Highlighter::default();
    let context = Context { highlighter: &highlighter, images: Some(&images) };
    prose(tree.get("content/kit/a.md").expect("just made"), 0, context)
}

fn html(text: &str) -> String {
    render(text).0.html.as_str().to_owned()
}

fn codes(text: &str) -> Vec<&'static str> {
    render(text).1.iter().map(|finding| finding.code.id).collect()
}

/// Holds `html` to our own tags and attributes, each well formed, opened and closed in order.
fn assert_ours(html: &str, input: &str) {
    const TAGS: &[&str] = &[
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "div",
        "em",
        "figure",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "span",
        "strong",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    const ATTRIBUTES: &[&str] = &[
        "alt",
        "aria-label",
        "class",
        "decoding",
        "href",
        "id",
        "loading",
        "rel",
        "role",
        "scope",
        "src",
        "start",
        "tabindex",
        "title",
    ];
    let shown: String = input.chars().take(80).collect();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "a bare `>` for {shown:?}");
        let end = at + rest[at..].find('>').unwrap_or_else(|| panic!("an open tag for {shown:?}"));
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "for {shown:?}");
            continue;
        }
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(TAGS.contains(&name), "<{name}> for {shown:?}");
        while !attributes.is_empty() {
            let (attribute, after) = attributes.split_once("=\"").unwrap_or_else(|| panic!("{tag} for {shown:?}"));
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} for {shown:?}");
            let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("{tag} for {shown:?}"));
            if attribute == "href" {
                let is_fit = ["https://", "mailto:", "#"].iter().any(|start| value.to_lowercase().starts_with(start))
                    || value.starts_with('/') && !value.starts_with("//");
                assert!(is_fit, "a link to {value:?} for {shown:?}");
            }
            if attribute == "src" {
                assert!(value.starts_with("/assets/"), "an image from {value:?} for {shown:?}");
            }
            attributes = after.trim_start();
        }
        if !["br", "hr", "img"].contains(&name) {
            if name == "a" {
                assert!(!open.contains(&"a"), "a link in a link for {shown:?}");
            }
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} left open for {shown:?}");
}

#[test]
fn script_in_every_place_is_text() {
    let payloads = [
        "<script>alert(1)</script>",
        "<svg onload=alert(1)>",
        "<img src=x onerror=alert(1)>",
        "\"><script>alert(1)</script>",
        "' onmouseover='alert(1)",
        "<!-- --><script>alert(1)</script>",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<?php script ?>",
        "<a href=\"javascript:alert(1)\">x</a>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&#60;script&#62;",
        "javascript:alert(1)",
        "java&#10;script:alert(1)",
        "&#1;javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "</code></pre><script>alert(1)</script>",
        "</section><script>",
        "\u{0}<script\u{0}>",
        "{{ 7*7 }}{% raw %}",
    ];
    let places = [
        "X",
        "# X",
        "### X\n\n### X",
        "> X",
        "- X",
        "1. X",
        "*X* **X** ~~X~~ `X`",
        "    X",
        "```X\nX\n```",
        "```html X\nX\n```",
        "```python\nX\n```",
        "[X](X)",
        "[X](<X>)",
        "[X](/a \"X\")",
        "[X](https://example.org/X)",
        "[X](#X)",
        "[X]\n\n[X]: X",
        "[a]\n\n[a]: X 'X'",
        "[a]\n\n[a]: https://example.org/ 'X'",
        "![X](X)",
        "![X](/static/flow.svg \"X\")",
        "[![X](/static/flow.svg)](X)",
        "![a ![X](X) b](/static/flow.svg)",
        "<X>",
        "<https://example.org/X>",
        "| X | X |\n| - | -: |\n| X | `X` |",
        "a[^X]\n\n[^X]: X",
        "a[^b]\n\n[^b]: X",
        "a\\X",
        "X\nX  \nX",
    ];
    for place in places {
        for payload in payloads {
            let text = place.replace('X', payload);
            let (prose, _) = render(&text);
            assert_ours(prose.html.as_str(), &text);
        }
    }
}

#[test]
fn markup_cannot_be_pieced_together() {
    let pieces = [
        "<",
        ">",
        "\"",
        "'",
        "&",
        "`",
        "```\n",
        "[",
        "]",
        "(",
        ")",
        "!",
        "*",
        "_",
        "|",
        "\n",
        "\n\n",
        "    ",
        "> ",
        "- ",
        "#",
        ":",
        "\\",
        "^",
        "~",
        "<a href=",
        "script",
        "javascript:",
        "[^1]",
        "[^1]: ",
        "| - |\n",
        "https://a.b/",
        "/",
        "<!--",
        "-->",
        "&#0;",
        "é",
        "\t",
    ];
    // A small generator of our own: the same pieces on every machine.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..4_000 {
        let text: String = (0..next(40)).map(|_| pieces[next(pieces.len())]).collect();
        let (prose, findings) = render(&text);
        assert_ours(prose.html.as_str(), &text);
        for label in findings.iter().flat_map(|finding| &finding.labels) {
            let span = label.span.expect("every finding has a place");
            assert!(text.get(span.range()).is_some(), "{span:?} of {text:?}");
        }
    }
}

#[test]
fn depth_and_size_cost_no_stack_and_little_time() {
    let start = Instant::now();
    let n = 10_000;
    let nested: String = (0..1_500).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
    let inputs = [
        format!("{}a", "> ".repeat(n)),
        format!("{}a", "- ".repeat(n)),
        nested,
        format!("{}a", "1. ".repeat(n)),
        format!("{}a{}", "[".repeat(n), "](/b)".repeat(n)),
        format!("{}a{}", "![".repeat(n), "](/b)".repeat(n)),
        format!("{}a{}", "*".repeat(n), "*".repeat(n)),
        "*a ".repeat(n),
        "**a*".repeat(n),
        "_a_*b*".repeat(n),
        "`".repeat(n),
        "` `` ```".repeat(n),
        "<".repeat(n),
        "<a ".repeat(n),
        "<!--".repeat(n),
        "<?".repeat(n),
        "&".repeat(n),
        "|".repeat(n),
        format!("|{}\n|{}\n|{}", "a|".repeat(n), "-|".repeat(n), "b|".repeat(n)),
        format!("|{}\n|{}\n{}", "a|".repeat(1_000), "-|".repeat(1_000), "|b\n".repeat(2_000)),
        "# a\n".repeat(n),
        (0..n).map(|i| format!("[^{i}]")).chain((0..n).map(|i| format!("\n\n[^{i}]: a"))).collect(),
        (0..n).map(|i| format!("[{i}]: /a\n")).chain((0..n).map(|i| format!("[{i}] "))).collect(),
        format!("[a]: /{}\n\n{}", "b".repeat(n), "[a] ".repeat(n / 10)),
        "~~a".repeat(n),
        "\\".repeat(n),
        "a\n".repeat(n),
        "```x\n".repeat(n),
    ];
    for input in &inputs {
        let from = Instant::now();
        let (prose, _) = render(input);
        assert_ours(prose.html.as_str(), input);
        let shown: String = input.chars().take(20).collect();
        assert!(from.elapsed() < Duration::from_secs(10), "{:?} for {shown:?} …", from.elapsed());
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn what_is_written_well_looks_well() {
    let (prose, findings) = render(concat!(
        "Text with *stress*, `a < b` and a [link](https://example.org/?a=1&b=2 \"there\").\n\n",
        "## The marks\n\nSee [below](#the-marks-2), [drivers](driver.md#how) and ![a flow](/static/flow.svg).[^n]\n\n",
        "### The marks\n\n| a | b |\n| :-: | -: |\n| 1 | 2 |\n\n```toml\na = 1\n```\n\n[^n]: A *note*.\n",
    ));
    assert_eq!(findings.len(), 0, "{findings:?}");
    let html = prose.html.as_str();
    for part in [
        "<p>Text with <em>stress</em>, <code>a &lt; b</code> and a <a href=\"https://example.org/?a=1&amp;b=2\" title=\"there\" \
         rel=\"noopener noreferrer external\">link</a>.</p>",
        "<h2 id=\"the-marks\">The marks<a class=\"anchor\" href=\"#the-marks\" aria-label=\"Link to this section: The marks\">#</a></h2>",
        "<a href=\"#the-marks-2\">below</a>",
        "<a href=\"/kit/driver/#how\">drivers</a>",
        "<img src=\"/assets/flow.01234567.svg\" alt=\"a flow\" loading=\"lazy\" decoding=\"async\">",
        "<section class=\"scroll\" tabindex=\"0\" aria-label=\"Table 1: The marks\"><table><thead><tr>\
         <th scope=\"col\" class=\"center\">a</th><th scope=\"col\" class=\"right\">b</th></tr></thead>",
        "<figure class=\"code\"><pre tabindex=\"0\" role=\"group\" aria-label=\"Code: toml\"><code class=\"language-toml\">a = <span \
         class=\"nu\">1</span></code></pre></figure>",
        "<sup id=\"note-1-reference\"><a href=\"#note-1\" aria-label=\"Note 1\">1</a></sup>",
        "<li id=\"note-1\"><p>A <em>note</em>.</p>\n<a href=\"#note-1-reference\" aria-label=\"Back to the text\">↩</a></li>",
    ] {
        assert!(html.contains(part), "{part}\nis not in\n{html}");
    }
    let ids: Vec<_> = prose.headings.iter().map(|heading| (heading.level, heading.id.as_str())).collect();
    assert_eq!(ids, [(2, "the-marks"), (3, "the-marks-2")]);
}

#[test]
fn each_fault_has_its_code_and_its_place() {
    for (text, code) in [
        ("[a](javascript:x)", "CB300"),
        ("[a](java&#10;script:x)", "CB300"),
        ("<javascript:x>", "CB300"),
        ("[a](//example.org)", "CB300"),
        ("[a](http://example.org)", "CB301"),
        ("<http://example.org>", "CB301"),
        ("[a](b.html)", "CB302"),
        ("[a](../../../x.md)", "CB302"),
        ("![a](https://example.org/a.png)", "CB303"),
        ("![a](data:image/png;base64,AAAA)", "CB303"),
        ("![a](/static/../clientbook.toml)", "CB303"),
        ("![](/static/flow.svg)", "CB304"),
        ("# a", "CB305"),
        ("## a\n#### b", "CB306"),
        ("<br>", "CB307"),
        ("a <b>c</b>", "CB307"),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
    assert_eq!(codes(&"> ".repeat(100)), ["CB308"]);
    assert_eq!(html("[a](java\nscript:x)"), "<p>[a](java\nscript:x)</p>\n");
}

#[test]
fn an_http_link_can_be_mended() {
    let text = "See [http://example.org](http://example.org/a) now.";
    let (_, findings) = render(text);
    let fix = findings[0].fix.as_ref().expect("the mend is certain");
    let mut mended = text.to_owned();
    mended.replace_range(fix.span.range(), &fix.replacement);
    assert_eq!(mended, "See [http://example.org](https://example.org/a) now.");
}
