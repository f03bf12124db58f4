//! What an SVG file may not hold: it is a document of its own, which a person can open, and then its scripts would run.

use super::css;
use super::markup::{Tags, decode};
use std::ops::Range;

/// Why a drawing is not harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Harm {
    /// It could run a script, or holds what is no drawing; what, and where.
    Script(String, Range<usize>),
    /// It names something outside of itself.
    Load(String, Range<usize>),
}

/// Everything in the drawing `text` that could do harm.
pub(super) fn harms(text: &str) -> Vec<Harm> {
    let mut found = Vec::new();
    let place = |part: &str| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        start..start + part.len()
    };
    for marker in ["<!ENTITY", "<!DOCTYPE", "<?xml-stylesheet"] {
        if let Some(at) = text.find(marker) {
            found.push(Harm::Script(format!("`{marker}`"), at..at + marker.len()));
        }
    }
    for tag in Tags::of_drawing(text) {
        let name = tag.name.rsplit(':').next().unwrap_or(tag.name);
        if ["script", "foreignobject", "iframe", "embed", "object", "handler", "listener", "audio", "video"]
            .iter()
            .any(|refused| name.eq_ignore_ascii_case(refused))
        {
            found.push(Harm::Script(format!("`<{}>`", tag.name), place(tag.name)));
        }
        if name.eq_ignore_ascii_case("style") {
            for reference in css::references(tag.raw).iter().filter(|reference| !reference.address.starts_with('#')) {
                found.push(Harm::Load(reference.address.to_string(), place(&tag.raw[reference.range.clone()])));
            }
        }
        for (attribute, value) in tag.attributes() {
            let own = attribute.rsplit(':').next().unwrap_or(attribute);
            let decoded = decode(value);
            if own.len() > 2 && own[..2].eq_ignore_ascii_case("on") {
                found.push(Harm::Script(format!("`{attribute}`"), place(attribute)));
            } else if own.eq_ignore_ascii_case("href") || own.eq_ignore_ascii_case("src") {
                if !decoded.starts_with('#') {
                    found.push(Harm::Load(decoded.into_owned(), place(value)));
                }
            } else if decoded.contains('(') || decoded.contains('\\') {
                // `fill="url(#a)"`, `style="mask:url(…)"`.
                let outside = css::references(&decoded).into_iter().find(|reference| !reference.address.starts_with('#'));
                if let Some(reference) = outside {
                    found.push(Harm::Load(reference.address.into_owned(), place(value)));
                }
            } else if ["to", "from", "values", "by"].contains(&own) && css::names_a_host(&decoded) {
                found.push(Harm::Load(decoded.into_owned(), place(value)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_harmless() {
        let text = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"><!-- \
                    <script> --><style>a{fill:url(#b)}</style><title>on</title><g fill=\"url(#a)\" transform=\"rotate(3)\"><use \
                    xlink:href=\"#c\"/></g></svg>";
        assert_eq!(harms(text), []);
    }

    #[test]
    fn every_harm_is_seen() {
        for text in [
            "<svg><script>x</script></svg>",
            "<svg><script/></svg>",
            "<svg:script>",
            "<svg onload=\"x\">",
            "<svg><foreignObject>",
            "<svg><a href=\"javascript:x\">",
            "<svg><a xlink:href=\"java&#115;cript:x\">",
            "<svg><image href=\"https://a.example/b.png\"/>",
            "<svg><image href=\"data:image/png;base64,A\"/>",
            "<svg><use href=\"/a.svg#b\"/>",
            "<svg><style>@import 'https://a.example';</style>",
            "<svg><g style=\"fill:url(https://a.example)\">",
            "<svg><g fill=\"url('//a.example')\">",
            "<svg><set attributeName=\"href\" to=\"javascript:x\"/>",
            "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>",
            "<?xml-stylesheet href=\"a.css\"?><svg>",
        ] {
            assert!(!harms(text).is_empty(), "{text}");
            for harm in harms(text) {
                let (Harm::Script(_, range) | Harm::Load(_, range)) = harm;
                assert!(text.get(range).is_some_and(|part| !part.is_empty()), "{text}");
            }
        }
    }
}
