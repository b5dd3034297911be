//! Lets a test stop the program at an exact point, to kill it there or to change something behind its back: the point
//! named by `ASSENT_PAUSE_AT` (`point:path-of-a-pipe`) writes one byte to the pipe and goes on when somebody opens it
//! for writing. It exists in debug builds alone, and decides nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names the point and the pipe.
const VARIABLE: &str = "ASSENT_PAUSE_AT";

/// Stops here once, if this is the point that the environment names. Blocks the thread.
///
/// # Panics
/// When the pipe can't be used: a test that waits for it must not wait in vain.
#[expect(clippy::panic, reason = "exists for tests alone; going on would make a test pass that tested nothing")]
pub fn at(point: &str) {
    static IS_OVER: AtomicBool = AtomicBool::new(false);
    let Ok(order) = std::env::var(VARIABLE) else { return };
    let Some((_, pipe)) = order.split_once(':').filter(|(named, _)| *named == point) else { return };
    if IS_OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    if let Err(error) = wait(Path::new(pipe)) {
        panic!("{VARIABLE}={order}: {error}");
    }
}

fn wait(pipe: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(pipe)?.write_all(b".")?;
    File::open(pipe)?.read_to_end(&mut Vec::new()).map(|_| ())
}
