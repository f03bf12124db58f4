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
    /// An empty array where something must be in it.
    EMPTY_LIST = "CB015", Error, "an empty list where at least one is needed";
    /// A file that is too large to read.
    TOO_LARGE = "CB020", Error, "a file that is too large";
    /// A text that is no UTF-8.
    NOT_UTF8 = "CB021", Error, "a text that is no UTF-8";
    /// A symbolic link that is not followed.
    LINK = "CB022", Error, "a symbolic link that is not followed";
    /// A name that does not work everywhere.
    BAD_NAME = "CB023", Error, "a file name that does not work everywhere";
    /// Names that differ only in case.
    CASE_CONFLICT = "CB024", Error, "names that differ only in case";
    /// A file or folder that cannot be read.
    UNREADABLE = "CB025", Error, "a file or folder that cannot be read";
    /// Folders within folders without end.
    TOO_DEEP = "CB026", Error, "folders that are nested too deep";
    /// A Markdown file without a front matter.
    NO_FRONT_MATTER = "CB030", Error, "a Markdown file without a front matter";
    /// A front matter that is not closed.
    OPEN_FRONT_MATTER = "CB031", Error, "a front matter that is not closed";
}
