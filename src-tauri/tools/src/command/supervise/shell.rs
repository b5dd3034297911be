//! Starts the shell of one order: its folder, its sandbox, its session and its private place for temporary files.
//! It waits for nothing and ends nothing.

use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::signals;
use crate::command::launch::Stage;
use crate::command::order::Order;
#[cfg(target_os = "linux")]
use crate::command::sandbox;

/// Starts `/bin/sh -c` with the order's text. Output goes where the supervisor's own goes.
pub(super) fn start(order: &Order, temporary: &Path) -> Result<Child, (Stage, io::Error)> {
    let mut command = Command::new("/bin/sh");
    // The dashes end the shell's options, so that a text which begins with one is still a text.
    command.args(["-c", "--", &order.command]).stdin(Stdio::null());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        command.env(name, temporary);
    }
    let folder = order.folder.try_clone().map_err(|error| (Stage::Shell, error))?;
    #[cfg(target_os = "linux")]
    let mut rules = match &order.limit {
        Some(limit) => Some(sandbox::rules(limit, temporary).map_err(|error| (Stage::Sandbox, error))?),
        None => None,
    };
    #[cfg(not(target_os = "linux"))]
    if order.limit.is_some() {
        return Err((Stage::Sandbox, io::Error::from(io::ErrorKind::Unsupported)));
    }
    // SAFETY: this process has a single thread, so the child after the fork may do whatever the parent may.
    unsafe {
        command.pre_exec(move || {
            signals::release()?;
            rustix::process::setsid()?;
            rustix::process::fchdir(&folder)?;
            #[cfg(target_os = "linux")]
            {
                // Should the supervisor itself be killed, at least the shell goes with it.
                rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
                if let Some(rules) = rules.take() {
                    sandbox::restrict(rules)?;
                }
            }
            Ok(())
        });
    }
    command.spawn().map_err(|error| (Stage::Shell, error))
}

/// A folder for temporary files that only this command knows, removed with all that is in it when dropped.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// Makes one below the user's own.
    pub fn make() -> io::Result<Self> {
        let template = std::env::temp_dir().join("assent-XXXXXX");
        let mut bytes =
            CString::new(template.into_os_string().into_vec()).map_err(io::Error::other)?.into_bytes_with_nul();
        // SAFETY: the buffer is a writable string that ends in NUL; the call changes its last six characters only.
        if unsafe { libc::mkdtemp(bytes.as_mut_ptr().cast()) }.is_null() {
            return Err(io::Error::last_os_error());
        }
        bytes.pop();
        Ok(Self(PathBuf::from(OsString::from_vec(bytes))))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if std::fs::remove_dir_all(&self.0).is_err() {
            // Caches that protect themselves (Go's modules) hold folders without the right to write.
            open_up(&self.0);
            if let Err(error) = std::fs::remove_dir_all(&self.0) {
                // Nobody is left to hear of it: the output belongs to the command.
                debug_assert!(error.kind() == io::ErrorKind::NotFound, "{error}");
            }
        }
    }
}

/// Gives all folders below `folder` their owner's rights back. Links are not followed.
fn open_up(folder: &Path) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let opened = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let Ok(entries) = opened.and_then(|()| std::fs::read_dir(&folder)) else { continue };
        let inner = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| entry.path()));
    }
}
