//! The finished site: every URL path and its bytes, complete before a byte is written. Here it is checked (links, fragments,
//! https, weight) and written atomically; here too are its assets and its machine-readable files.

pub mod assets;
mod check;
pub mod codes;
mod css;
mod drawing;
pub mod feeds;
pub mod headers;
mod markup;
mod place;
mod script;
pub mod sitemap;
pub mod write;

pub use assets::{Asset, Assets};
pub use check::{PageFacts, Policy, check, check_facts};

use std::collections::BTreeMap;
use std::sync::Arc;

/// A file of the site: a path from `/`, as it is asked for (`/clients/`, `/clients/index.json`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct UrlPath(String);

impl UrlPath {
    /// The path, if it starts with `/`, has no empty, `.` or `..` segment and only URL-safe characters.
    pub fn new(path: impl Into<String>) -> Option<UrlPath> {
        let path = path.into();
        let inner = path.strip_prefix('/')?;
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let fits = path == "/"
            || inner.split('/').all(|segment| {
                !segment.is_empty()
                    && segment != "."
                    && segment != ".."
                    && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~@".contains(&b))
            });
        fits.then_some(UrlPath(path))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file that a static host serves for it: `index.html` in a folder, itself otherwise. Relative, without `/` in front.
    pub fn file(&self) -> String {
        let inner = self.0.trim_start_matches('/');
        if inner.is_empty() || inner.ends_with('/') { format!("{inner}index.html") } else { inner.to_owned() }
    }

    /// Whether an HTML page stands there.
    pub fn is_page(&self) -> bool {
        self.0.ends_with('/') || self.0.ends_with(".html")
    }
}

impl std::borrow::Borrow<str> for UrlPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for UrlPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Every file of the site.
#[derive(Debug, Default)]
pub struct Site {
    /// By path.
    pub files: BTreeMap<UrlPath, Arc<[u8]>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root() {
        for path in ["/", "/a/", "/a/b.json", "/.well-known/x", "/404.html", "/_headers"] {
            assert!(UrlPath::new(path).is_some(), "{path}");
        }
        for path in ["", "a", "//", "/a//b", "/../a", "/a/..", "/./", "/a b", "/a%20b", "/a\\b", "/a?b", "/a#b", "/é", "/a\0"] {
            assert!(UrlPath::new(path).is_none(), "{path}");
        }
    }
}
