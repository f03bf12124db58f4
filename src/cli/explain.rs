//! `explain CODE`: what a finding means.

use super::{Exit, Stop, Terminal, codes};
use crate::diagnostic::{Severity, did_you_mean};
use std::fmt::Write as _;

pub(super) fn run(typed: Option<&str>, terminal: &Terminal) -> Result<Exit, Stop> {
    let all = codes::every();
    let Some(typed) = typed else {
        let mut out = String::new();
        for code in &all {
            let kind = if code.severity == Severity::Error { "error" } else { "warning" };
            // A String takes everything.
            let _ = writeln!(out, "{}  {kind:7}  {}", code.id, code.summary);
        }
        terminal.print(&out)?;
        terminal.say(&format!("{} codes; next: `clientbook explain CODE`", all.len()));
        return Ok(Exit::Clean);
    };
    let wanted = typed.trim().to_ascii_uppercase();
    match all.iter().find(|code| code.id == wanted || code.id.strip_prefix("CB") == Some(&wanted)) {
        Some(code) => {
            terminal.print(&format!("{} {}\n", code.id, code.explanation.trim_start_matches("# ")))?;
            Ok(Exit::Clean)
        }
        None => {
            let meant = did_you_mean(&wanted, all.iter().map(|code| code.id));
            let meant = meant.map_or_else(String::new, |code| format!("did you mean `{code}`? "));
            Err(Stop::new(format!("there is no code `{typed}`")).help(format!("{meant}`clientbook explain` lists every code")))
        }
    }
}
