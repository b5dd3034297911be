//! Carries a conversation to another machine: it leaves as a file, everything else is gone, and it is imported where nobody knows
//! it. The folder stays.

use assent_protocol::request::{Request, Response};
use assent_protocol::settings::Settings;
use assent_protocol::snapshot::ExportFormat;

use super::play::Stage;
use super::script::{Act, What, act};

/// Exports the conversation and imports it on another machine, where it has this name. What `change` makes of the file is imported.
pub fn carry(name: &str, change: fn(String) -> String) -> Act {
    act(What::Carry { name: name.to_owned(), change })
}

impl Stage {
    pub(super) fn carry(&mut self, on: &str, name: &str, change: fn(String) -> String) {
        self.say(&format!("{on} > is carried to another machine as {name}"));
        let conversation = self.conversation(on);
        let export = Request::Export { conversation, format: ExportFormat::Json };
        let file = match self.ask(export) {
            Ok(Response::Export(text)) => text,
            other => panic!("{other:?}"),
        };
        let text = change(file.clone());
        if text != file {
            // What is there then, if anything, is something else.
            self.lives.clear();
            self.agents.clear();
        }
        self.close();
        std::fs::remove_dir_all(&self.folders.home).expect("the data folder can be removed");
        self.open();
        let settings = Settings { model: Some(self.choice(on)), ..Settings::default() };
        self.ask(Request::SaveSettings { settings }).expect("the settings are kept");
        let root = self.folders.root.to_string_lossy().into_owned();
        let project = match self.ask(Request::OpenFolder { path: root, allow_home: true }) {
            Ok(Response::OpenFolder(row)) => row.id,
            other => panic!("{other:?}"),
        };
        match self.ask(Request::Import { project: Some(project), text }) {
            Ok(Response::Import(row)) => self.goes_on(name, row),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => self.refused(&failure),
        }
    }
}
