//! Clientbook makes a catalogue of client libraries: what each claims, what was seen to work, and how long ago.
//!
//! Start with [`pipeline`]: the whole build on one screen. `ARCHITECTURE.md` names the rooms and the direction of their
//! imports; `tests/architecture.rs` holds the code to it.

pub mod catalogue;
pub mod cli;
pub mod diagnostic;
pub mod guide;
#[cfg(feature = "kit")]
pub mod kit;
pub mod matrix;
pub mod pages;
pub mod pipeline;
pub mod render;
pub mod results;
#[cfg(feature = "serve")]
pub mod serve;
pub mod site;
pub mod source;
