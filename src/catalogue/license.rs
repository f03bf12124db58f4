//! SPDX licence expressions.

use super::codes;
use crate::diagnostic::did_you_mean;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, shown};

/// An SPDX licence expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct License(pub String);

impl FromText for License {
    fn from_text(text: &str) -> Result<Self, Fault> {
        let Err(error) = spdx::Expression::parse(text) else { return Ok(License(text.to_owned())) };
        let (start, end) = (error.span.start, error.span.end);
        let part = text.get(start..end).unwrap_or(text);
        let mended = |name: &str| Some(format!("{}{name}{}", text.get(..start)?, text.get(end..)?));
        let is_one = !text.split_whitespace().any(|word| matches!(word, "AND" | "OR" | "WITH"));
        let meant = spdx::Expression::canonicalize(text).ok().flatten();
        let meant = meant.or_else(|| is_one.then(|| nearest(text)).flatten().map(str::to_owned));
        let meant = meant.or_else(|| mended(nearest(part)?));
        Err(Fault::expected("an SPDX licence expression as `Apache-2.0` or `MIT OR BSD-2-Clause`")
            .of_kind(&codes::LICENSE, format!("`{}` is not an SPDX licence expression", shown(text)))
            .meant(meant.filter(|meant| spdx::Expression::parse(meant).is_ok())))
    }

    fn shape() -> TextShape {
        TextShape { length_min: 1, example: "Apache-2.0", ..TextShape::default() }
    }
}

/// The licence that `text` as a whole probably means.
fn nearest(text: &str) -> Option<&'static str> {
    let imprecise = spdx::imprecise_license_id(text).filter(|(_, length)| *length == text.len()).map(|(id, _)| id.name);
    imprecise.or_else(|| did_you_mean(text, spdx::identifiers::LICENSES.iter().map(|license| license.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_and_near_misses() {
        for text in ["Apache-2.0", "MIT OR Apache-2.0", "GPL-3.0-only WITH Classpath-exception-2.0", "LicenseRef-Confluent"] {
            assert_eq!(License::from_text(text).unwrap().0, text);
        }
        let meant = |text: &str| License::from_text(text).unwrap_err().suggestion;
        assert_eq!(meant("Apache 2.0").as_deref(), Some("Apache-2.0"));
        assert_eq!(meant("BSD-2-Claus").as_deref(), Some("BSD-2-Clause"));
        assert_eq!(meant("MIT OR Apache 2.0").as_deref(), Some("MIT OR Apache-2.0"));
        assert_eq!(meant("MIT OR Apache2").as_deref(), Some("MIT OR Apache-2.0"));
        for text in ["", "()", "((((", "Whatever I like", "MIT OR", "\u{202e}"] {
            assert!(License::from_text(text).is_err(), "{text:?}");
        }
    }
}
