//! The findings of the matrix: `CB250` to `CB279`.

crate::codes! {
    /// An outcome of a scenario that is not in the catalogue.
    UNKNOWN_SCENARIO = "CB250", Warning, "an outcome of a scenario that is not in the catalogue";
    /// An outcome filed under another feature than its scenario's.
    OTHER_FEATURE = "CB251", Warning, "an outcome under another feature than its scenario certifies";
    /// A result from after the day that ages are counted from.
    FROM_THE_FUTURE = "CB252", Warning, "a result from after the day that ages are counted from";
    /// A manifest that nobody has checked for long.
    UNCHECKED = "CB253", Warning, "a manifest that was last checked too long ago";
}
