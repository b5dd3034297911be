//! Keys in one file of the data folder that only its owner can read: for machines and programs without a keychain.
//! It doesn't encrypt and knows no keychain; who runs as the user can read it, as the settings say.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_protocol::settings::KeyPlace;
use serde_json::{Map, Value};

use crate::host::HostError;

/// Name of the file in the data folder.
const FILE: &str = "keys.json";

/// The file. The data folder's lock keeps other processes off it; this keeps threads apart.
pub struct SecretFile {
    folder: PathBuf,
    turn: Mutex<()>,
}

impl SecretFile {
    /// In this data folder, which may not exist yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, turn: Mutex::default() }
    }

    /// The secret under `name`; none where there is no file.
    ///
    /// # Errors
    /// When the file is there and can't be read or understood.
    pub fn get(&self, name: &str) -> Result<Option<String>, HostError> {
        let _turn = self.turn();
        Ok(self.read()?.get(name).and_then(Value::as_str).map(str::to_owned))
    }

    /// Keeps a secret, or forgets it; says where it is now.
    ///
    /// # Errors
    /// When the file can't be read or replaced. The old one is then still there, whole.
    pub fn keep(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, HostError> {
        let _turn = self.turn();
        let mut secrets = self.read()?;
        match secret {
            Some(secret) => {
                secrets.insert(name.to_owned(), Value::from(secret));
            }
            None if secrets.remove(name).is_none() => return Ok(KeyPlace::Nowhere),
            None => {}
        }
        self.write(&secrets).map_err(|error| failed("written", &error))?;
        Ok(if secret.is_some() { KeyPlace::File } else { KeyPlace::Nowhere })
    }

    /// Whether the secret under `name` is in the file. One that can't be read is said to be nowhere; reading it says why.
    pub fn place(&self, name: &str) -> KeyPlace {
        match self.get(name) {
            Ok(Some(_)) => KeyPlace::File,
            Ok(None) | Err(_) => KeyPlace::Nowhere,
        }
    }

    fn read(&self) -> Result<Map<String, Value>, HostError> {
        let path = self.folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(error) => return Err(failed("read", &error)),
        };
        close_to_others(&path).map_err(|error| failed("closed to other users", &error))?;
        match serde_json::from_str(&text) {
            Ok(Value::Object(secrets)) => Ok(secrets),
            // What is wrong is not repeated: the words could contain a key.
            Ok(_) | Err(_) => Err(HostError(format!("{FILE} in the data folder is damaged: mend or delete it"))),
        }
    }

    /// Writes a new file beside the old one, with its bytes on the disk, and puts it in its place.
    fn write(&self, secrets: &Map<String, Value>) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let fresh = self.folder.join(format!("{FILE}.new"));
        // What a crash left there may have wider permissions.
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(Value::Object(secrets.clone()).to_string().as_bytes())?;
        file.sync_all()?;
        drop(file);
        fs::rename(&fresh, self.folder.join(FILE))?;
        sync_folder(&self.folder)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(what: &str, error: &io::Error) -> HostError {
    HostError(format!("{FILE} in the data folder could not be {what}: {error}"))
}

/// Takes back what permissions others have, for instance after a copy from a backup.
#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 { Ok(()) } else { fs::set_permissions(path, fs::Permissions::from_mode(0o600)) }
}

/// Elsewhere the file inherits what the user's own folder allows.
#[cfg(not(unix))]
fn close_to_others(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder can't be opened for this.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
