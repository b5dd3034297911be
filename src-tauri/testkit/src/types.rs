//! Writes the TypeScript of everything that crosses the boundary, from the Rust types alone.
//! It decides nothing about names or shapes: those follow from `protocol`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use assent_protocol::{event, request};
use ts_rs::Config;

/// Stands at the head of every file that is written here.
const HEAD: &str = "// Generated from the Rust crate `protocol`. Don't edit; run `npm run types`.\n";

/// All generated files by name, for writing or comparing.
pub fn generate() -> io::Result<BTreeMap<String, String>> {
    let folder = tempfile::tempdir()?;
    let config = Config::default().with_out_dir(folder.path()).with_large_int("number");
    request::export_types(&config).map_err(io::Error::other)?;
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, fs::read_to_string(entry.path())?);
    }
    let names: Vec<String> = files.keys().filter_map(|name| name.strip_suffix(".ts")).map(str::to_owned).collect();
    files.insert("methods.ts".to_owned(), methods(&config, &names));
    files.insert("index.ts".to_owned(), index(&names));
    Ok(files)
}

/// Writes what [`generate`] returns to `folder`, and removes what is no longer generated.
pub fn write(folder: &Path) -> io::Result<()> {
    let files = generate()?;
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !files.contains_key(entry.file_name().to_string_lossy().as_ref()) {
            fs::remove_file(entry.path())?;
        }
    }
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

fn methods(config: &Config, names: &[String]) -> String {
    let map = request::typescript_methods(config);
    let words: std::collections::HashSet<&str> = map.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let used: Vec<&str> = names.iter().map(String::as_str).filter(|name| words.contains(name)).collect();
    let kinds = event::KINDS.iter().map(|kind| format!("  \"{kind}\",\n")).collect::<String>();
    format!(
        "{HEAD}import type {{ {} }} from \"./index\";\n\n{map}\nexport const methods = [\n{}] as const satisfies \
         (keyof Methods)[];\n\nexport const kinds = [\n{kinds}] as const;\n",
        used.join(", "),
        request::METHODS.iter().map(|method| format!("  \"{method}\",\n")).collect::<String>(),
    )
}

fn index(names: &[String]) -> String {
    let lines: String = names.iter().map(|name| format!("export type {{ {name} }} from \"./{name}\";\n")).collect();
    format!("{HEAD}{lines}export * from \"./methods\";\n")
}
