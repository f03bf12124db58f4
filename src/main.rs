//! The `clientbook` program.

fn main() {}
