//! `content/examples/<id>.md`, and `clients/<id>/examples/example.toml`.

use super::feature::Body;
use super::{ExampleId, Line, Placed};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::table::{Reader, Table};
use camino::Utf8PathBuf;

/// A small program that is written for every client.
#[derive(Debug, Clone)]
pub struct Example {
    /// The file's stem.
    pub id: ExampleId,
    /// "Produce".
    pub title: String,
    /// Lower comes first.
    pub order: i64,
    /// One line.
    pub summary: String,
    /// The expected lines of output; `{int}` stands for digits, `{any}` for anything.
    pub output: Vec<String>,
    /// What every program must do.
    pub body: Body,
    /// Where it was read.
    pub path: Utf8PathBuf,
}

/// Reads an example's front matter. Asks for every key before it decides anything.
pub(super) fn read(id: ExampleId, mut table: Table<'_, '_>, body: Body) -> Option<Example> {
    let title = table.require::<Line<40>>(("title", "The example's name."));
    let order = table.require_integer(("order", "Lower comes first."));
    let summary = table.require::<Line<200>>(("summary", "What it does, in one line."));
    let output =
        table.list::<Line<200>>(("output", "The lines it prints on standard output; `{int}` matches digits, `{any}` anything."));
    let path = table.reader().file().path.clone();
    table.finish();
    Some(Example {
        id,
        title: title?.value.0,
        order: order?.value,
        summary: summary?.value.0,
        output: output.into_iter().map(|line| line.value.0).collect(),
        body,
        path,
    })
}

/// How a client's examples run, before its ids are checked.
#[derive(Debug, Default)]
pub(super) struct RawCommands {
    /// One command before the first run.
    pub setup: Option<String>,
    /// One command for each example.
    pub run: Vec<(Placed<ExampleId>, Placed<Line<300>>)>,
}

/// Reads `example.toml`.
pub(super) fn parse_commands(file: &SourceFile) -> (RawCommands, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let commands = read_commands(reader.parse());
    (commands, reader.into_findings())
}

/// Reads the table of `example.toml`.
pub(super) fn read_commands(mut table: Table<'_, '_>) -> RawCommands {
    let setup = table.optional::<Line<300>>(("setup", "One command before the examples can run."));
    let run = table.table(("run", "One command for each example, by the example's id.")).map(|mut table| table.each_text());
    table.finish();
    RawCommands { setup: setup.map(|setup| setup.value.0), run: run.unwrap_or_default() }
}
