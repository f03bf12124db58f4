//! Printing. A closed pipe is no failure, and nothing from outside steers the terminal.

use super::Stop;
use super::args::When;
use crate::diagnostic::visible;
use std::io::{self, IsTerminal as _, Write as _};

/// Where output goes.
pub(super) struct Terminal {
    color: When,
    quiet: bool,
}

impl Terminal {
    pub(super) fn new(color: When, quiet: bool) -> Terminal {
        Terminal { color, quiet }
    }

    /// Whether what goes to standard output may have colour.
    pub(super) fn colors_output(&self) -> bool {
        self.colors(io::stdout().is_terminal())
    }

    fn colors(&self, is_terminal: bool) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// What was asked for, to standard output. `text` is safe to print and ends in a line end.
    pub(super) fn print(&self, text: &str) -> Result<(), Stop> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Stop::new(format!("cannot write to standard output: {error}")))
            }
            // Who closed the pipe has read enough.
            _ => Ok(()),
        }
    }

    /// A line of talk, to standard error; nothing with `--quiet`.
    pub(super) fn say(&self, line: &str) {
        if !self.quiet {
            self.err(&format!("{}\n", visible(line)));
        }
    }

    /// Why the program could not run.
    pub(super) fn complain(&self, what: &str, help: Option<&str>) {
        let (start, end) = if self.colors(io::stderr().is_terminal()) { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
        let help = help.map_or_else(String::new, |help| format!("help: {}\n", visible(help)));
        self.err(&format!("{start}error{end}: {}\n{help}", visible(what)));
    }

    /// Text that is safe to print, to standard error.
    pub(super) fn err(&self, text: &str) {
        // There is nowhere left to say that this failed.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}
