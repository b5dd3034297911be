//! The terminal as an engine's surroundings: keys from the environment or the owner-only file, notices nowhere.
//! It asks no keychain: a script must not wait for one.

use std::path::PathBuf;

use assent_engine::{Host, HostError, Note, SecretFile};
use assent_protocol::settings::KeyPlace;

/// The terminal.
pub struct Terminal {
    secrets: SecretFile,
}

impl Terminal {
    /// With the owner-only file in this data folder.
    pub fn new(home: PathBuf) -> Self {
        Self { secrets: SecretFile::new(home) }
    }
}

impl Host for Terminal {
    fn label(&self) -> &'static str {
        "terminal"
    }

    fn secret(&self, name: &str) -> Result<Option<String>, HostError> {
        self.secrets.get(name)
    }

    fn keep_secret(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, HostError> {
        self.secrets.keep(name, secret)
    }

    fn secret_place(&self, name: &str) -> KeyPlace {
        self.secrets.place(name)
    }

    fn notify(&self, _note: Note) {}
}
