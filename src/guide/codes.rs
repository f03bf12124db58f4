//! The findings of reading Markdown: `CB3xx`.

crate::codes! {
    /// A link that leads nowhere a reader may be sent.
    REFUSED_LINK = "CB300", Error, "a link of a kind that is not allowed";
    /// A link without encryption.
    HTTP_LINK = "CB301", Warning, "a link to an `http:` address";
    /// A relative link that is no Markdown file of the catalogue.
    RELATIVE_LINK = "CB302", Error, "a relative link that leads to no page";
    /// An image that is not one of ours.
    IMAGE_SOURCE = "CB303", Error, "an image that is not in `static/`";
    /// An image that says nothing to those who cannot see it.
    IMAGE_ALT = "CB304", Error, "an image without a text";
    /// A second title.
    BODY_TITLE = "CB305", Error, "a first-level heading in the text";
    /// A level left out between two headings.
    SKIPPED_LEVEL = "CB306", Warning, "a heading that skips a level";
    /// HTML, which is shown as text.
    RAW_HTML = "CB307", Warning, "HTML in Markdown is shown as text";
    /// Lists or quotations within one another without end.
    TOO_DEEP = "CB308", Error, "Markdown that is nested too deeply";
    /// A file name that makes no address.
    ADDRESS = "CB309", Error, "a guide whose file name makes no address";
    /// Two guides at one address.
    SAME_ADDRESS = "CB310", Error, "two guides with the same address";
}
