//! The ids of a catalogue and its closed lists of words.

use super::codes;
use crate::source::shape::TextShape;
use crate::source::table::{Fault, FromText, shown};
use serde::Serialize;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $example:literal;)*) => { $(
        $(#[$doc])*
        ///
        /// Kebab-case: lower-case ASCII letters and digits in words joined by single hyphens, at most 64 characters.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl FromText for $name {
            fn from_text(text: &str) -> Result<Self, Fault> {
                if is_kebab_case(text) { Ok($name(text.into())) } else { Err(kebab_fault(text)) }
            }

            fn shape() -> TextShape {
                TextShape { pattern: KEBAB_CASE, length_min: 1, length_max: Some(64), example: $example, ..TextShape::default() }
            }
        }
    )* };
}

ids! {
    /// A client's id: its folder below `clients/`.
    ClientId = "a-client";
    /// A language's id.
    LanguageId = "python";
    /// A feature's id.
    FeatureId = "transactions";
    /// The id of a group of features.
    GroupId = "exactly-once";
    /// A level's id.
    LevelId = "core";
    /// A standard example's id.
    ExampleId = "produce";
    /// A scenario's id.
    ScenarioId = "txn-commit";
}

const KEBAB_CASE: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

fn is_kebab_case(text: &str) -> bool {
    text.len() <= 64
        && text.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

fn kebab_fault(text: &str) -> Fault {
    let mended = text
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    Fault::expected("an id in kebab-case, of at most 64 characters")
        .of_kind(&codes::BAD_ID, format!("`{}` is not an id", shown(text)))
        .meant(is_kebab_case(&mended).then_some(mended))
}

/// A closed list of words, each with its Rust name.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every word, in order.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl FromText for $name {
            fn from_text(text: &str) -> Result<Self, Fault> {
                match text { $($word => Ok($name::$variant),)* _ => Err(Fault::one_of(text, Self::WORDS)) }
            }

            fn shape() -> TextShape {
                TextShape { words: Self::WORDS, ..TextShape::default() }
            }
        }
    )* };
}

words! {
    /// What a manifest says of a feature.
    Support {
        /// It is there.
        Yes = "yes",
        /// It is there within limits; the note says which.
        Partial = "partial",
        /// It is not there.
        No = "no",
        /// It is said to come.
        Planned = "planned",
        /// It was there once.
        Removed = "removed",
    }

    /// Whether a client is alive.
    StatusValue {
        /// New features and releases.
        Active = "active",
        /// Fixes only.
        Maintenance = "maintenance",
        /// Nothing happens, nobody said so.
        Dormant = "dormant",
        /// Its owner said that it is over.
        Archived = "archived",
    }

    /// How a client relates to the protocol.
    ClientKind {
        /// Speaks the protocol itself.
        Native = "native",
        /// A thin layer over an engine in another language.
        Binding = "binding",
        /// A nicer API over another client.
        Wrapper = "wrapper",
        /// Integration into a framework for streams, actors or the web.
        Framework = "framework",
        /// A proxy that speaks another protocol to its users.
        Bridge = "bridge",
        /// A command-line tool.
        Tool = "tool",
    }

    /// Whether a language is a language.
    LanguageKind {
        /// A programming language.
        Language = "language",
        /// A way in that needs no library.
        Interface = "interface",
    }
}

impl StatusValue {
    /// Active or in maintenance.
    pub fn is_living(self) -> bool {
        matches!(self, StatusValue::Active | StatusValue::Maintenance)
    }
}
