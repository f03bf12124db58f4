//! The findings of templates: `CB5xx`.

crate::codes! {
    /// A template that does not parse.
    SYNTAX = "CB500", Error, "a template that does not parse";
    /// A template that asks for what is not there.
    REFERENCE = "CB501", Error, "a template that uses an unknown filter, function, test, component, block or template";
    /// A template that fails on its data.
    FAILED = "CB502", Error, "a template that cannot be filled";
    /// A page without a template.
    MISSING = "CB503", Error, "a template is missing";
}
