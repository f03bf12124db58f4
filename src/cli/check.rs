//! `check`: every finding at once.

use super::args::Dates;
use super::context::Context;
use super::{Exit, Stop};
use crate::diagnostic::{self, Diagnostic};
use crate::pipeline::{self, Built};
use crate::source::{self, SourceTree};

pub(super) fn run(context: &Context<'_>, fix: bool, dates: &Dates) -> Result<Exit, Stop> {
    let options = context.options(dates)?;
    let Built { mut tree, mut findings, .. } = pipeline::build(&context.root, &options);
    if fix && mend(context, &tree, &findings)? {
        Built { tree, findings, .. } = pipeline::build(&context.root, &options);
    }
    let exit = context.print_findings(&findings, &tree)?;
    let files = tree.files().count();
    context.terminal.say(&format!(
        "checked {files} files, counting from {}: {}; next: {}",
        options.as_of,
        diagnostic::summary(&findings),
        next(&findings),
    ));
    Ok(exit)
}

fn next(findings: &[Diagnostic]) -> String {
    match findings.first() {
        None => "`clientbook build`".to_owned(),
        Some(_) if findings.iter().any(|finding| finding.fix.is_some()) => "`clientbook check --fix`".to_owned(),
        Some(first) => format!("`clientbook explain {}`", first.code.id),
    }
}

/// Applies the fixes to files below the root, and says whether there were any.
fn mend(context: &Context<'_>, tree: &SourceTree, findings: &[Diagnostic]) -> Result<bool, Stop> {
    let (mut texts, _) = diagnostic::fixed(findings, tree);
    // The built-in theme is not below the root.
    texts.retain(|path, _| context.root.join(path).is_file());
    for (path, text) in &texts {
        source::write(&context.root, path, text.as_bytes())
            .map_err(|error| Stop::new(format!("cannot write `{path}`: {error}")))?;
    }
    if !texts.is_empty() {
        let files: Vec<String> = texts.keys().map(|path| format!("`{path}`")).collect();
        context.terminal.say(&format!("mended {}", files.join(", ")));
    }
    Ok(!texts.is_empty())
}
