//! A long content on its way: written to a file, and hashed, while it comes, so that storing it takes no time afterwards.
//! Whether it is kept is decided by an append; until then its file is nobody's.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use assent_protocol::ids::Sha;
use assent_protocol::tool::Stored;
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;
use crate::files::Unfinished;
use crate::store::Store;
use crate::table::contents::Content;

/// Bytes that are written as they come. Clones write to the same file.
#[derive(Clone)]
pub struct Spool(Arc<Mutex<Coming>>);

struct Coming {
    file: File,
    digest: Sha256,
    length: u64,
    /// The file's name. Shared with the content that is made of it.
    unfinished: Arc<Unfinished>,
}

impl Store {
    /// Begins a long content; none: there is no folder, as everything is in memory.
    pub fn spool(&self) -> Result<Option<Spool>, StoreError> {
        let Some(files) = self.files() else { return Ok(None) };
        let (file, unfinished) = files.begin()?;
        let coming = Coming { file, digest: Sha256::new(), length: 0, unfinished: Arc::new(unfinished) };
        Ok(Some(Spool(Arc::new(Mutex::new(coming)))))
    }
}

impl Spool {
    /// The content that was written, to be stored by an append. `bytes` are the same bytes: they are stored if the file
    /// can't take its place.
    pub fn into_content(self, bytes: Vec<u8>) -> Content {
        let coming = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if coming.length != bytes.len() as u64 {
            return Content::of(bytes);
        }
        let hash = Sha::from_bytes(coming.digest.clone().finalize().into());
        Content::spooled(Stored { hash, bytes: coming.length }, bytes, Arc::clone(&coming.unfinished))
    }
}

impl io::Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut coming = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = coming.file.write(bytes)?;
        coming.digest.update(&bytes[..written]);
        coming.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
