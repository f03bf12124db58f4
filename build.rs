//! Lists the built-in theme (`templates/` and `static/`) as `include_bytes!` lines, so that `clientbook new` and a catalogue
//! without a theme of its own work from the program alone.

use std::fmt::Write as _;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut list = String::from("&[\n");
    for folder in ["templates", "static"] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name().into_iter().flatten() {
            if entry.file_type().is_file() {
                let path = entry.path();
                let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
                writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.to_string_lossy()).expect("a String takes all");
            }
        }
    }
    list.push_str("]\n");
    let file = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("builtin.rs");
    std::fs::write(file, list).expect("OUT_DIR is writable");
}
