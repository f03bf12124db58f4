//! The schemas below `static/schema/` are what the readers ask for.

use camino::Utf8Path;
use clientbook::{catalogue, results};

#[test]
fn the_committed_schemas_are_fresh() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("static/schema");
    let mut stale = Vec::new();
    for (name, schema) in catalogue::schema::all().into_iter().chain([results::schema()]) {
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
        let file = folder.join(format!("{name}.schema.json"));
        if std::fs::read_to_string(&file).unwrap_or_default() != text {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&file, text).expect("writable");
            stale.push(file);
        }
    }
    assert!(stale.is_empty(), "rewritten, because the readers ask for something else now: {stale:?}");
}
