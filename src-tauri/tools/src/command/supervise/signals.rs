//! Signals as something to wait for, in a process of one thread.
//! No handler runs: signals are held back and read, so that nothing is ever interrupted half-way.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// Signals that tell the supervisor to end: of the parent's death, of a person, of a terminal.
const ENDING: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// The signals of this process, from now on.
pub(super) struct Signals {
    #[cfg(target_os = "linux")]
    handle: std::os::fd::OwnedFd,
    #[cfg(not(target_os = "linux"))]
    _private: (),
}

impl Signals {
    /// Holds back the ending signals and those of children.
    pub fn watch() -> io::Result<Self> {
        let held = set_of(&[ENDING.as_slice(), &[libc::SIGCHLD]].concat());
        mask(libc::SIG_BLOCK, &held)?;
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::FromRawFd as _;
            // SAFETY: the set is initialised; -1 asks for a new descriptor.
            let raw = unsafe { libc::signalfd(-1, &raw const held, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
            if raw < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the call above returned a descriptor that nobody else owns.
            Ok(Self { handle: unsafe { std::os::fd::OwnedFd::from_raw_fd(raw) } })
        }
        #[cfg(not(target_os = "linux"))]
        Ok(Self { _private: () })
    }

    /// What to poll for the next signal, where the system has such a thing.
    #[cfg(target_os = "linux")]
    pub fn handle(&self) -> Option<BorrowedFd<'_>> {
        use std::os::fd::AsFd as _;
        Some(self.handle.as_fd())
    }

    /// What to poll for the next signal, where the system has such a thing.
    #[cfg(not(target_os = "linux"))]
    pub fn handle(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// How long one may wait without asking again; `None`: without limit.
    pub fn longest_wait(&self) -> Option<Duration> {
        self.handle().is_none().then_some(Duration::from_millis(20))
    }

    /// Takes the signals that came; says whether one of them was an ending one.
    #[cfg(target_os = "linux")]
    pub fn take(&self) -> bool {
        const RECORD: usize = size_of::<libc::signalfd_siginfo>();
        let mut is_told = false;
        let mut records = [0u8; RECORD * 16];
        // A failed read means that there is nothing to take.
        while let Ok(bytes @ 1..) = rustix::io::read(&self.handle, &mut records) {
            for record in records[..bytes].chunks_exact(RECORD) {
                // The number of the signal is the record's first field (signalfd(2)).
                let number = record.first_chunk::<4>().map_or(0, |number| u32::from_ne_bytes(*number));
                is_told |= ENDING.iter().any(|signal| i64::from(*signal) == i64::from(number));
            }
        }
        is_told
    }

    /// Takes the signals that came; says whether one of them was an ending one.
    #[cfg(not(target_os = "linux"))]
    pub fn take(&self) -> bool {
        let mut pending = set_of(&[]);
        // SAFETY: the set is initialised and outlives the call.
        if unsafe { libc::sigpending(&raw mut pending) } != 0 {
            return false;
        }
        // SAFETY: as above; the numbers are valid signals.
        ENDING.iter().any(|signal| unsafe { libc::sigismember(&raw const pending, *signal) } == 1)
    }
}

/// Gives every signal its usual meaning again; for a child between fork and exec, which would inherit what is held back
/// here and what is ignored by whoever started the app.
pub(super) fn release() -> io::Result<()> {
    for signal in 1..32 {
        // SAFETY: no handler is installed; two of the numbers can't be changed, and say so.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    mask(libc::SIG_SETMASK, &set_of(&[]))
}

fn set_of(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initialises the whole set; the numbers are valid signals.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

fn mask(how: libc::c_int, set: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: the set is initialised; the old one isn't asked for.
    match unsafe { libc::pthread_sigmask(how, std::ptr::from_ref(set), std::ptr::null_mut()) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}
