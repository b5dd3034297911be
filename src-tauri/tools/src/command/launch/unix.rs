//! The app's side of a supervised command on Unix: one loop over output, the supervisor's word, a stop and the clock.
//! It kills nothing itself: closing its end of the socket tells the supervisor to.

use std::future::Future as _;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::ahead::take;
use super::stream::{PIECE, Stream};
use super::{Cut, Ending, Finished, How, Launch, NotLaunched};
use crate::command::order::{self, ENDING_BYTES};

/// How long a supervisor has to end everything once it is told to. Its own limits add up to less than four seconds.
const PATIENCE: Duration = Duration::from_secs(6);

/// Runs a command and returns when it, and all that it started, has ended.
pub(in crate::command) fn launch(launch: &Launch<'_>) -> Result<Finished, NotLaunched> {
    let began = Instant::now();
    let mut supervised = take(launch.environment)?;
    let limit = launch.limit.as_ref().map(|(root, path)| (root, *path));
    order::send(&supervised.socket, launch.command, &launch.folder, limit)?;

    let (bell, ringing) = io::pipe()?;
    let waker = Waker::from(Arc::new(Ringing(ringing)));
    let mut stopped = pin!(launch.cancel.cancelled());
    let is_stopped = stopped.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    let mut following = Following {
        socket: &supervised.socket,
        output: &supervised.output,
        bell: &bell,
        stream: Stream::new(launch.live, launch.spool),
        cut: None,
        until: began + launch.timeout,
        heard: Vec::with_capacity(ENDING_BYTES),
        piece: vec![0; PIECE],
    };
    if is_stopped {
        following.end_for(Cut::Stopped)?;
    }
    let ending = following.follow()?;
    let Following { mut stream, cut, .. } = following;
    supervised.reap(ending.is_none())?;
    drain(&supervised.output, &mut stream)?;
    let Ending { how, left } = ending.unwrap_or(Ending { how: How::Lost, left: 0 });
    Ok(Finished { how, cut, left, output: stream.finish(), took: began.elapsed() })
}

/// Makes a cancelled token something to poll for.
struct Ringing(PipeWriter);

impl Wake for Ringing {
    fn wake(self: Arc<Self>) {
        // It rings once, so there is room; and without a reader nobody waits for it any more.
        let _ = (&self.0).write(&[0]);
    }
}

struct Following<'a, 'l> {
    socket: &'a UnixStream,
    output: &'a PipeReader,
    bell: &'a PipeReader,
    stream: Stream<'l>,
    cut: Option<Cut>,
    /// The command's time limit; once it is cut, the supervisor's.
    until: Instant,
    /// What the supervisor has said so far.
    heard: Vec<u8>,
    /// Room for one piece of output.
    piece: Vec<u8>,
}

impl Following<'_, '_> {
    /// Follows the command to its end. `None`: the supervisor is gone, or doesn't answer.
    fn follow(&mut self) -> io::Result<Option<Ending>> {
        let mut is_open = true;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let wait = self.stream.due_in().map_or(left, |due| due.min(left));
            let (spoke, printed) = self.wait(wait, is_open)?;
            if printed {
                is_open = self.take_output()?;
            }
            self.stream.flush_due();
            if spoke && let Some(last) = self.hear()? {
                return Ok(last);
            }
            if Instant::now() >= self.until {
                match self.cut {
                    None => self.end_for(Cut::TimedOut)?,
                    Some(_) => return Ok(None),
                }
            }
        }
    }

    /// Waits for something to happen; says whether the supervisor spoke and whether there is output.
    fn wait(&mut self, wait: Duration, is_open: bool) -> io::Result<(bool, bool)> {
        // Once the command is cut, the bell has nothing more to say.
        let bell = if self.cut.is_none() { PollFlags::IN } else { PollFlags::empty() };
        let mut watched = vec![PollFd::new(self.socket, PollFlags::IN), PollFd::new(self.bell, bell)];
        watched.extend(is_open.then(|| PollFd::new(self.output, PollFlags::IN)));
        match poll(&mut watched, Some(&timespec(wait))) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok((false, false)),
            Err(error) => return Err(error.into()),
        }
        let happened = |at: usize| watched.get(at).is_some_and(|watched| !watched.revents().is_empty());
        let (spoke, rang, printed) = (happened(0), happened(1), happened(2));
        if rang && self.cut.is_none() {
            self.end_for(Cut::Stopped)?;
        }
        Ok((spoke, printed))
    }

    /// Tells the supervisor to end everything.
    fn end_for(&mut self, cut: Cut) -> io::Result<()> {
        self.cut = Some(cut);
        self.until = Instant::now() + PATIENCE;
        match self.socket.shutdown(Shutdown::Write) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            other => other,
        }
    }

    /// Takes one piece of output; false when there will be no more.
    fn take_output(&mut self) -> io::Result<bool> {
        match { self.output }.read(&mut self.piece) {
            Ok(0) => Ok(false),
            Ok(bytes) => {
                self.stream.push(&self.piece[..bytes]);
                Ok(true)
            }
            Err(error) if is_passing(&error) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Hears the supervisor out: `Some(Some(…))` is its last word, `Some(None)` its silence.
    fn hear(&mut self) -> io::Result<Option<Option<Ending>>> {
        let mut bytes = [0; ENDING_BYTES];
        match { self.socket }.read(&mut bytes[self.heard.len()..]) {
            Ok(0) => return Ok(Some(None)),
            Ok(count) => {
                let from = self.heard.len();
                self.heard.extend_from_slice(&bytes[from..from + count]);
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(Some(None)),
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(self.heard.first_chunk().map(|whole| order::read_ending(*whole)))
    }
}

/// Takes what is still in the pipe. All writers of ours have ended; one that is not ours (a daemon that was handed the
/// pipe) may go on, so no more is taken than there is now.
fn drain(output: &PipeReader, stream: &mut Stream<'_>) -> io::Result<()> {
    let mut left = usize::try_from(rustix::io::ioctl_fionread(output).map_err(io::Error::from)?).unwrap_or(0);
    let mut piece = vec![0; PIECE];
    while left > 0 {
        let want = left.min(PIECE);
        match { output }.read(&mut piece[..want]) {
            Ok(0) => return Ok(()),
            Ok(bytes) => {
                stream.push(&piece[..bytes]);
                left -= bytes;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}
