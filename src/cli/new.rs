//! `new DIR`: a catalogue that checks and builds at once.

use super::{Exit, Stop, Terminal};
use crate::source;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::{Timestamp, tz::TimeZone};

macro_rules! starter {
    ($($path:literal)*) => { &[$(($path, include_str!(concat!("starter/", $path)))),*] };
}

/// The files of a new catalogue. `@TITLE@` and `@TODAY@` are filled in.
const STARTER: &[(&str, &str)] = starter! {
    "README.md"
    "clientbook.toml"
    "clients/example-client/examples/hello.py"
    "clients/example-client/manifest.toml"
    "content/about.md"
    "content/examples/hello.md"
    "content/features/acknowledge.md"
    "content/features/groups.toml"
    "content/features/receive.md"
    "content/features/reconnect.md"
    "content/features/send.md"
    "content/features/tls.md"
    "content/languages/c.toml"
    "content/languages/go.toml"
    "content/languages/javascript.toml"
    "content/languages/python.toml"
    "content/levels/basic.toml"
    "content/levels/dependable.toml"
    "content/registries/golang.toml"
    "content/registries/npm.toml"
    "content/registries/pypi.toml"
    "gitignore"
};

pub(super) fn run(dir: &Utf8Path, terminal: &Terminal) -> Result<Exit, Stop> {
    let cannot = |error: std::io::Error| Stop::new(format!("cannot write to `{dir}`: {error}"));
    std::fs::create_dir_all(dir).map_err(cannot)?;
    if dir.read_dir().map_err(cannot)?.next().is_some() {
        return Err(Stop::new(format!("`{dir}` is not empty")).help("name a folder that is new or empty"));
    }
    let title = toml::Value::String(title(dir)).to_string();
    let today = TimeZone::UTC.to_datetime(Timestamp::now()).date().to_string();
    let files = STARTER.iter().map(|(path, text)| {
        let path = if *path == "gitignore" { ".gitignore" } else { path };
        (Utf8PathBuf::from(path), text.replace("@TITLE@", &title).replace("@TODAY@", &today))
    });
    for (path, text) in files.chain(super::schema::files()) {
        source::write(dir, &path, text.as_bytes()).map_err(cannot)?;
    }
    terminal.say(&format!("made a catalogue in `{dir}`; next: `clientbook serve --root {dir}`"));
    Ok(Exit::Clean)
}

/// The folder's name as a title: `my-catalogue` becomes "My catalogue".
fn title(dir: &Utf8Path) -> String {
    let absolute = dir.canonicalize_utf8();
    let name = absolute.as_deref().unwrap_or(dir).file_name().unwrap_or_default();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let title = words.join(" ");
    let mut letters = title.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Clients".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_starter_is_written() {
        let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/starter");
        let files = walkdir::WalkDir::new(&folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let files = files.map(|entry| entry.path().strip_prefix(&folder).expect("below").to_string_lossy().into_owned());
        let mut files: Vec<String> = files.collect();
        files.sort();
        assert_eq!(STARTER.iter().map(|(path, _)| *path).collect::<Vec<_>>(), files);
    }

    #[test]
    fn a_folder_name_becomes_a_title() {
        assert_eq!(title("/tmp/none/my-catalogue".into()), "My catalogue");
        assert_eq!(title("/tmp/none/\"; élan\u{202e}".into()), "Élan");
        assert_eq!(title("/tmp/none/--".into()), "Clients");
    }
}
