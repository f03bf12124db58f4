//! The findings of results: `CB200` to `CB249`.

crate::codes! {
    /// JSON that does not parse.
    SYNTAX = "CB200", Error, "JSON that does not parse";
    /// JSON that is not a report.
    NOT_A_REPORT = "CB201", Error, "JSON that is not a result";
    /// A format of another version.
    SCHEMA_NUMBER = "CB202", Error, "a version of the result format that is not supported";
    /// A report in another client's folder.
    OTHER_CLIENT = "CB203", Error, "a result in the folder of another client";
    /// Not a moment in UTC.
    BAD_TIME = "CB204", Error, "a date that is not RFC 3339 in UTC";
    /// A version that is none.
    BAD_VERSION = "CB205", Error, "a version that is empty or not a version";
    /// One scenario with two outcomes.
    SCENARIO_TWICE = "CB206", Error, "two outcomes of one scenario";
    /// An outcome that needs a reason.
    REASON_MISSING = "CB207", Error, "an `unsupported` or `skipped` outcome without a reason";
    /// A link that is not `https:`.
    BAD_LINK = "CB208", Error, "a link that is not an `https:` address";
    /// A text that is empty, too long, or hides something.
    BAD_TEXT = "CB209", Error, "a text that is empty, too long, or hides something";
    /// An id that is none.
    BAD_ID = "CB210", Error, "an id that is not in kebab-case";
    /// More than a report may hold.
    TOO_MANY = "CB211", Error, "more outcomes or pieces of evidence than a result may hold";
}
