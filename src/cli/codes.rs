//! The findings of commands: `CB9xx`; and every code of every room.

use crate::diagnostic::Code;

crate::codes! {
    /// A result of a client that the catalogue does not have.
    UNKNOWN_CLIENT = "CB900", Error, "a result of a client that the catalogue does not have";
    /// A place among the results that is taken by another file.
    RESULT_EXISTS = "CB901", Error, "another result is filed under the same name";
}

/// Every code of every room, by id.
pub fn every() -> Vec<&'static Code> {
    let rooms: &[&[&'static Code]] = &[
        crate::source::codes::ALL,
        crate::catalogue::codes::ALL,
        crate::results::codes::ALL,
        crate::matrix::codes::ALL,
        crate::guide::codes::ALL,
        crate::site::codes::ALL,
        crate::render::codes::ALL,
        crate::pipeline::codes::ALL,
        #[cfg(feature = "kit")]
        crate::kit::codes::ALL,
        ALL,
    ];
    let mut codes: Vec<&'static Code> = rooms.concat();
    codes.sort_by_key(|code| code.id);
    codes
}
