//! The list that makes a folder ours: every file in it, with a hash and a size. It is the last thing written into a generation.

use super::WriteError;
use crate::site::UrlPath;
use camino::Utf8Path;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};

/// The list's name in the output folder.
pub const LIST: &str = ".clientbook.json";

/// What a file's content is told by. The hash only has to tell one build's file from the last one's; it guards against nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    hash: u64,
    /// In bytes.
    pub(super) size: u64,
}

impl Stamp {
    pub(super) fn of(bytes: &[u8]) -> Stamp {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Stamp { hash: hasher.finish(), size: bytes.len() as u64 }
    }
}

/// Files of a generation, relative to it, with `/`.
pub(super) type Files = BTreeMap<String, Stamp>;

/// The list as text. The same files give the same text.
pub(super) fn to_text(files: &Files) -> String {
    let mut out = String::with_capacity(files.len() * 64 + 64);
    out.push_str("{\"clientbook\":1,\"files\":{");
    for (at, (file, stamp)) in files.iter().enumerate() {
        // Names are those of `UrlPath`: nothing in them needs an escape.
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\n\"{file}\":[\"{:016x}\",{}]", stamp.hash, stamp.size);
    }
    out.push_str("\n}}\n");
    out
}

#[derive(serde::Deserialize)]
struct List {
    clientbook: u32,
    files: BTreeMap<String, (String, u64)>,
}

/// The files of a list; `None` if it is none of ours. A name that could lead out of the folder makes it none of ours.
pub(super) fn from_text(text: &str) -> Option<Files> {
    let list: List = serde_json::from_str(text).ok()?;
    if list.clientbook != 1 {
        return None;
    }
    list.files
        .into_iter()
        .map(|(file, (hash, size))| {
            UrlPath::new(format!("/{file}")).filter(|path| path.file() == file)?;
            Some((file, Stamp { hash: u64::from_str_radix(&hash, 16).ok()?, size }))
        })
        .collect()
}

/// The list in `folder`, with the time it was written; `None` if there is none or it is none of ours.
pub(super) fn read(folder: &Utf8Path) -> Option<(Files, std::time::SystemTime)> {
    let path = folder.join(LIST);
    let data = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let files = from_text(&std::fs::read_to_string(&path).ok()?)?;
    Some((files, data.modified().ok()?))
}

/// Writes the list of `folder`.
pub(super) fn write(folder: &Utf8Path, files: &Files) -> Result<(), WriteError> {
    let path = folder.join(LIST);
    std::fs::write(&path, to_text(files)).map_err(WriteError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back() {
        let files: Files = [("index.html".to_owned(), Stamp::of(b"a")), ("a/b.json".to_owned(), Stamp::of(b""))].into();
        assert_eq!(from_text(&to_text(&files)), Some(files));
        assert_eq!(from_text(&to_text(&Files::new())), Some(Files::new()));
    }

    #[test]
    fn a_list_that_leads_out_is_none() {
        for name in ["../x", "/etc/passwd", "a/../../x", "a//b", "a/", "", "a\\b", "."] {
            let text = serde_json::json!({"clientbook": 1, "files": {name: ["00", 0]}}).to_string();
            assert_eq!(from_text(&text), None, "{name}");
        }
        for text in ["", "{}", "[]", "{\"clientbook\":2,\"files\":{}}", "{\"clientbook\":1,\"files\":{\"a\":[\"x\",0]}}"] {
            assert_eq!(from_text(text), None, "{text}");
        }
    }
}
