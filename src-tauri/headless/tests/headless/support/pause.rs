//! Stops the binary at an exact point: the test's end of `ASSENT_PAUSE_AT`.
//! It needs a debug build, where alone the points exist.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::OFlags;

use crate::support::{Place, Running, until};

/// A pipe at which the binary waits.
pub struct Pause {
    path: PathBuf,
    /// Open from the beginning, so that the binary finds a reader.
    pipe: File,
}

impl Pause {
    /// Makes the command stop at this point.
    pub fn at(point: &str, place: &Place, command: &mut Command) -> Self {
        let path = place.beside(&format!("pause-{}", place.pauses()));
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap();
        let pipe = OpenOptions::new().read(true).custom_flags(nonblocking).open(&path).unwrap();
        command.env("ASSENT_PAUSE_AT", format!("{point}:{}", path.display()));
        Self { path, pipe }
    }

    /// Returns when the binary waits there.
    pub fn until_reached(&mut self, running: &mut Running) {
        let mut byte = [0];
        until("the point is reached", || {
            let is_reached = self.pipe.read(&mut byte).is_ok_and(|read| read == 1);
            assert!(is_reached || !running.is_over(), "it ended before the point was reached");
            is_reached
        });
    }

    /// Lets it go on.
    pub fn go_on(self) {
        drop(self.pipe);
        drop(OpenOptions::new().write(true).open(&self.path).unwrap());
    }
}
