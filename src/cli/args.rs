//! What can be typed.

use camino::Utf8PathBuf;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;
#[cfg(feature = "serve")]
use std::net::IpAddr;

const EXIT_CODES: &str = "Exit codes: 0 clean, 1 findings, 2 could not run.";

/// Makes a catalogue of client libraries: claims, proofs and their ages, as a static site.
#[derive(Debug, Parser)]
#[command(name = "clientbook", version, after_help = EXIT_CODES, disable_help_subcommand = true, max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) shared: Shared,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Shared {
    /// The catalogue's folder [default: the nearest one upward with `clientbook.toml`]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<Utf8PathBuf>,
    /// How findings are written
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(super) format: FormatWord,
    /// When to use colour; `auto`: on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(super) color: When,
    /// Print findings and what was asked for, and no talk
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum FormatWord {
    /// For people
    #[default]
    Human,
    /// One JSON object a line
    Json,
    /// Annotations of a GitHub workflow
    Github,
    /// SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum When {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start a catalogue in a new or empty folder
    New {
        /// The folder; its name becomes the title
        dir: Utf8PathBuf,
    },
    /// Report everything that is wrong with the catalogue and the site it makes
    Check {
        /// Apply the mends that are certain
        #[arg(long)]
        fix: bool,
        #[command(flatten)]
        dates: Dates,
    },
    /// Write the site
    Build(Build),
    /// Show the site in a browser, and again whenever a file is saved
    #[cfg(feature = "serve")]
    Serve(Serve),
    /// Write the JSON Schemas of the data formats to `static/schema/`
    Schema {
        /// Write nothing; fail when a file is not what would be written
        #[arg(long)]
        check: bool,
    },
    /// Print what the book knows of a client
    Show {
        /// The client's id
        client: String,
        #[command(flatten)]
        dates: Dates,
    },
    /// Say what a finding's code means
    Explain {
        /// The code, for example `CB012`; without it, all are listed
        code: Option<String>,
    },
    /// File what the kit measured
    #[command(subcommand)]
    Results(Results),
    /// Run clients against real brokers
    #[cfg(feature = "kit")]
    #[command(subcommand)]
    Kit(super::kit::Kit),
}

#[derive(Debug, Subcommand)]
pub(super) enum Results {
    /// Check result files and file them below their clients
    Add {
        /// Files that the kit wrote
        #[arg(required = true, value_name = "FILE")]
        files: Vec<Utf8PathBuf>,
    },
}

/// The day that ages are counted from.
#[derive(Debug, ClapArgs)]
pub(super) struct Dates {
    /// The day that ages are counted from [default: SOURCE_DATE_EPOCH, else today in UTC]
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(super) as_of: Option<Date>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Build {
    /// The folder to write; a new one, an empty one or an earlier site [default: `site` below the root]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<Utf8PathBuf>,
    /// Leave broken entries out and write the rest; the exit code still says that there were findings
    #[arg(long)]
    pub(super) keep_going: bool,
    /// Where the site will stand, instead of `base-url` in `clientbook.toml`
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    #[command(flatten)]
    pub(super) dates: Dates,
}

#[cfg(feature = "serve")]
#[derive(Debug, ClapArgs)]
pub(super) struct Serve {
    /// The port
    #[arg(long, default_value_t = 4000)]
    pub(super) port: u16,
    /// The address to listen on; any other than the default lets other machines in
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub(super) host: IpAddr,
    #[command(flatten)]
    pub(super) dates: Dates,
}

fn day(text: &str) -> Result<Date, String> {
    let strict = text.len() == 10 && text.is_ascii();
    text.parse().ok().filter(|_| strict).ok_or_else(|| "expected a day as `2026-11-30`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory as _;
        Args::command().debug_assert();
    }

    #[test]
    fn a_day_is_a_whole_day() {
        assert!(day("2026-11-30").is_ok());
        for wrong in ["2026-11", "2026-02-30", "20261130", "2026-11-30T00:00", "today", ""] {
            assert!(day(wrong).is_err(), "{wrong}");
        }
    }
}
