//! Tera: a page's view → its bytes. Everything is escaped; only what `guide` has made is written as HTML, by the filter `html`.
//!
//! A template's data is the struct of the same name in [`pages`](crate::pages). Beside it, templates see `site`
//! ([`SiteGlobals`]) and the function `asset(name="…")`, which gives the `url` and the `integrity` of a file below `static/`.

pub mod codes;
mod faults;
#[cfg(test)]
mod tests;

use crate::catalogue::Settings;
use crate::diagnostic::Diagnostic;
use crate::pages::{Form, Page, View};
use crate::site::{Assets, headers::CSP_META};
use crate::source::SourceTree;
use camino::Utf8Path;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

/// The folder of the templates.
const FOLDER: &str = "templates";

/// What every template sees as `site`.
#[derive(Debug, Serialize)]
pub struct SiteGlobals<'s> {
    /// The book's name.
    pub title: &'s str,
    /// What the clients are clients of.
    pub subject: &'s str,
    /// Where the site stands; ends in `/`.
    pub base_url: &'s str,
    /// BCP 47 tag of the prose.
    pub language: &'s str,
    /// The content security policy.
    pub policy: &'s str,
    /// Printed at the foot of every page.
    pub trademark: Option<&'s str>,
    /// The main menu.
    pub menu: Vec<MenuEntry<'s>>,
}

/// An entry of the main menu.
#[derive(Debug, Serialize)]
pub struct MenuEntry<'s> {
    /// What is shown.
    pub title: &'s str,
    /// A path of the site.
    pub path: &'s str,
}

/// An asset as templates see it.
#[derive(Debug, Serialize)]
struct AssetEntry<'a> {
    /// The path from `/`.
    url: &'a str,
    /// `sha384-…`
    integrity: &'a str,
}

/// Fills templates. A page's bytes are a function of the renderer and the view.
pub struct Renderer {
    tera: Tera,
}

impl Renderer {
    /// Reads every template. `None` when one of them cannot be used; the findings say why, all of them at once.
    pub fn new(tree: &SourceTree, assets: &Assets, settings: &Settings) -> (Option<Renderer>, Vec<Diagnostic>) {
        let mut tera = Tera::default();
        tera.autoescape_on(["html", "svg", "xml"]);
        tera.set_escape_fn(escape);
        tera.register_filter("html", html);
        tera.register_filter("safe", refuse_safe);
        let assets: BTreeMap<String, Value> = assets
            .iter()
            .map(|(name, asset)| {
                let entry = AssetEntry { url: asset.url.as_str(), integrity: &asset.integrity };
                (name.to_owned(), Value::from_serializable(&entry))
            })
            .collect();
        tera.register_function("asset", move |kwargs: Kwargs, _: &State<'_>| asset(&assets, &kwargs));
        tera.global_context().insert("site", &globals(settings));

        let text_of = |path: &Utf8Path| tree.get(path).and_then(|file| file.text());
        let templates: Vec<(&str, &str)> =
            tree.under(FOLDER).filter_map(|file| Some((file.path.strip_prefix(FOLDER).ok()?.as_str(), file.text()?))).collect();
        let mut findings: Vec<Diagnostic> = templates
            .iter()
            .filter_map(|(name, text)| Tera::default().add_raw_template(name, text).err())
            .filter(|error| matches!(error.kind(), tera::ErrorKind::SyntaxError(_)))
            .flat_map(|error| faults::findings(&error, None, &text_of))
            .collect();
        if findings.is_empty()
            && let Err(error) = tera.add_raw_templates(templates)
        {
            findings = faults::findings(&error, None, &text_of);
        }
        (findings.is_empty().then_some(Renderer { tera }), findings)
    }

    /// Fills `template` with `view`.
    ///
    /// # Errors
    /// A finding in the template, located; `about` is the input file that the page was made from.
    pub fn page<V: Serialize + ?Sized>(
        &self,
        template: &str,
        view: &V,
        about: Option<&Utf8Path>,
    ) -> Result<String, Box<Diagnostic>> {
        Context::from_serialize(view).and_then(|context| self.tera.render(template, &context)).map_err(|error| {
            let finding = faults::findings(&error, about, &|_| None).into_iter().next();
            Box::new(finding.unwrap_or_else(|| Diagnostic::new(&codes::FAILED, error.to_string())))
        })
    }

    /// The bytes of a page.
    ///
    /// # Errors
    /// As [`page`](Self::page).
    pub fn bytes(&self, page: &Page<'_>, view: &View<'_>) -> Result<Vec<u8>, Box<Diagnostic>> {
        match (page.form(), view) {
            (Form::Template(template), _) => self.page(template, view, page.source()).map(String::into_bytes),
            (Form::Text, View::Data(crate::pages::DataView::Text(text))) => Ok(text.clone().into_bytes()),
            _ => serde_json::to_vec(view).map_err(|error| Box::new(Diagnostic::new(&codes::FAILED, error.to_string()))),
        }
    }
}

fn globals(settings: &Settings) -> SiteGlobals<'_> {
    SiteGlobals {
        title: &settings.title,
        subject: &settings.subject,
        base_url: settings.base_url.as_str(),
        language: &settings.language,
        policy: CSP_META,
        trademark: settings.trademark.as_deref(),
        menu: settings.menu.iter().map(|item| MenuEntry { title: &item.title, path: &item.path }).collect(),
    }
}

/// `asset(name="style.css")`
fn asset(assets: &BTreeMap<String, Value>, kwargs: &Kwargs) -> TeraResult<Value> {
    let name = kwargs.must_get::<&str>("name")?;
    match assets.get(name) {
        Some(entry) => Ok(entry.clone()),
        None => {
            let near = crate::diagnostic::did_you_mean(name, assets.keys().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(tera::Error::message(format!("there is no asset `{name}` below `static/`{hint}")))
        }
    }
}

/// `{{ body | html }}`: takes only a [`Markup`](crate::pages::Markup).
fn html(value: &Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    let html = value.as_map().filter(|map| map.len() == 1).and_then(|map| map.get(&"html".into())?.as_str());
    html.map(Value::safe_string)
        .ok_or_else(|| tera::Error::message("the filter `html` takes finished HTML only, which a text is not"))
}

fn refuse_safe(_: &Value, _: Kwargs, _: &State<'_>) -> TeraResult<Value> {
    Err(tera::Error::message("the filter `safe` is not for templates of this book: finished HTML is written with `html`"))
}

/// Escapes text for HTML, in content and in quoted attributes; runs of plain text are written at once.
fn escape(text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let bytes = text.as_bytes();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let entity: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => continue,
        };
        out.write_all(&bytes[start..at])?;
        out.write_all(entity)?;
        start = at + 1;
    }
    out.write_all(&bytes[start..])
}
