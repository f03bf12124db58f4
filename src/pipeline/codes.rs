//! The findings of putting a site together: `CB91x`.

crate::codes! {
    /// A page that cannot stand where it should.
    ADDRESS = "CB910", Error, "a page that cannot stand at its address";
}
