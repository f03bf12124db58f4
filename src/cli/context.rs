//! What every command with a catalogue needs: its root, the format, the day.

use super::args::{Dates, FormatWord, Shared};
use super::{Exit, Stop, Terminal};
use crate::catalogue::HttpsUrl;
use crate::diagnostic::{self, Diagnostic, Format, Texts};
use crate::pipeline::Options;
use crate::source::table::FromText as _;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// The resolved arguments that commands share.
pub(super) struct Context<'t> {
    /// The catalogue's folder.
    pub(super) root: Utf8PathBuf,
    pub(super) format: Format,
    pub(super) terminal: &'t Terminal,
}

impl<'t> Context<'t> {
    pub(super) fn new(shared: &Shared, terminal: &'t Terminal) -> Result<Context<'t>, Stop> {
        let root = match &shared.root {
            Some(root) if is_root(root) => root.clone(),
            Some(root) => return Err(Stop::new(format!("there is no `clientbook.toml` in `{root}`")).help(START)),
            None => nearest_root()?,
        };
        let format = match shared.format {
            FormatWord::Human => Format::Human,
            FormatWord::Json => Format::Json,
            FormatWord::Github => Format::Github,
            FormatWord::Sarif => Format::Sarif,
        };
        Ok(Context { root, format, terminal })
    }

    /// Prints findings, which are in order, and says whether there were any.
    pub(super) fn print_findings(&self, findings: &[Diagnostic], texts: &dyn Texts) -> Result<Exit, Stop> {
        self.terminal.print(&diagnostic::render(findings, texts, self.format, self.terminal.colors_output()))?;
        Ok(if findings.is_empty() { Exit::Clean } else { Exit::Findings })
    }

    /// Options for a build on the day that was asked for.
    pub(super) fn options(&self, dates: &Dates) -> Result<Options, Stop> {
        Ok(Options { as_of: as_of(dates)?, base_url: None })
    }
}

const START: &str = "`clientbook new DIR` starts a catalogue; `--root DIR` names one";

fn is_root(folder: &Utf8Path) -> bool {
    folder.join("clientbook.toml").symlink_metadata().is_ok()
}

fn nearest_root() -> Result<Utf8PathBuf, Stop> {
    let here = std::env::current_dir().map_err(|error| Stop::new(format!("the current folder cannot be found: {error}")))?;
    let here = Utf8PathBuf::from_path_buf(here).map_err(|path| {
        Stop::new(format!("the path of the current folder is not UTF-8: {}", path.display())).help("move the catalogue")
    })?;
    let found = here.ancestors().find(|folder| is_root(folder)).map(Utf8Path::to_owned);
    found.ok_or_else(|| Stop::new("there is no `clientbook.toml` here or in a folder above").help(START))
}

/// `--base-url`: a host of its own, because the pages' paths begin at its root.
pub(super) fn base_url(typed: &str) -> Result<HttpsUrl, Stop> {
    let url = HttpsUrl::from_text(typed).ok();
    url.filter(|url| url.as_str().matches('/').count() == 3 && url.as_str().ends_with('/')).ok_or_else(|| {
        Stop::new(format!("`{typed}` is not the `https:` address of a host")).help("say it as `https://book.example/`")
    })
}

/// `--as-of`, else `SOURCE_DATE_EPOCH`, else today in UTC.
fn as_of(dates: &Dates) -> Result<Date, Stop> {
    if let Some(day) = dates.as_of {
        return Ok(day);
    }
    let now = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok()).ok_or_else(|| {
            Stop::new(format!("`SOURCE_DATE_EPOCH` is `{text}`, not a number of seconds since 1970"))
                .help("set it to a number, or say `--as-of DATE`")
        })?,
        Err(_) => Timestamp::now(),
    };
    Ok(TimeZone::UTC.to_datetime(now).date())
}
