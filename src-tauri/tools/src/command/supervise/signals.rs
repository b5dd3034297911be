//! Signals as something to wait for.
//! A handler only notes that a signal came: nothing is ever interrupted half-way. It works with any number of threads, which
//! a program may have before its `main`, from libraries that it is linked with; such a thread would take a signal that is
//! merely held back in ours.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Signals that tell the supervisor to end: of the parent's death, of a person, of a terminal.
const ENDING: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// Where the handler writes; -1 before there is a pipe.
static WRITER: AtomicI32 = AtomicI32::new(-1);
/// Whether an ending signal came.
static IS_TOLD: AtomicBool = AtomicBool::new(false);

/// The signals of this process, from now on.
pub(super) struct Signals {
    reader: OwnedFd,
    /// Kept for the handler.
    _writer: OwnedFd,
}

impl Signals {
    /// Begins to note the ending signals and those of children.
    pub fn watch() -> io::Result<Self> {
        let (reader, writer) = rustix::pipe::pipe()?;
        for end in [&reader, &writer] {
            rustix::io::ioctl_fionbio(end, true)?;
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        }
        WRITER.store(writer.as_raw_fd(), Ordering::Release);
        let noted = [ENDING.as_slice(), &[libc::SIGCHLD]].concat();
        for signal in &noted {
            handle(*signal)?;
        }
        mask(libc::SIG_UNBLOCK, &set_of(&noted))?;
        Ok(Self { reader, _writer: writer })
    }

    /// What to poll for the next signal.
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    /// Takes the signals that came; says whether one of them was an ending one.
    pub fn take(&self) -> bool {
        let mut notes = [0u8; 64];
        // A failed read means that there is nothing to take.
        while let Ok(1..) = rustix::io::read(&self.reader, &mut notes) {}
        IS_TOLD.load(Ordering::Acquire)
    }
}

/// Makes [`note`] the handler of a signal. Calls that it interrupts are taken up again, but for `poll`.
fn handle(signal: libc::c_int) -> io::Result<()> {
    let note: extern "C" fn(libc::c_int) = note;
    // SAFETY: zeroed is a valid action, whose mask is emptied; the handler does only what a handler may do.
    let done = unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = note as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, std::ptr::null_mut())
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Notes that a signal came. A full pipe is a note, too.
extern "C" fn note(signal: libc::c_int) {
    if ENDING.contains(&signal) {
        IS_TOLD.store(true, Ordering::Release);
    }
    // SAFETY: `write` may be called here; the descriptor stays open as long as the process waits for signals, and the
    // error number of whoever was interrupted is put back.
    unsafe {
        let place = error_number();
        let before = *place;
        libc::write(WRITER.load(Ordering::Acquire), [0u8].as_ptr().cast(), 1);
        *place = before;
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn error_number() -> *mut libc::c_int {
    // SAFETY: the place of this thread's error number is always valid.
    unsafe { libc::__errno_location() }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn error_number() -> *mut libc::c_int {
    // SAFETY: the place of this thread's error number is always valid.
    unsafe { libc::__error() }
}

/// Gives every signal its usual meaning again; for a child between fork and exec, which would inherit what is ignored or
/// held back by whoever started the app.
pub(super) fn release() -> io::Result<()> {
    for signal in 1..32 {
        // SAFETY: the usual meaning needs no handler; two of the numbers can't be changed, and say so.
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
