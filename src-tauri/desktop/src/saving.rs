//! Saving a text to a file that a person chooses in the system's own dialog, and reading one.
//! It knows no conversation.

use std::path::PathBuf;

use assent_protocol::failure::{Code, Failure};
use assent_protocol::snapshot::ExportFormat;
use tauri::{AppHandle, Runtime};
use tauri_plugin_dialog::DialogExt as _;
use tokio::sync::oneshot;

/// Longest name that is proposed for a file, in characters.
const LONGEST_NAME: usize = 80;

/// Asks where. None: nowhere.
pub(crate) async fn choose<R: Runtime>(app: &AppHandle<R>, title: &str, format: ExportFormat) -> Option<PathBuf> {
    let (answer, chosen) = oneshot::channel();
    let (name, ending) = match format {
        ExportFormat::Markdown => ("Markdown", "md"),
        ExportFormat::Html => ("HTML", "html"),
        ExportFormat::Json => ("JSON", "json"),
    };
    let dialog = app.dialog().file().add_filter(name, &[ending]).set_file_name(file_name(title, ending));
    // Nobody waits any more when the window is gone: then nothing is written.
    dialog.save_file(move |path| drop(answer.send(path)));
    chosen.await.ok().flatten()?.into_path().ok()
}

/// Asks which file to read. None: none.
pub(crate) async fn pick<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    let (answer, chosen) = oneshot::channel();
    let dialog = app.dialog().file().add_filter("JSON", &["json"]);
    dialog.pick_file(move |path| drop(answer.send(path)));
    chosen.await.ok().flatten()?.into_path().ok()
}

/// Reads the whole file, which has to be text.
pub(crate) async fn read(path: PathBuf) -> Result<String, Failure> {
    let shown = path.display().to_string();
    let read = tauri::async_runtime::spawn_blocking(move || std::fs::read_to_string(path)).await;
    let failed = |error: &dyn std::fmt::Display| Failure::new(Code::Invalid, format!("{shown} can't be read: {error}"));
    read.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// Writes the whole file.
pub(crate) async fn write(path: PathBuf, text: String) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let written = tauri::async_runtime::spawn_blocking(move || std::fs::write(path, text)).await;
    let failed =
        |error: &dyn std::fmt::Display| Failure::new(Code::Storage, format!("{shown} can't be written: {error}"));
    written.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// A title as the name of a file on any system.
fn file_name(title: &str, ending: &str) -> String {
    let plain = |character: char| {
        let is_sign = matches!(character, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        if is_sign || character.is_control() { ' ' } else { character }
    };
    let name: String = title.chars().map(plain).take(LONGEST_NAME).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = name.trim_matches('.').trim();
    format!("{}.{ending}", if name.is_empty() { "conversation" } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_makes_a_name_that_every_system_takes() {
        assert_eq!(file_name("整理: 六月/访谈?", "md"), "整理 六月 访谈.md");
        assert_eq!(file_name("..\\..\n", "html"), "conversation.html");
        assert_eq!(file_name("", "md"), "conversation.md");
        assert_eq!(file_name(&"x".repeat(300), "md").len(), 83);
    }

    #[tokio::test]
    async fn what_is_written_is_the_whole_and_a_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        write(path.clone(), "# 一\n".to_owned()).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# 一\n");
        let failure = write(folder.path().join("no/b.md"), String::new()).await.unwrap_err();
        assert!(failure.message.contains("b.md can't be written"), "{failure:?}");
        assert_eq!(read(path).await.unwrap(), "# 一\n");
        let failure = read(folder.path().join("c.json")).await.unwrap_err();
        assert!(failure.message.contains("c.json can't be read"), "{failure:?}");
    }
}
