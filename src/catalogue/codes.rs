//! The findings of a catalogue: `CB1xx`.

crate::codes! {
    /// A feature that the catalogue does not list.
    UNKNOWN_FEATURE = "CB100", Error, "a feature that the catalogue does not list";
    /// A language that the catalogue does not list.
    UNKNOWN_LANGUAGE = "CB101", Error, "a language that the catalogue does not list";
    /// A standard example that the catalogue does not list.
    UNKNOWN_EXAMPLE = "CB102", Error, "an example that the catalogue does not list";
    /// An engine that is no client.
    UNKNOWN_ENGINE = "CB103", Error, "an engine that is not a client of the catalogue";
    /// Clients that are each other's engines.
    ENGINE_CIRCLE = "CB104", Error, "clients that are built on each other in a circle";
    /// An alias that is in use.
    ALIAS_TAKEN = "CB105", Error, "an alias that is already an id or another alias";
    /// A name that is no id.
    BAD_ID = "CB107", Error, "an id that is not in kebab-case";
    /// A client's folder without a manifest.
    NO_MANIFEST = "CB108", Error, "a client's folder without a manifest";
    /// A format of another version.
    SCHEMA_NUMBER = "CB109", Error, "a version of the format that is not supported";
    /// No schema line for editors.
    SCHEMA_LINE = "CB110", Warning, "the first line does not name the schema";
    /// A partial claim without its limits.
    NOTE_MISSING = "CB111", Error, "a partial claim without a note";
    /// `until` where nothing ended.
    UNTIL_NOT_REMOVED = "CB112", Error, "`until` in a claim that is not `removed`";
    /// A text without a visible character.
    EMPTY_TEXT = "CB114", Error, "an empty text";
    /// A text that does not fit.
    TEXT_TOO_LONG = "CB115", Error, "a text that is too long";
    /// A character that cannot be seen, or that moves others.
    HIDDEN_CHARACTER = "CB116", Error, "a hidden character in a text";
    /// Not an SPDX licence expression.
    LICENSE = "CB117", Error, "a licence that is not an SPDX expression";
    /// A package of a registry that the catalogue does not list.
    UNKNOWN_REGISTRY = "CB118", Error, "a package of a registry that the catalogue does not list";
    /// A package with a version where every version is meant.
    PACKAGE_VERSION = "CB119", Error, "a package with a version where none belongs";
    /// An `http:` address.
    NOT_HTTPS = "CB120", Error, "an `http:` address";
    /// An address that is neither.
    OTHER_SCHEME = "CB121", Error, "an address of a scheme that is not `https:`";
    /// Checked before there was anything to check.
    CHECKED_TOO_EARLY = "CB122", Warning, "checked before the first release";
    /// A month or a year where a day is needed.
    DAY_NEEDED = "CB123", Error, "a date that is not a whole day";
    /// A feature that stands in no group.
    FEATURE_UNGROUPED = "CB124", Error, "a feature that is in no group";
    /// A feature that stands in two places.
    FEATURE_TWICE = "CB125", Error, "a feature that is in two groups or levels";
    /// One id for two things.
    DUPLICATE = "CB126", Error, "the same thing twice";
    /// Two levels at one place.
    LEVEL_ORDER = "CB127", Error, "two levels with the same order";
    /// A path that is not one of the site.
    MENU_PATH = "CB128", Error, "a path that does not start with `/`";
    /// A base address that is not a folder.
    BASE_URL = "CB129", Error, "a base address that does not end in `/`";
    /// An edit address that leads nowhere.
    EDIT_URL = "CB130", Error, "an edit address without `{path}`";
    /// Two files for one example.
    TWO_EXAMPLE_FILES = "CB131", Error, "two files for one example";
    /// An example in a language that is not the client's.
    EXAMPLE_LANGUAGE = "CB132", Warning, "an example in a language that is not the client's";
    /// A version that does not exist yet.
    SINCE_NOT_RELEASED = "CB133", Warning, "a claim since a version newer than the latest release";
    /// A page address whose placeholders do not work.
    PAGE_TEMPLATE = "CB134", Error, "a package page address without a placeholder that we know";
    /// A package that lacks what its registry's address needs.
    PACKAGE_NAMESPACE = "CB135", Error, "a package without the namespace that its registry needs";
    /// A file in a folder where nothing reads it.
    STRAY_FILE = "CB136", Warning, "a file that nothing reads";
    /// No settings.
    NO_SETTINGS = "CB137", Error, "no `clientbook.toml`";
    /// A command for an example that is not there.
    RUN_WITHOUT_FILE = "CB138", Warning, "a command for an example that has no file";
    /// Left out because of another entry's error.
    LEFT_OUT_TOO = "CB139", Warning, "an entry that suffers from another's error";
    /// A range that ends before it starts.
    RANGE = "CB140", Error, "a range that ends before it starts";
}
