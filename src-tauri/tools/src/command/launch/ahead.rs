//! Supervisors, and one that is started ahead of its command: while the call is judged and a person reads its card, so that
//! its start takes none of the command's time. It has no order until then, and runs nothing.

use std::io::{self, PipeReader};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::process::{Pid, WaitId, WaitIdOptions};

use super::{NotLaunched, Supervisor};
use crate::command::SUPERVISE;
use crate::command::environment::Variables;

/// Size that is asked for the pipe, so that a fast writer needn't wait for us at every page.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1024 * 1024;

/// A supervisor that waits for its order. Whatever happens, it is told to end and then waited for.
pub(super) struct Supervised {
    child: Child,
    /// Our end of what it is ordered by.
    pub socket: UnixStream,
    /// What its command will print.
    pub output: PipeReader,
    is_reaped: bool,
}

impl Supervised {
    /// Waits for its end, which a lost one is brought to.
    pub fn reap(&mut self, is_lost: bool) -> io::Result<()> {
        if is_lost {
            self.child.kill()?;
        }
        self.child.wait()?;
        self.is_reaped = true;
        Ok(())
    }

    /// Whether it hasn't ended by itself. It isn't reaped by that.
    fn is_alive(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(rustix::process::waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        if !self.is_reaped {
            // An error that is already on its way to the caller led here, or nobody wants it; these have nobody to go to.
            let _ = self.socket.shutdown(Shutdown::Both);
            let _ = self.child.wait();
        }
    }
}

/// The one that was started ahead.
struct Ahead {
    /// What it was started with.
    environment: Variables,
    /// Gives it once it is started.
    started: Receiver<Supervised>,
}

/// What the thread is asked for.
type Wanted = (Variables, Sender<Supervised>);

static AHEAD: Mutex<Option<Ahead>> = Mutex::new(None);

/// Starts a supervisor for a command of this environment, unless one waits already. Returns at once. Where none can be
/// started, the command says so when it is to run.
pub(in crate::command) fn prepare(environment: Variables) {
    let mut ahead = ahead();
    if Supervisor::appointed().is_err() || ahead.as_ref().is_some_and(|ahead| ahead.environment == environment) {
        return;
    }
    let (sender, started) = channel();
    if let Some(starter) = starter()
        && starter.send((environment.clone(), sender)).is_ok()
    {
        *ahead = Some(Ahead { environment, started });
    }
}

/// The supervisor that was started ahead with this environment, or a new one.
pub(super) fn take(environment: &Variables) -> Result<Supervised, NotLaunched> {
    let found = ahead().take_if(|ahead| ahead.environment == *environment);
    let started = found.and_then(|ahead| ahead.started.recv().ok());
    started.filter(Supervised::is_alive).map_or_else(|| start(environment), Ok)
}

fn ahead() -> MutexGuard<'static, Option<Ahead>> {
    AHEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that starts them. It lasts as long as the process: a supervisor is told to end when the thread that started
/// it has ended.
fn starter() -> Option<&'static Sender<Wanted>> {
    static STARTER: OnceLock<Option<Sender<Wanted>>> = OnceLock::new();
    let begin = || {
        let (starter, wanted) = channel::<Wanted>();
        let work = move || {
            for (environment, sender) in wanted {
                if let Ok(started) = start(&environment) {
                    // Nobody may want it any more: then it ends here.
                    let _ = sender.send(started);
                }
            }
        };
        std::thread::Builder::new().name("command-starter".to_owned()).spawn(work).ok().map(|_| starter)
    };
    STARTER.get_or_init(begin).as_ref()
}

fn start(environment: &Variables) -> Result<Supervised, NotLaunched> {
    let supervisor = Supervisor::appointed()?;
    let (socket, theirs) = UnixStream::pair()?;
    let (output, writing) = io::pipe()?;
    rustix::io::ioctl_fionbio(&output, true).map_err(io::Error::from)?;
    #[cfg(target_os = "linux")]
    {
        // A user who has many large pipes is refused; the usual size does as well, only slower.
        let _ = rustix::pipe::fcntl_setpipe_size(&output, PIPE_BYTES);
    }
    let mut command = Command::new(&supervisor.program);
    command.arg(SUPERVISE).env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(OwnedFd::from(theirs)).stdout(writing.try_clone()?).stderr(writing);
    // The end of this function ends the life of `command`, and with it that of our copies of the pipe's writing end.
    let child = command.spawn()?;
    Ok(Supervised { child, socket, output, is_reaped: false })
}
