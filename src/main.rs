//! The `clientbook` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    clientbook::cli::run(std::env::args_os())
}
