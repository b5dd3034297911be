//! Generates the window's permissions from the command table and embeds the built page.
//! It doesn't build the page: that is done beforehand, and a sentence stands in for it where it wasn't.

use std::{error::Error, fs, path::Path};

#[macro_use]
mod commands;

macro_rules! names {
    (shell: [$($shell:ident),*] engine: [$($engine:ident),*]) => {
        &[$(stringify!($shell),)* $(stringify!($engine),)*]
    };
}

const COMMANDS: &[&str] = commands!(names);

/// What the window says when the program was built before its page.
const UNBUILT_PAGE: &str = "<!doctype html><meta charset=\"utf-8\"><title>Assent</title>\
    <p>This build contains no page. Run <code>npm run ui:build</code>, then build again.</p>";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src-tauri/desktop/commands.rs");
    println!("cargo:rerun-if-changed=src-tauri/desktop/capabilities");
    put_a_sentence_where_the_page_is_missing(Path::new("ui/dist/index.html"))?;
    tauri_build::try_build(
        tauri_build::Attributes::new()
            .capabilities_path_pattern("./src-tauri/desktop/capabilities/**/*")
            .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS))
            .codegen(tauri_build::CodegenContext::new()),
    )?;
    Ok(())
}

/// Lets `cargo build` alone succeed in a fresh clone; the terminal program needs no page.
fn put_a_sentence_where_the_page_is_missing(page: &Path) -> Result<(), Box<dyn Error>> {
    if page.exists() {
        return Ok(());
    }
    println!("cargo:warning=the page isn't built (npm run ui:build): the window will only say so");
    if let Some(folder) = page.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(page, UNBUILT_PAGE)?;
    Ok(())
}
