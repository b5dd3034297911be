//! The helper mode of our own binary: it stands between the app and one command, and outlives neither.
//! It takes one order, says once how the command ended, and decides nothing.

#[cfg(unix)]
mod family;
#[cfg(unix)]
mod shell;
#[cfg(unix)]
mod signals;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::supervise;
#[cfg(windows)]
pub(super) use windows::supervise;

#[cfg(unix)]
mod unix {
    use std::io::{self, Write as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::family::Family;
    use super::shell::{self, Temporary};
    use super::signals::Signals;
    use crate::command::launch::{Ending, How, Stage};
    use crate::command::order::{self, Order};

    /// Runs the one order that comes over standard input, and returns when nothing of it is left.
    pub(in crate::command) fn supervise() -> io::Result<()> {
        close_strangers();
        let mut app = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        let signals = Signals::watch()?;
        let adopted = adopt();
        if !is_ordered(&app, &signals)? {
            return Ok(());
        }
        let order = order::receive(&app)?;
        let ending = match adopted {
            Ok(()) => run(&order, &app, &signals),
            Err(error) => not_started(Stage::Adopt, &error),
        };
        // The app may be gone, which is one of the reasons to come here; then nobody reads this.
        match app.write_all(&order::write_ending(ending)) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Closes what the app was itself handed by whoever started it, and never knew of: everything beyond the three
    /// standard descriptors. Kernels before 5.9 can't, and what they leave open is nothing of ours.
    fn close_strangers() {
        #[cfg(target_os = "linux")]
        // SAFETY: nothing in this process has opened a descriptor yet that anyone still uses.
        unsafe {
            libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32);
        }
    }

    /// Leaves the app's session, so that its terminal's signals don't come here, and becomes the one that orphans of
    /// the command return to.
    fn adopt() -> io::Result<()> {
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Signal, set_child_subreaper, set_parent_process_death_signal};
            // What a list of processes shows; else it would be "exe", the name of the kernel's link to us.
            rustix::thread::set_name(c"assent-command")?;
            set_child_subreaper(Some(rustix::process::getpid()))?;
            // The socket's end tells of the app's death too; this tells of it even if someone else holds that end.
            set_parent_process_death_signal(Some(Signal::TERM))?;
        }
        Ok(())
    }

    /// Waits for the order, as long as it takes the app; `false`: a signal says to end. The end of the app is an order
    /// that can't be read.
    fn is_ordered(app: &UnixStream, signals: &Signals) -> io::Result<bool> {
        rustix::net::getsockname(app)?;
        loop {
            let mut watched =
                [PollFd::new(app, PollFlags::IN), PollFd::from_borrowed_fd(signals.handle(), PollFlags::IN)];
            match poll(&mut watched, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let has_come = !watched[0].revents().is_empty();
            if signals.take() {
                return Ok(false);
            }
            if has_come {
                return Ok(true);
            }
        }
    }

    fn run(order: &Order, app: &UnixStream, signals: &Signals) -> Ending {
        let temporary = match Temporary::make() {
            Ok(temporary) => temporary,
            Err(error) => return not_started(Stage::Temporary, &error),
        };
        let shell = match shell::start(order, temporary.path()) {
            Ok(shell) => shell,
            Err((stage, error)) => return not_started(stage, &error),
        };
        let mut family = Family::of(&shell);
        let is_told = watch(&mut family, app, signals);
        let left = family.end(signals, is_told);
        drop(temporary);
        Ending { how: family.how(), left }
    }

    /// Waits until the shell has ended (`false`) or the app or a signal says to end it (`true`).
    fn watch(family: &mut Family, app: &UnixStream, signals: &Signals) -> bool {
        loop {
            let mut watched =
                [PollFd::new(app, PollFlags::IN), PollFd::from_borrowed_fd(signals.handle(), PollFlags::IN)];
            let polled = poll(&mut watched, None);
            let app_spoke = !watched[0].revents().is_empty();
            let told = signals.take();
            family.reap_orphans();
            if family.shell_has_ended() {
                return false;
            }
            let is_broken = polled.is_err_and(|error| error != rustix::io::Errno::INTR);
            if app_spoke || told || is_broken {
                return true;
            }
        }
    }

    pub(super) fn timespec(duration: Duration) -> Timespec {
        Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
    }

    fn not_started(stage: Stage, error: &io::Error) -> Ending {
        Ending { how: How::NotStarted(stage, error.raw_os_error().unwrap_or(0)), left: 0 }
    }
}
