//! The findings of reading files: `CB0xx`.

crate::codes! {
    /// TOML that does not parse.
    SYNTAX = "CB010", Error, "TOML that does not parse";
    /// A key that must be there is not.
    MISSING_KEY = "CB011", Error, "a required key is missing";
    /// A key that nobody knows.
    UNKNOWN_KEY = "CB012", Error, "an unknown key";
    /// A value of the wrong type.
    WRONG_TYPE = "CB013", Error, "a value of the wrong type";
    /// A value of the right type that says nothing we know.
    BAD_VALUE = "CB014", Error, "a value that is not one of those allowed";
    /// A Markdown file without a front matter.
    NO_FRONT_MATTER = "CB030", Error, "a Markdown file without a front matter";
    /// A front matter that is not closed.
    OPEN_FRONT_MATTER = "CB031", Error, "a front matter that is not closed";
}
