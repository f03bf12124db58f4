//! Feeds of what changed: Atom and JSON Feed, from the same plain entries. The same entries give the same bytes.

use std::fmt::Write as _;

/// What a feed says of itself.
#[derive(Debug, Clone)]
pub struct Feed {
    /// Its title.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// Where the site stands, ending in `/`.
    pub base_url: String,
    /// The path of the page that shows the same, from `/`.
    pub page: String,
    /// BCP 47 tag of the language.
    pub language: String,
    /// The day of a feed without entries: `2026-11-30`.
    pub as_of: String,
}

/// One entry of a feed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The day: `2026-11-30`.
    pub date: String,
    /// Its path of the site, from `/`, with a fragment if it is a part of a page. Also its identity: it never changes.
    pub address: String,
    /// Its title.
    pub title: String,
    /// What changed, as plain text.
    pub text: String,
}

/// The feed in Atom (RFC 4287). `address` is its own path, from `/`.
pub fn atom(feed: &Feed, address: &str, entries: &[Entry]) -> String {
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=");
    let _ = write!(out, "\"{}\">\n<title>{}</title>\n", xml(&feed.language), xml(&feed.title));
    let _ = writeln!(out, "<subtitle>{}</subtitle>", xml(&feed.description));
    let _ = writeln!(out, "<id>{}</id>", xml(&absolute(feed, address)));
    let _ = writeln!(out, "<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>", xml(&absolute(feed, address)));
    let _ = writeln!(out, "<link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>", xml(&absolute(feed, &feed.page)));
    let newest = entries.iter().map(|entry| entry.date.as_str()).max().unwrap_or(&feed.as_of);
    let _ = writeln!(out, "<updated>{}</updated>", time(newest));
    let _ = writeln!(out, "<author><name>{}</name></author>", xml(&feed.title));
    for entry in sorted(entries) {
        let url = xml(&absolute(feed, &entry.address));
        let _ = writeln!(out, "<entry>\n<title>{}</title>\n<id>{url}</id>", xml(&entry.title));
        let _ = writeln!(out, "<link rel=\"alternate\" type=\"text/html\" href=\"{url}\"/>");
        let _ = writeln!(out, "<updated>{}</updated>", time(&entry.date));
        let _ = writeln!(out, "<summary>{}</summary>\n</entry>", xml(&entry.text));
    }
    out.push_str("</feed>\n");
    out
}

/// The feed as JSON Feed 1.1. `address` is its own path, from `/`.
pub fn json(feed: &Feed, address: &str, entries: &[Entry]) -> String {
    let items: Vec<serde_json::Value> = sorted(entries)
        .into_iter()
        .map(|entry| {
            let url = absolute(feed, &entry.address);
            serde_json::json!({
                "id": url,
                "url": url,
                "title": entry.title,
                "content_text": entry.text,
                "date_published": time(&entry.date),
            })
        })
        .collect();
    let value = serde_json::json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": feed.description,
        "home_page_url": absolute(feed, &feed.page),
        "feed_url": absolute(feed, address),
        "language": feed.language,
        "items": items,
    });
    format!("{value:#}\n")
}

/// Newest first, ties by address.
fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| (&b.date, &a.address, &a.title).cmp(&(&a.date, &b.address, &b.title)));
    sorted
}

fn absolute(feed: &Feed, address: &str) -> String {
    format!("{}{}", feed.base_url, address.trim_start_matches('/'))
}

/// A day as a time, which feeds want. A day that is known in part only is its first day.
fn time(date: &str) -> String {
    match date.len() {
        4 => format!("{date}-01-01T00:00:00Z"),
        7 => format!("{date}-01T00:00:00Z"),
        _ => format!("{date}T00:00:00Z"),
    }
}

/// `text` as XML text or in a quoted attribute; characters that XML cannot hold are left out.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed() -> Feed {
        Feed {
            title: "Changes & more".into(),
            description: "What changed".into(),
            base_url: "https://book.example/".into(),
            page: "/changes/".into(),
            language: "en".into(),
            as_of: "2026-11-30".into(),
        }
    }

    fn entry(date: &str, address: &str) -> Entry {
        Entry { date: date.into(), address: address.into(), title: "<b>\u{1}".into(), text: "a & \"b\"".into() }
    }

    #[test]
    fn entries_come_newest_first_whatever_their_order() {
        let entries = [entry("2026-01", "/b/"), entry("2026-02-03", "/a/#x"), entry("2026-02-03", "/a/")];
        let mut turned = entries.to_vec();
        turned.reverse();
        assert_eq!(atom(&feed(), "/changes/atom.xml", &entries), atom(&feed(), "/changes/atom.xml", &turned));
        let text = json(&feed(), "/changes/feed.json", &entries);
        assert_eq!(text, json(&feed(), "/changes/feed.json", &turned));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["items"][0]["id"], "https://book.example/a/");
        assert_eq!(value["items"][2]["date_published"], "2026-01-01T00:00:00Z");
    }

    #[test]
    fn text_is_never_markup_and_the_newest_day_counts() {
        let text = atom(&feed(), "/changes/atom.xml", &[entry("2026-01-02", "/b/")]);
        assert!(text.contains("<title>&lt;b&gt;</title>") && text.contains("<summary>a &amp; &quot;b&quot;</summary>"), "{text}");
        assert!(text.contains("<updated>2026-01-02T00:00:00Z</updated>"));
        assert!(atom(&feed(), "/a", &[]).contains("<updated>2026-11-30T00:00:00Z</updated>"));
    }
}
