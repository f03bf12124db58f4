//! The finished site: every URL path and its bytes, complete before a byte is written. Here it is checked (links, fragments,
//! https, weight) and written atomically.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A file of the site: a path from `/`, as it is asked for (`/clients/`, `/clients/index.json`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlPath(String);

impl UrlPath {
    /// The path, if it starts with `/`, has no empty, `.` or `..` segment and only URL-safe characters.
    pub fn new(path: impl Into<String>) -> Option<UrlPath> {
        let path = path.into();
        let inner = path.strip_prefix('/')?;
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let fits = inner.is_empty()
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
}

/// Every file of the site.
#[derive(Debug, Default)]
pub struct Site {
    /// By path.
    pub files: BTreeMap<UrlPath, Arc<[u8]>>,
}
