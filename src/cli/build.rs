//! `build`: writes the site, whole or not at all.

use super::args::Build;
use super::context::Context;
use super::{Exit, Stop};
use crate::pipeline;
use crate::site::write;
use std::time::Instant;

pub(super) fn run(context: &Context<'_>, args: &Build) -> Result<Exit, Stop> {
    let started = Instant::now();
    let mut options = context.options(&args.dates)?;
    options.base_url = args.base_url.as_deref().map(super::context::base_url).transpose()?;
    let built = pipeline::build(&context.root, &options);
    let exit = context.print_findings(&built.findings, &built.tree)?;
    let errors = built.findings.iter().filter(|finding| finding.is_error()).count();
    let Some(site) = built.site.filter(|_| errors == 0 || args.keep_going) else {
        let next = if args.keep_going { "mend them" } else { "mend them, or leave them out with `--keep-going`" };
        context.terminal.say(&format!("nothing was written, because of {errors} errors; next: {next}"));
        return Ok(Exit::Findings);
    };
    let out = args.out.clone().unwrap_or_else(|| context.root.join("site"));
    let written = write::write(&site, &out, &context.root).map_err(|error| Stop::new(error.to_string()))?;
    context.terminal.say(&format!(
        "built {} files, counting from {}, into `{out}` in {} ms ({written}); next: `clientbook serve`, or copy `{out}` to a host",
        site.files.len(),
        options.as_of,
        started.elapsed().as_millis(),
    ));
    Ok(exit)
}
