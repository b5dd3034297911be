//! All processes that came from one shell, and their end.
//! A signal never goes to a process of which it isn't certain that it descends from this one.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus};

use super::signals::Signals;
use super::unix::timespec;
use crate::command::launch::How;

/// How long what the shell left behind may go on by itself: the end of a pipe's reader is not the shell's to wait for.
const LINGER: Duration = Duration::from_millis(200);

/// How long processes have between the polite signal and the last one.
const GRACE: Duration = Duration::from_millis(500);

/// How long the last signal is repeated, before processes that don't end (stuck in the kernel, or of another user) are
/// given up and counted.
const INSISTENCE: Duration = Duration::from_secs(3);

/// Pause between two looks when no signal tells of a child's end.
const PAUSE: Duration = Duration::from_millis(10);

/// The shell and what came from it.
pub(super) struct Family {
    shell: Pid,
    /// Set when the shell was reaped. Until then its number, which is also its group's, can't be given to another.
    status: Option<WaitStatus>,
}

impl Family {
    /// The family of a shell that was just started.
    pub fn of(shell: &Child) -> Self {
        Self { shell: Pid::from_child(shell), status: None }
    }

    /// Whether the shell has ended; it isn't reaped by that.
    pub fn shell_has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.status.is_some() || !matches!(rustix::process::waitid(WaitId::Pid(self.shell), options), Ok(None))
    }

    /// How the shell ended; known once [`Family::end`] has returned.
    pub fn how(&self) -> How {
        let exit = self.status.and_then(WaitStatus::exit_status).map(How::Exit);
        let signal = self.status.and_then(WaitStatus::terminating_signal).map(How::Signal);
        exit.or(signal).unwrap_or(How::Signal(libc::SIGKILL))
    }

    /// Reaps orphans that ended. The shell stays.
    pub fn reap_orphans(&self) {
        for child in descendants::children() {
            if child != self.shell {
                // Its end is all that matters; an error means that it isn't there any more.
                let _ = rustix::process::waitpid(Some(child), WaitOptions::NOHANG);
            }
        }
    }

    /// Ends everything. With `at_once` the polite signal comes first, else a short time to end by themselves. Returns
    /// how many processes are left in spite of all.
    pub fn end(&mut self, signals: &Signals, at_once: bool) -> u32 {
        if cfg!(target_os = "linux") && !at_once && self.gone_within(LINGER, signals) {
            return 0;
        }
        self.signal_all(Signal::TERM);
        self.signal_all(Signal::CONT);
        if cfg!(not(target_os = "linux")) {
            // Only the group is known there, and reaping the shell gives up its number: the last signal goes first.
            std::thread::sleep(if at_once { GRACE } else { LINGER });
            self.signal_all(Signal::KILL);
        }
        if self.gone_within(GRACE, signals) {
            return 0;
        }
        let last = Instant::now() + INSISTENCE;
        loop {
            self.signal_all(Signal::KILL);
            if self.gone_within(PAUSE, signals) {
                return 0;
            }
            if Instant::now() > last {
                return u32::try_from(descendants::all().len()).unwrap_or(u32::MAX);
            }
        }
    }

    fn signal_all(&self, signal: Signal) {
        if self.status.is_none() {
            // The group first: the kernel signals it as a whole, so that no fork slips through.
            // It fails when nobody is left in it.
            let _ = rustix::process::kill_process_group(self.shell, signal);
        }
        descendants::signal_all(signal);
    }

    fn gone_within(&mut self, limit: Duration, signals: &Signals) -> bool {
        let last = Instant::now() + limit;
        loop {
            if self.is_gone() {
                return true;
            }
            let left = last.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let mut watched = [PollFd::from_borrowed_fd(signals.handle(), PollFlags::IN)];
            // Woken early by a signal or by an error, it only looks once more.
            let _ = poll(&mut watched, Some(&timespec(left.min(PAUSE))));
            signals.take();
        }
    }

    /// Whether nothing is left. Reaps whatever has ended, the shell last.
    fn is_gone(&mut self) -> bool {
        self.reap_orphans();
        if self.status.is_none() {
            let is_alone = descendants::children().iter().all(|child| *child == self.shell);
            if !is_alone || !self.shell_has_ended() {
                return false;
            }
            match rustix::process::waitpid(Some(self.shell), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => self.status = Some(status),
                Ok(None) => return false,
                Err(_) => {}
            }
        }
        // As orphans return to this process, it has no children only when there are no descendants.
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(error) => return error == rustix::io::Errno::CHILD,
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod descendants {
    //! The processes below this one, from `/proc`.

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};

    /// Deepest line of descent that is followed.
    const MAX_DEPTH: usize = 4096;

    /// The children of this process.
    pub(super) fn children() -> Vec<Pid> {
        children_of(getpid())
    }

    /// All descendants, parents before their children.
    pub(super) fn all() -> Vec<Pid> {
        let mut found = children();
        let mut at = 0;
        while let Some(next) = found.get(at).copied() {
            found.extend(children_of(next));
            at += 1;
        }
        found
    }

    /// Signals all descendants. An error means that the process ended, or belongs to someone else; whoever calls this
    /// looks again.
    pub(super) fn signal_all(signal: Signal) {
        let own = children();
        for pid in all() {
            // A child can't be confused with another process: its number is kept until it is reaped, here.
            let _ = if own.contains(&pid) { kill_process(pid, signal) } else { signal_distant(pid, signal) };
        }
    }

    /// Signals a descendant that others may reap: first it is held by a descriptor, then it is checked to descend from
    /// here, so that a number that was given to another process is noticed.
    fn signal_distant(pid: Pid, signal: Signal) -> rustix::io::Result<()> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(held) if descends(pid) => pidfd_send_signal(&held, signal),
            // Kernels before 5.3 have no such descriptor.
            Err(Errno::NOSYS) if descends(pid) => kill_process(pid, signal),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn descends(pid: Pid) -> bool {
        let own = getpid();
        std::iter::successors(Some(pid), |pid| parent_of(*pid)).take(MAX_DEPTH).any(|ancestor| ancestor == own)
    }

    fn parent_of(pid: Pid) -> Option<Pid> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        parent_in(&stat)
    }

    /// The parent in a line of `/proc/*/stat`. The name before it stands in parentheses and may hold anything.
    pub(super) fn parent_in(stat: &str) -> Option<Pid> {
        let (_, after_name) = stat.rsplit_once(')')?;
        Pid::from_raw(after_name.split_whitespace().nth(1)?.parse().ok()?)
    }

    fn children_of(parent: Pid) -> Vec<Pid> {
        let parent_number = parent.as_raw_nonzero();
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{parent_number}/task")) else { return Vec::new() };
        let mut found = Vec::new();
        for task in tasks.flatten() {
            match std::fs::read_to_string(task.path().join("children")) {
                Ok(list) => found.extend(list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?))),
                // Built without this list, or just ended: ask every process for its parent.
                Err(_) => return search(parent),
            }
        }
        found
    }

    fn search(parent: Pid) -> Vec<Pid> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(Pid::from_raw).filter(|pid| parent_of(*pid) == Some(parent)).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod descendants {
    //! Without a subreaper and `/proc` only the shell's group is known; the group's signal reaches it.

    use rustix::process::{Pid, Signal};

    pub(super) fn children() -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn all() -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn signal_all(_signal: Signal) {}
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
