//! `content/registries/<purl-type>.toml`.

use super::{HttpsUrl, Line, Purl, codes, percent_encode};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, Reader, Table, shown};

/// A package registry.
#[derive(Debug, Clone)]
pub struct Registry {
    /// The purl type, the file's stem.
    pub id: String,
    /// "PyPI".
    pub name: String,
    page: PageTemplate,
}

impl Registry {
    /// The address of a package's page: each placeholder filled with one percent-encoded segment.
    pub fn page(&self, package: &Purl) -> String {
        let namespace = package.namespace.as_deref().unwrap_or_default();
        let full = if namespace.is_empty() { package.name.clone() } else { format!("{namespace}/{}", package.name) };
        self.page
            .0
            .replace("{namespace}", &percent_encode(namespace))
            .replace("{name}", &percent_encode(&package.name))
            .replace("{full}", &percent_encode(&full))
    }

    /// Whether its pages cannot be addressed without a namespace.
    pub fn needs_namespace(&self) -> bool {
        self.page.0.contains("{namespace}")
    }
}

/// Reads a registry; `None` when something is wrong with it.
pub(super) fn parse(id: &str, file: &SourceFile) -> (Option<Registry>, Vec<Diagnostic>) {
    let reader = Reader::new(file);
    let registry = read(id, reader.parse());
    let findings = reader.into_findings();
    (registry.filter(|_| !findings.iter().any(Diagnostic::is_error)), findings)
}

/// Reads the table. Asks for every key before it decides anything.
pub(super) fn read(id: &str, mut table: Table<'_, '_>) -> Option<Registry> {
    let name = table.require::<Line<40>>(("name", "The registry's name."));
    let page = table.require::<PageTemplate>((
        "page",
        "The address of a package's page. `{namespace}`, `{name}` and `{full}` (namespace/name) are filled in, each as one percent-encoded segment.",
    ));
    table.finish();
    Some(Registry { id: id.to_owned(), name: name?.value.0, page: page?.value })
}

/// An `https:` address with placeholders.
#[derive(Debug, Clone)]
struct PageTemplate(String);

impl FromText for PageTemplate {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let bare = text.replace("{namespace}", "n").replace("{name}", "n").replace("{full}", "n");
        HttpsUrl::from_text(&bare)?;
        // A placeholder in the host would let a package choose where its link leads.
        let path = text.get("https://".len()..).and_then(|rest| rest.find('/').map(|at| rest.split_at(at)));
        let fits = path.is_some_and(|(host, path)| !host.contains('{') && (path.contains("{name}") || path.contains("{full}")));
        if fits && !bare.contains(['{', '}']) {
            return Ok(PageTemplate(text.to_owned()));
        }
        Err(Fault::expected("an `https:` address with `{name}` or `{full}` after the host, and perhaps `{namespace}`")
            .of_kind(&codes::PAGE_TEMPLATE, format!("`{}` does not lead to a package's page", shown(text))))
    }

    fn shape() -> TextShape {
        TextShape {
            pattern: "^https://[^/{}]+/.*\\{(name|full)\\}",
            example: "https://deps.dev/pypi/{name}",
            ..TextShape::default()
        }
    }
}

/// Whether `text` is the type of a purl.
pub(super) fn is_purl_type(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(template: &str, purl: &str) -> String {
        let page = PageTemplate::from_text(template).unwrap();
        Registry { id: String::new(), name: String::new(), page }.page(&Purl::from_text(purl).unwrap())
    }

    #[test]
    fn pages_of_packages() {
        for (template, purl, address) in [
            ("https://deps.dev/pypi/{name}", "pkg:pypi/kafka-python", "https://deps.dev/pypi/kafka-python"),
            ("https://deps.dev/npm/{full}", "pkg:npm/%40platformatic/kafka", "https://deps.dev/npm/%40platformatic%2Fkafka"),
            ("https://deps.dev/npm/{full}", "pkg:npm/@platformatic/kafka", "https://deps.dev/npm/%40platformatic%2Fkafka"),
            ("https://deps.dev/npm/{full}", "pkg:npm/kafkajs", "https://deps.dev/npm/kafkajs"),
            (
                "https://deps.dev/go/{full}",
                "pkg:golang/github.com/twmb/franz-go",
                "https://deps.dev/go/github.com%2Ftwmb%2Ffranz-go",
            ),
            (
                "https://deps.dev/maven/{namespace}%3A{name}",
                "pkg:maven/org.apache.kafka/kafka-clients",
                "https://deps.dev/maven/org.apache.kafka%3Akafka-clients",
            ),
        ] {
            assert_eq!(page(template, purl), address);
        }
    }

    #[test]
    fn templates_that_lead_nowhere() {
        for text in [
            "https://deps.dev/pypi/",
            "https://deps.dev/{nmae}",
            "https://{name}/",
            "https://{name}.example/{name}",
            "http://deps.dev/{name}",
            "javascript:{name}",
            "https://deps.dev/{name}/{x}",
            "https://{name}",
        ] {
            assert!(PageTemplate::from_text(text).is_err(), "{text}");
        }
    }
}
