//! `sitemap.xml` and `robots.txt`.

use super::{UrlPath, feeds::xml};
use std::fmt::Write as _;

/// The sitemap of `pages`: each with the day it changed, where that is known. `base_url` is where the site stands, ending in `/`.
/// The order is kept.
pub fn sitemap<'p>(base_url: &str, pages: impl IntoIterator<Item = (&'p UrlPath, Option<&'p str>)>) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (path, changed) in pages {
        let _ = write!(out, "<url><loc>{}{}</loc>", xml(base_url), xml(path.as_str().trim_start_matches('/')));
        if let Some(changed) = changed {
            let _ = write!(out, "<lastmod>{}</lastmod>", xml(changed));
        }
        out.push_str("</url>\n");
    }
    out.push_str("</urlset>\n");
    out
}

/// A `robots.txt` that lets everybody in and names the sitemap.
pub fn robots(base_url: &str) -> String {
    format!("User-agent: *\nAllow: /\n\nSitemap: {base_url}sitemap.xml\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed_in_order() {
        let (a, b) = (UrlPath::new("/").unwrap(), UrlPath::new("/a/").unwrap());
        let text = sitemap("https://book.example/", [(&a, None), (&b, Some("2026-11-30"))]);
        assert!(text.contains(
            "<url><loc>https://book.example/</loc></url>\n<url><loc>https://book.example/a/</loc><lastmod>2026-11-30<"
        ));
    }
}
