//! JSON Schemas (draft 2020-12) of the TOML files, made from what their readers ask for.

use super::{ClientId, LanguageId, LevelId, example, feature, language, level, manifest, registry, settings};
use crate::source::shape::{Key, Kind, Shape, TextShape};
use crate::source::table::{FromText, Reader};
use serde_json::{Map, Value, json};

/// The dialect of every schema.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Every schema, with the stem of its file: `manifest` is written to `static/schema/manifest.schema.json`.
pub fn all() -> Vec<(&'static str, Value)> {
    let described = [
        ("clientbook", "clientbook.toml: the settings of a catalogue", settings()),
        ("manifest", "clients/<id>/manifest.toml: what a client is and what it claims", manifest()),
        ("example", "clients/<id>/examples/example.toml: how the examples run", example()),
        ("groups", "content/features/groups.toml: the features, in order", groups()),
        ("language", "content/languages/<id>.toml: a language", language()),
        ("level", "content/levels/<id>.toml: a level", level()),
        ("registry", "content/registries/<type>.toml: a package registry", registry()),
    ];
    described
        .into_iter()
        .map(|(name, title, shape)| {
            let mut schema = object(&shape);
            schema.insert("$schema".to_owned(), DIALECT.into());
            schema.insert("title".to_owned(), title.into());
            let mut schema = Value::Object(schema);
            if name == "manifest" {
                tighten_manifest(&mut schema);
            }
            (name, schema)
        })
        .collect()
}

fn settings() -> Shape {
    Reader::describe(|table| drop(settings::read(table)))
}

fn manifest() -> Shape {
    Reader::describe(|table| drop(manifest::read(example_of::<ClientId>(), table)))
}

fn example() -> Shape {
    Reader::describe(|table| drop(example::read_commands(table)))
}

fn groups() -> Shape {
    Reader::describe(|table| drop(feature::read_groups(table)))
}

fn language() -> Shape {
    Reader::describe(|table| drop(example_of::<LanguageId>().map(|id| language::read(id, table))))
}

fn level() -> Shape {
    Reader::describe(|table| drop(example_of::<LevelId>().map(|id| level::read(id, table))))
}

fn registry() -> Shape {
    Reader::describe(|table| drop(registry::read("pypi", table)))
}

fn example_of<T: FromText>() -> Option<T> {
    T::from_text(T::shape().example).ok()
}

/// What the reader of manifests checks beyond keys and their values.
fn tighten_manifest(schema: &mut Value) {
    if let Some(version) = schema.pointer_mut("/properties/schema").and_then(Value::as_object_mut) {
        version.insert("const".to_owned(), manifest::SCHEMA.into());
    }
    if let Some(claim) = schema.pointer_mut("/properties/features/additionalProperties").and_then(Value::as_object_mut) {
        claim.insert(
            "allOf".to_owned(),
            json!([
                {
                    "if": { "properties": { "support": { "const": "partial" } }, "required": ["support"] },
                    "then": { "required": ["note"] },
                },
                {
                    "if": { "required": ["until"] },
                    "then": { "properties": { "support": { "const": "removed" } } },
                },
            ]),
        );
    }
}

fn object(shape: &Shape) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    let mut properties = Map::new();
    for (key, _, kind) in &shape.keys {
        properties.insert(key.name.to_owned(), property(*key, kind));
    }
    let required: Vec<Value> =
        shape.keys.iter().filter(|(_, required, _)| *required).map(|(key, _, _)| key.name.into()).collect();
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    match &shape.each {
        Some((key, kind)) => {
            schema.insert("propertyNames".to_owned(), text(key).into());
            schema.insert("additionalProperties".to_owned(), value(kind).into());
        }
        None => drop(schema.insert("additionalProperties".to_owned(), false.into())),
    }
    schema
}

fn property(key: Key, kind: &Kind) -> Value {
    let mut schema = value(kind);
    if !key.doc.is_empty() {
        schema.insert("description".to_owned(), key.doc.into());
    }
    schema.into()
}

fn value(kind: &Kind) -> Map<String, Value> {
    let array = |items: Map<String, Value>, fewest: usize| {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "array".into());
        schema.insert("items".to_owned(), items.into());
        if fewest > 0 {
            schema.insert("minItems".to_owned(), fewest.into());
        }
        schema
    };
    let integer = || Map::from_iter([("type".to_owned(), "integer".into())]);
    match kind {
        Kind::Text(shape) => text(shape),
        Kind::List(shape, fewest) => array(text(shape), *fewest),
        Kind::Integer => integer(),
        Kind::Integers => array(integer(), 0),
        Kind::Table(shape) => object(shape),
        Kind::Tables(shape) => array(object(shape), 0),
    }
}

fn text(shape: &TextShape) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "string".into());
    if !shape.words.is_empty() {
        schema.insert("enum".to_owned(), shape.words.into());
    }
    if !shape.pattern.is_empty() {
        schema.insert("pattern".to_owned(), shape.pattern.into());
    }
    if shape.length_min > 0 {
        schema.insert("minLength".to_owned(), shape.length_min.into());
    }
    if let Some(max) = shape.length_max {
        schema.insert("maxLength".to_owned(), max.into());
    }
    if !shape.example.is_empty() && shape.example != "Text" {
        schema.insert("examples".to_owned(), json!([shape.example]));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_shapes_are_values() {
        fn holds<T: FromText>(name: &str) {
            let shape = T::shape();
            assert!(shape.example.is_empty() || T::from_text(shape.example).is_ok(), "{name}: `{}`", shape.example);
            assert!(shape.words.iter().all(|word| T::from_text(word).is_ok()), "{name}");
        }
        holds::<ClientId>("id");
        holds::<super::super::ExampleId>("id");
        holds::<super::super::Version>("version");
        holds::<super::super::PartialDate>("date");
        holds::<super::super::Day>("day");
        holds::<super::super::HttpsUrl>("address");
        holds::<super::super::Purl>("purl");
        holds::<super::super::Source>("source");
        holds::<super::super::License>("licence");
        holds::<super::super::Line<200>>("line");
        holds::<super::super::Support>("support");
        holds::<super::super::StatusValue>("status");
    }

    #[test]
    fn the_manifest_schema_says_what_the_reader_asks() {
        let all = all();
        let (_, manifest) = all.iter().find(|(name, _)| *name == "manifest").unwrap();
        let required: Vec<&str> = manifest["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(required, ["schema", "name", "summary", "languages", "kind", "license", "repository", "checked", "status"]);
        assert_eq!(manifest["properties"]["features"]["additionalProperties"]["required"], json!(["support", "source"]));
        assert_eq!(manifest["properties"]["kind"]["enum"].as_array().map(Vec::len), Some(6));
        assert_eq!(manifest["properties"]["latest-release"]["required"], json!(["version", "source"]));
        assert_eq!(manifest["additionalProperties"], json!(false));
        assert!(manifest["properties"].as_object().unwrap().values().all(|property| property["description"].is_string()));
    }
}
