//! The system's keychain, where it has one that works.
//! It keeps nothing itself and chooses no other place: that is up to who asks.

use std::sync::mpsc;
use std::time::Duration;

use keyring::{Entry, Error};

/// The name under which the keychain lists our entries; each is for one origin.
const SERVICE: &str = "assent";
/// A locked keychain asks a person for its password; after this long it counts as not working.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads the entry `name`; `None` where there is none.
///
/// # Errors
/// In words, when there is no keychain or it doesn't let us.
pub(crate) fn get(name: &str) -> Result<Option<String>, String> {
    let name = name.to_owned();
    asked(move || found(Entry::new(SERVICE, &name)?.get_password()))
}

/// Keeps `secret` as the entry `name`, and reads it back: some keychains take what they don't keep.
///
/// # Errors
/// In words, when there is no keychain, or it doesn't let us, or it gave back something else.
pub(crate) fn keep(name: &str, secret: &str) -> Result<(), String> {
    let (name, secret) = (name.to_owned(), secret.to_owned());
    let is_kept = asked(move || {
        let entry = Entry::new(SERVICE, &name)?;
        entry.set_password(&secret)?;
        Ok(entry.get_password()? == secret)
    })?;
    if is_kept { Ok(()) } else { Err("it gave back something else than it was given".to_owned()) }
}

/// Forgets the entry `name`.
///
/// # Errors
/// In words, when there is no keychain or it doesn't let us.
pub(crate) fn forget(name: &str) -> Result<(), String> {
    let name = name.to_owned();
    asked(move || found(Entry::new(SERVICE, &name)?.delete_credential())).map(|_| ())
}

fn found<T>(result: keyring::Result<T>) -> keyring::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Asks on a thread of its own: the keychain's client waits in a way that no runtime allows, and may wait for a person.
fn asked<T: Send + 'static>(work: impl FnOnce() -> keyring::Result<T> + Send + 'static) -> Result<T, String> {
    let (answer, answered) = mpsc::channel();
    std::thread::Builder::new()
        .name("keychain".to_owned())
        .spawn(move || answer.send(work()))
        .map_err(|error| error.to_string())?;
    match answered.recv_timeout(PATIENCE) {
        Ok(answer) => answer.map_err(|error| words(&error)),
        Err(_) => Err(format!("the keychain didn't answer within {} s", PATIENCE.as_secs())),
    }
}

/// The library's words where they can't contain what is kept.
fn words(error: &Error) -> String {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "the keychain's entry isn't text".to_owned(),
        Error::Ambiguous(_) => "the keychain has several such entries".to_owned(),
        Error::NoDefaultStore => "there is no keychain".to_owned(),
        other => other.to_string(),
    }
}
