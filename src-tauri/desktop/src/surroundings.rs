//! The desktop as the engine's surroundings: keys in the keychain or else in the owner-only file, notices to the person.
//! It decides neither what is worth a notice nor which key is for whom.

use std::path::PathBuf;

use assent_engine::{Host, HostError, Note, SecretFile};
use assent_protocol::settings::KeyPlace;
use tauri::{AppHandle, Runtime};

use crate::{attention, keychain};

/// The desktop.
pub(crate) struct Desktop<R: Runtime> {
    app: AppHandle<R>,
    file: SecretFile,
}

impl<R: Runtime> Desktop<R> {
    /// With the owner-only file in the data folder `home`.
    pub fn new(app: AppHandle<R>, home: PathBuf) -> Self {
        Self { app, file: SecretFile::new(home) }
    }
}

impl<R: Runtime> Host for Desktop<R> {
    fn label(&self) -> &'static str {
        "window"
    }

    fn names_conversations(&self) -> bool {
        true
    }

    /// A keychain that fails is only worth a word where the file doesn't have the key either.
    fn secret(&self, name: &str) -> Result<Option<String>, HostError> {
        let kept = keychain::get(name);
        match kept {
            Ok(Some(secret)) => Ok(Some(secret)),
            Ok(None) | Err(_) => self.file.get(name),
        }
    }

    fn keep_secret(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, HostError> {
        let Some(secret) = secret else {
            // Where there is no keychain there is nothing to forget in it; where it refuses, the key is still there.
            let forgotten = keychain::forget(name);
            self.file.keep(name, None)?;
            return match keychain::get(name) {
                Ok(Some(_)) => Err(HostError(format!(
                    "the key is still in the keychain: {}",
                    forgotten.err().unwrap_or_else(|| "it was not deleted".to_owned())
                ))),
                Ok(None) | Err(_) => Ok(KeyPlace::Nowhere),
            };
        };
        match keychain::keep(name, secret) {
            Ok(()) => {
                self.file.keep(name, None)?;
                Ok(KeyPlace::Keychain)
            }
            Err(_) => self.file.keep(name, Some(secret)),
        }
    }

    fn secret_place(&self, name: &str) -> KeyPlace {
        match keychain::get(name) {
            Ok(Some(_)) => KeyPlace::Keychain,
            Ok(None) | Err(_) => self.file.place(name),
        }
    }

    fn notify(&self, note: Note) {
        attention::call_for(&self.app, &note);
    }
}
