//! The findings of the finished site and of its assets: `CB4xx`.

crate::codes! {
    /// A link to a page or file that is not there.
    BROKEN_LINK = "CB400", Error, "a link that leads to nothing";
    /// A link to a place of a page that is not there.
    BROKEN_FRAGMENT = "CB401", Error, "a link to a place that a page does not have";
    /// One id, two elements.
    DUPLICATE_ID = "CB402", Error, "an id that a page uses twice";
    /// Something that a browser would ask another host for.
    FOREIGN_LOAD = "CB403", Error, "something loaded from outside of the site";
    /// A link without encryption.
    HTTP_LINK = "CB404", Warning, "a link to an `http:` address";
    /// A link that may run a script.
    FORBIDDEN_LINK = "CB405", Error, "a link of a kind that is not allowed";
    /// Code that the content security policy stops.
    INLINE_CODE = "CB406", Error, "a script, style or handler within a page";
    /// A script or stylesheet that a browser cannot verify.
    INTEGRITY = "CB407", Error, "a script or stylesheet without its hash";
    /// A page that is too heavy.
    WEIGHT = "CB408", Warning, "a page that is too heavy";
    /// An element that names another one which is not there.
    ID_REFERENCE = "CB409", Error, "a reference to an id that the page does not have";
    /// A file that no template and no asset should make.
    UNEXPECTED_FILE = "CB410", Error, "a file that does not belong into a site";
    /// Two files that cannot stand side by side on every disk.
    CLASH = "CB411", Error, "two addresses that cannot both be files";
    /// A file name that makes no address.
    ASSET_NAME = "CB420", Error, "an asset whose name makes no address";
    /// A stylesheet that names a file that is not there.
    ASSET_MISSING = "CB421", Error, "a stylesheet that names a missing file";
    /// An asset that loads from outside.
    ASSET_LOAD = "CB422", Error, "an asset that names something outside of the site";
    /// Stylesheets that import one another.
    ASSET_CIRCLE = "CB423", Error, "stylesheets that import each other";
    /// A drawing that could run a script.
    ASSET_SCRIPT = "CB424", Error, "a drawing with a script, a handler or foreign content";
}
