//! What was typed → what is done. The only room that prints: what was asked for to standard output, talk to standard error.
//!
//! Exit codes: 0 clean, 1 findings, 2 could not run.

mod args;
mod build;
mod check;
pub mod codes;
mod context;
mod explain;
#[cfg(feature = "kit")]
mod kit;
mod new;
mod results;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod terminal;

use args::{Args, Command};
use clap::Parser as _;
use context::Context;
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::Terminal;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what it should, and found nothing.
    Clean,
    /// It found something.
    Findings,
    /// It could not run.
    CouldNotRun,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::CouldNotRun => 2,
        })
    }
}

/// Why a command could not run: what happened, and what to do.
#[derive(Debug)]
struct Stop {
    what: String,
    help: Option<String>,
}

impl Stop {
    fn new(what: impl Into<String>) -> Stop {
        Stop { what: what.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Stop {
        self.help = Some(help.into());
        self
    }
}

/// Runs the program with the arguments that were typed, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // A closed pipe is nobody's fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::CouldNotRun } else { Exit::Clean }.into();
        }
    };
    let terminal = Terminal::new(args.shared.color, args.shared.quiet);
    let done = dispatch(&args, &terminal);
    done.unwrap_or_else(|stop| {
        terminal.complain(&stop.what, stop.help.as_deref());
        Exit::CouldNotRun
    })
    .into()
}

fn dispatch(args: &Args, terminal: &Terminal) -> Result<Exit, Stop> {
    match &args.command {
        // Neither needs a catalogue.
        Command::New { dir } => return new::run(dir, terminal),
        Command::Explain { code } => return explain::run(code.as_deref(), terminal),
        #[cfg(feature = "kit")]
        Command::Kit(kit) if !kit.needs_catalogue() => return kit::run(kit, std::path::Path::new("."), terminal),
        _ => {}
    }
    let context = Context::new(&args.shared, terminal)?;
    match &args.command {
        Command::Check { fix, dates } => check::run(&context, *fix, dates),
        Command::Build(build) => build::run(&context, build),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve::run(&context, serve),
        Command::Schema { check } => schema::run(&context, *check),
        Command::Show { client, dates } => show::run(&context, client, dates),
        Command::Results(args::Results::Add { files }) => results::add(&context, files),
        #[cfg(feature = "kit")]
        Command::Kit(kit) => kit::run(kit, context.root.as_std_path(), terminal),
        Command::New { .. } | Command::Explain { .. } => Ok(Exit::Clean),
    }
}
