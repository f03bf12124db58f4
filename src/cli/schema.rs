//! `schema`: the JSON Schemas that editors read.

use super::context::Context;
use super::{Exit, Stop};
use crate::{catalogue, results, source};
use camino::Utf8PathBuf;

/// The files that `schema` writes, relative to the root.
pub(super) fn files() -> impl Iterator<Item = (Utf8PathBuf, String)> {
    catalogue::schema::all()
        .into_iter()
        .chain([results::schema()])
        .map(|(name, schema)| (format!("static/schema/{name}.schema.json").into(), format!("{schema:#}\n")))
}

pub(super) fn run(context: &Context<'_>, check: bool) -> Result<Exit, Stop> {
    let mut stale = Vec::new();
    for (path, text) in files() {
        if std::fs::read(context.root.join(&path)).is_ok_and(|now| now == text.as_bytes()) {
            continue;
        }
        if !check {
            source::write(&context.root, &path, text.as_bytes())
                .map_err(|error| Stop::new(format!("cannot write `{path}`: {error}")))?;
        }
        stale.push(path);
    }
    let names = stale.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    let (line, exit) = match (stale.is_empty(), check) {
        (true, _) => ("the schemas are up to date; next: `clientbook check`".to_owned(), Exit::Clean),
        (false, true) => (format!("out of date: {names}; next: `clientbook schema`"), Exit::Findings),
        (false, false) => (format!("wrote {names}; next: `clientbook check`"), Exit::Clean),
    };
    context.terminal.say(&line);
    Ok(exit)
}
