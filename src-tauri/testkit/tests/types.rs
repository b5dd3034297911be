//! The TypeScript in the tree is what the Rust types say now.

use std::fs;
use std::path::Path;

#[test]
fn generated_types_have_not_drifted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/protocol");
    let wanted = assent_testkit::types::generate().unwrap();
    for (name, text) in &wanted {
        let present = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(present == *text, "{name} has drifted: run `npm run types`");
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(wanted.contains_key(&name), "{name} is no longer generated: run `npm run types`");
    }
}
