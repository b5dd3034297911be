//! The app's side of a supervised command on Windows: a thread that reads, and one loop over output, a stop and the clock.
//! It ends nothing itself: closing the supervisor's input tells it to.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::stream::{PIECE, Stream};
use super::{Cut, Finished, How, Launch, NotLaunched, Supervisor};
use crate::command::SUPERVISE;

/// How often a stop is looked for while nothing is printed.
const LOOK: Duration = Duration::from_millis(50);

/// How long a supervisor, and after it the output, may take once it is told to end.
const PATIENCE: Duration = Duration::from_secs(6);

/// Pieces of output that wait at most; a writer that is faster has to wait then.
const WAITING: usize = 16;

/// Runs a command and returns when it, and all that it started, has ended.
pub(in crate::command) fn launch(launch: &Launch<'_>) -> Result<Finished, NotLaunched> {
    let supervisor = Supervisor::appointed()?;
    let began = Instant::now();
    let temporary = Temporary::make()?;
    let (output, writing) = io::pipe()?;
    let mut child = {
        let mut command = Command::new(&supervisor.program);
        command.arg(SUPERVISE).env_clear().envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.env("TEMP", &temporary.0).env("TMP", &temporary.0).current_dir(launch.folder_path);
        command.stdin(Stdio::piped()).stdout(writing.try_clone()?).stderr(writing);
        command.spawn()?
    };
    if let Some(input) = child.stdin.as_mut() {
        let length = u32::try_from(launch.command.len()).map_err(io::Error::other)?;
        input.write_all(&length.to_le_bytes())?;
        input.write_all(launch.command.as_bytes())?;
    }
    let mut stream = Stream::new(launch.live, launch.spool);
    let (cut, code) = follow(launch, &mut child, &read(output), &mut stream, began + launch.timeout)?;
    let how = code.map_or(How::Lost, How::Exit);
    Ok(Finished { how, cut, left: 0, output: stream.finish(), took: began.elapsed() })
}

fn follow(
    launch: &Launch<'_>,
    child: &mut Child,
    pieces: &Receiver<Vec<u8>>,
    stream: &mut Stream<'_>,
    mut until: Instant,
) -> io::Result<(Option<Cut>, Option<i32>)> {
    let mut cut = None;
    loop {
        let wait = stream.due_in().map_or(LOOK, |due| due.min(LOOK));
        match pieces.recv_timeout(wait) {
            Ok(piece) => stream.push(&piece),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(wait.min(LOOK)),
        }
        stream.flush_due();
        if let Some(status) = child.try_wait()? {
            // All writers are in the job that has just ended, so the reader comes to the end by itself.
            let last = Instant::now() + PATIENCE;
            while let Ok(piece) = pieces.recv_timeout(last.saturating_duration_since(Instant::now())) {
                stream.push(&piece);
            }
            return Ok((cut, status.code()));
        }
        let is_late = Instant::now() >= until;
        match (cut, launch.cancel.is_cancelled()) {
            (None, is_stopped) if is_stopped || is_late => {
                cut = Some(if is_stopped { Cut::Stopped } else { Cut::TimedOut });
                until = Instant::now() + PATIENCE;
                drop(child.stdin.take());
            }
            (Some(_), _) if is_late => {
                child.kill()?;
                child.wait()?;
                return Ok((cut, None));
            }
            _ => {}
        }
    }
}

fn read(mut output: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, pieces) = sync_channel(WAITING);
    std::thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        // It ends with the last writer, or when nobody wants the pieces any more.
        while let Ok(bytes @ 1..) = output.read(&mut piece) {
            if sender.send(piece[..bytes].to_vec()).is_err() {
                break;
            }
        }
    });
    pieces
}

/// A folder for temporary files that only this command knows.
struct Temporary(PathBuf);

impl Temporary {
    fn make() -> io::Result<Self> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(io::Error::other)?;
        let path = std::env::temp_dir().join(format!("assent-{}-{}", std::process::id(), now.as_nanos()));
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What can't be removed (a file that an indexer holds open) is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
