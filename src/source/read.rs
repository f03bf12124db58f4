//! Walks the input folders and reads what may be read.

use super::{FILE_BYTES_MAX, INPUTS, SourceFile, SourceTree, codes};
use crate::diagnostic::{Diagnostic, is_hidden, visible};
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// Folders below an input folder; deeper ones are a finding.
const DEPTH_MAX: usize = 16;

/// Folders below a client that tools make; nothing in them is input.
const GENERATED: &[&str] = &["node_modules", "target", ".venv", "venv", "bin", "obj", "__pycache__"];

/// Files of these kinds need not be text.
const BINARY: &[&str] =
    &["png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "woff", "woff2", "ttf", "otf", "pdf", "wasm", "jar", "gz", "zip", "br"];

/// Reads the inputs below `root` over `tree`.
pub(super) fn read(root: &Utf8Path, mut tree: SourceTree) -> (SourceTree, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut files = Vec::new();
    let real_root = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
    for input in INPUTS {
        walk(root, &real_root, input, &mut files, &mut findings);
    }
    report_case_conflicts(&mut files, &mut findings);
    let read: Vec<(Utf8PathBuf, Result<Vec<u8>, Diagnostic>)> = files
        .into_par_iter()
        .map(|path| {
            let result = bounded(root, &path);
            (path, result)
        })
        .collect();
    for (path, result) in read {
        match result {
            Ok(bytes) => {
                findings.extend(report_not_utf8(&path, &bytes));
                tree.insert(path, bytes);
            }
            Err(finding) => findings.push(finding),
        }
    }
    (tree, findings)
}

/// Reads the files at `paths` again into `tree`. `false`, and nothing is changed, when that is not enough: one of them is new,
/// gone, no plain file, or there is something to report of it.
pub(super) fn read_again(root: &Utf8Path, tree: &mut SourceTree, paths: &BTreeSet<Utf8PathBuf>) -> bool {
    let is_plain = |path: &Utf8Path| root.join(path).symlink_metadata().is_ok_and(|data| data.is_file());
    let mut read = Vec::new();
    for path in paths {
        if tree.get(path).is_none() || !is_plain(path) {
            return false;
        }
        match bounded(root, path) {
            Ok(bytes) if report_not_utf8(path, &bytes).is_none() => read.push((path.clone(), bytes)),
            _ => return false,
        }
    }
    for (path, bytes) in read {
        tree.insert(path, bytes);
    }
    true
}

/// Adds the files below `input` to `files`, and what may not be read to `findings`.
fn walk(root: &Utf8Path, real_root: &Utf8Path, input: &str, files: &mut Vec<Utf8PathBuf>, findings: &mut Vec<Diagnostic>) {
    let top = root.join(input);
    if top.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return;
    }
    let walk = WalkDir::new(&top).follow_links(false).follow_root_links(false).sort_by_file_name().max_depth(DEPTH_MAX);
    let mut entries = walk.into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().map_or_else(|| input.into(), |path| shown(root, path));
                findings.push(unreadable(&path, &error.to_string()));
                continue;
            }
        };
        let kind = entry.file_type();
        if is_skipped(root, &entry) {
            if kind.is_dir() {
                entries.skip_current_dir();
            }
            continue;
        }
        let path = shown(root, entry.path());
        if let Some(finding) = report_name(&entry, &path) {
            findings.push(finding);
            if kind.is_dir() {
                entries.skip_current_dir();
            }
        } else if kind.is_symlink() {
            match link_target(real_root, &entry) {
                Ok(()) => files.push(path),
                Err(why) => findings.push(link(&path, why)),
            }
        } else if kind.is_file() {
            files.push(path);
        } else if !kind.is_dir() {
            findings.push(unreadable(&path, "neither a file nor a folder"));
        } else if entry.depth() == DEPTH_MAX {
            findings.push(Diagnostic::new(&codes::TOO_DEEP, format!("more than {DEPTH_MAX} folders deep")).in_file(&path));
        }
    }
}

/// The path as findings show it: relative to the root, `/` between names, wrong UTF-8 replaced.
fn shown(root: &Utf8Path, path: &Path) -> Utf8PathBuf {
    let below = path.strip_prefix(root).unwrap_or(path);
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/").into()
}

/// Hidden files, back-ups of editors, what tools make below a client, and drivers (which the site does not read).
fn is_skipped(root: &Utf8Path, entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return false;
    }
    let name = entry.file_name().to_string_lossy();
    if name.starts_with(['.', '#']) || name.ends_with(['~', '#']) {
        return true;
    }
    if Utf8Path::new(&name).extension().is_some_and(|ext| ["bak", "orig", "rej", "swp", "swo", "tmp"].contains(&ext)) {
        return true;
    }
    let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
    let in_client = entry.depth() >= 2 && below.starts_with("clients");
    in_client && entry.file_type().is_dir() && (GENERATED.contains(&&*name) || (entry.depth() == 2 && name == "driver"))
}

fn report_name(entry: &DirEntry, path: &Utf8Path) -> Option<Diagnostic> {
    let name = entry.file_name();
    let why = match name.to_str() {
        None => "is not UTF-8",
        Some(name) if name.contains(is_hidden) => "holds a character that cannot be seen",
        Some(name) if name.contains(['\\', ':', '*', '?', '"', '<', '>', '|']) => {
            "holds a character that not every system allows"
        }
        Some(name) if name.ends_with([' ', '.']) => "ends in a space or a full stop, which not every system allows",
        Some(_) => return None,
    };
    let shown = name.to_string_lossy();
    Some(
        Diagnostic::new(&codes::BAD_NAME, format!("the name `{}` {why}", visible(&shown)))
            .in_file(path)
            .help("rename it; letters, digits, `-`, `_` and `.` are safe everywhere")
            .note("it was not read"),
    )
}

/// Only a link to a file below the root is followed: no folder can be reached twice, and nothing outside is read.
fn link_target(real_root: &Utf8Path, entry: &DirEntry) -> Result<(), &'static str> {
    let Ok(target) = entry.path().canonicalize() else { return Err("leads nowhere, or in a circle") };
    if !target.starts_with(real_root) {
        return Err("leads out of the catalogue");
    }
    match target.metadata() {
        Ok(data) if data.is_file() => Ok(()),
        _ => Err("leads to something that is not a file"),
    }
}

fn link(path: &Utf8Path, why: &str) -> Diagnostic {
    Diagnostic::new(&codes::LINK, format!("the symbolic link {why}"))
        .in_file(path)
        .help("put the file itself here; a link may only lead to a file below the root")
        .note("it was not followed")
}

fn unreadable(path: &Utf8Path, why: &str) -> Diagnostic {
    Diagnostic::new(&codes::UNREADABLE, format!("cannot be read: {why}")).in_file(path)
}

/// Of names that differ only in case, one is kept (the one in lower case, if there is one): on many systems they are the
/// same file.
fn report_case_conflicts(files: &mut Vec<Utf8PathBuf>, findings: &mut Vec<Diagnostic>) {
    let mut kept: HashMap<String, Utf8PathBuf> = HashMap::new();
    for path in files.iter().flat_map(|file| file.ancestors()) {
        let first = kept.entry(path.as_str().to_lowercase()).or_insert_with(|| path.to_owned());
        if path > first.as_path() {
            path.clone_into(first);
        }
    }
    files.retain(|file| {
        let conflict = file.ancestors().filter(|path| kept.get(&path.as_str().to_lowercase()).is_some_and(|k| k != path)).last();
        if let Some(path) = conflict {
            let keep = &kept[&path.as_str().to_lowercase()];
            findings.push(
                Diagnostic::new(&codes::CASE_CONFLICT, format!("`{path}` and `{keep}` differ only in case"))
                    .in_file(path)
                    .help("rename one of them: on many systems they are the same file")
                    .note(format!("only `{keep}` was read")),
            );
        }
        conflict.is_none()
    });
}

fn bounded(root: &Utf8Path, path: &Utf8Path) -> Result<Vec<u8>, Diagnostic> {
    let open = || -> io::Result<(u64, Vec<u8>)> {
        let file = std::fs::File::open(root.join(path))?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(FILE_BYTES_MAX)).unwrap_or_default() + 1);
        if length <= FILE_BYTES_MAX {
            file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        }
        Ok((length.max(bytes.len() as u64), bytes))
    };
    match open() {
        Ok((length, bytes)) if length <= FILE_BYTES_MAX => Ok(bytes),
        Ok((length, _)) => Err(Diagnostic::new(
            &codes::TOO_LARGE,
            format!("{length} bytes are more than the {FILE_BYTES_MAX} bytes that a file may have"),
        )
        .in_file(path)
        .note("it was not read")),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn report_not_utf8(path: &Utf8Path, bytes: &[u8]) -> Option<Diagnostic> {
    let binary = path.extension().is_some_and(|ext| BINARY.contains(&ext.to_ascii_lowercase().as_str()));
    let error = std::str::from_utf8(bytes).err().filter(|_| !binary)?;
    let at = error.valid_up_to();
    let byte = bytes.get(at).copied().unwrap_or_default();
    Some(
        Diagnostic::new(&codes::NOT_UTF8, format!("byte {at} is `0x{byte:02x}`, which is no UTF-8"))
            .at(path, at..at, "what follows is no UTF-8")
            .help("save the file as UTF-8"),
    )
}

/// Writes the file at `path` below `root`, with the folders it needs: a reader sees the whole old file or the whole new one.
/// Goes through no link, so that nothing is written outside of the root.
pub fn write(root: &Utf8Path, path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    let mut folder = root.to_owned();
    for name in path.parent().unwrap_or(Utf8Path::new("")) {
        folder.push(name);
        match folder.symlink_metadata() {
            Ok(data) if data.is_dir() => {}
            Ok(_) => return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("`{folder}` is not a folder"))),
            Err(_) => std::fs::create_dir(&folder)?,
        }
    }
    let file = root.join(path);
    let draft = file.with_file_name(format!(".{}.clientbook", path.file_name().unwrap_or("file")));
    // A draft that a crash left behind, or a link that lies in wait.
    let _ = std::fs::remove_file(&draft);
    let done = (|| {
        std::fs::File::create_new(&draft)?.write_all(bytes)?;
        if let Ok(data) = file.metadata() {
            std::fs::set_permissions(&draft, data.permissions())?;
        }
        std::fs::rename(&draft, &file)
    })();
    done.inspect_err(|_| {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&draft);
    })
}

impl SourceFile {
    /// The text, as far as it is text.
    fn text_so_far(&self) -> &str {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or_default(),
        }
    }
}

impl crate::diagnostic::Texts for SourceTree {
    fn text(&self, path: &Utf8Path) -> Option<&str> {
        self.get(path).map(SourceFile::text_so_far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = Utf8PathBuf::from_path_buf(dir.path().to_owned()).expect("UTF-8");
        (dir, root)
    }

    fn put(root: &Utf8Path, path: &str, bytes: impl AsRef<[u8]>) {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
        std::fs::write(file, bytes).expect("a file");
    }

    fn codes_of(root: &Utf8Path) -> (Vec<String>, Vec<String>) {
        let (tree, findings) = read(root, SourceTree::default());
        let found = findings.iter().map(|f| format!("{} {}", f.code.id, f.path().map_or("", |path| path.as_str())));
        (tree.files().map(|file| file.path.to_string()).collect(), found.collect())
    }

    #[test]
    fn reads_the_inputs_and_nothing_else() {
        let (_dir, root) = root();
        put(&root, "clientbook.toml", "title = 'x'");
        put(&root, "secret.txt", "no input");
        for path in [".hidden", "a~", "#a#", "x/node_modules/y.js", "x/examples/target/z", "x/driver/main.py", "x/.venv/a"] {
            put(&root, &format!("clients/{path}"), "skipped");
        }
        put(&root, "clients/x/manifest.toml", "");
        put(&root, "clients/target/manifest.toml", "a client may be called target");
        put(&root, "content/target/page.md", "");
        put(&root, "static/logo.png", [0x89, 0xff]);
        let (files, findings) = codes_of(&root);
        assert_eq!(findings, Vec::<String>::new());
        assert_eq!(
            files,
            [
                "clientbook.toml",
                "clients/target/manifest.toml",
                "clients/x/manifest.toml",
                "content/target/page.md",
                "static/logo.png"
            ]
        );
    }

    #[test]
    #[cfg(unix)]
    fn follows_no_link_out_or_in_a_circle() {
        use std::os::unix::fs::symlink;
        let (_dir, root) = root();
        put(&root, "content/real.md", "text");
        let link = |target: &str, path: &str| symlink(target, root.join(path)).expect("a link");
        link("real.md", "content/good.md");
        link("/etc/hostname", "content/out.md");
        link("loop.md", "content/loop.md");
        link("..", "content/up");
        link("../../../../../../etc", "content/climb");
        link("/etc", "static");
        let (files, findings) = codes_of(&root);
        assert_eq!(files, ["content/good.md", "content/real.md"]);
        let expected = ["content/climb", "content/loop.md", "content/out.md", "content/up", "static"];
        assert_eq!(findings, expected.map(|path| format!("CB022 {path}")));
    }

    #[test]
    fn refuses_what_is_large_deep_or_no_text() {
        let (_dir, root) = root();
        put(&root, "content/big.md", vec![b'x'; 10 * 1024 * 1024]);
        put(&root, "content/latin.md", b"one\ntw\xf6");
        put(&root, &format!("content/{}deep.md", "d/".repeat(40)), "");
        put(&root, "content/Zwei.md", "");
        put(&root, "content/zwei.md", "");
        put(&root, "content/a\u{202e}b.md", "");
        let (tree, mut findings) = read(&root, SourceTree::default());
        crate::diagnostic::tidy(&mut findings);
        let out = crate::diagnostic::render(&findings, &tree, crate::diagnostic::Format::Json, false);
        let found: Vec<&str> = out.lines().filter_map(|line| line.get(9..14)).collect();
        assert_eq!(found, ["CB024", "CB023", "CB020", "CB026", "CB021"], "{out}");
        assert!(out.contains(r#""path":"content/latin.md","line":2,"column":3"#), "{out}");
        assert!(tree.get("content/zwei.md").is_some() && tree.get("content/Zwei.md").is_none());
    }

    #[test]
    #[cfg(unix)]
    fn writes_whole_files_and_through_no_link() {
        use std::os::unix::fs::symlink;
        let (_dir, root) = root();
        put(&root, "a/b.toml", "old");
        put(&root, "outside", "untouched");
        symlink(root.join("outside"), root.join("a/.b.toml.clientbook")).expect("a link");
        symlink(root.join("a"), root.join("link")).expect("a link");
        write(&root, "a/b.toml".into(), b"new").expect("writable");
        write(&root, "a/new/c.toml".into(), b"c").expect("writable");
        assert!(write(&root, "link/d.toml".into(), b"d").is_err());
        assert_eq!(std::fs::read_to_string(root.join("a/b.toml")).expect("readable"), "new");
        assert_eq!(std::fs::read_to_string(root.join("outside")).expect("readable"), "untouched");
        assert_eq!(std::fs::read_dir(root.join("a")).expect("a folder").count(), 2);
    }
}
