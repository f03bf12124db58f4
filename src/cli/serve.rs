//! `serve`: the site in a browser, and again whenever a file is saved.

use super::args::Serve;
use super::context::Context;
use super::{Exit, Stop};
use crate::diagnostic;
use crate::serve::{self, Event, ServeError, Settings};

pub(super) fn run(context: &Context<'_>, args: &Serve) -> Result<Exit, Stop> {
    let options = context.options(&args.dates)?;
    let settings = Settings { root: context.root.clone(), options, host: args.host, port: args.port };
    let done = serve::run(&settings, |event| match event {
        Event::Built { built, changed, took } => {
            // Standard output may be closed; the site is still served.
            let _ = context.print_findings(&built.findings, &built.tree);
            let summary = diagnostic::summary(&built.findings);
            context.terminal.say(&format!("built in {} ms, {changed} files changed: {summary}", took.as_millis()));
        }
        Event::Ready(address) => {
            context.terminal.say(&format!("the book is at http://{address}/; next: save a file; Ctrl-C ends the server"));
        }
        Event::Blind(error) => {
            context.terminal.say(&format!("files cannot be watched ({error}); start again to see a change"));
        }
    });
    match done {
        Ok(()) => {
            context.terminal.say("the server has ended; next: `clientbook build`");
            Ok(Exit::Clean)
        }
        Err(error) => {
            let stop = Stop::new(error.to_string());
            Err(match error {
                ServeError::PortTaken { free: Some(free), .. } => stop.help(format!("port {free} is free: `--port {free}`")),
                ServeError::PortTaken { free: None, .. } => stop.help("choose another with `--port`"),
                _ => stop,
            })
        }
    }
}
