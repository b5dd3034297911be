//! System calls of one thread answered by a filter of the kernel: let one call in the middle fail for real, or let
//! syncs cost nothing where a test isn't about them.
//! It touches no other thread; a thread that got a filter is never used for anything else.

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::mpsc;
use std::thread;

/// Every call that looks at, opens or changes files, with its name.
const FILE_CALLS: &[(i64, &str)] = &[
    (libc::SYS_openat, "openat"),
    (libc::SYS_openat2, "openat2"),
    (libc::SYS_read, "read"),
    (libc::SYS_write, "write"),
    (libc::SYS_statx, "statx"),
    (libc::SYS_newfstatat, "newfstatat"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_readlinkat, "readlinkat"),
    (libc::SYS_getdents64, "getdents64"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fchmod, "fchmod"),
    (libc::SYS_fchown, "fchown"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_fdatasync, "fdatasync"),
    (libc::SYS_mkdirat, "mkdirat"),
    (libc::SYS_unlinkat, "unlinkat"),
    (libc::SYS_renameat, "renameat"),
    (libc::SYS_renameat2, "renameat2"),
];

/// Runs `act` in a thread whose `nth` file call (from 1) fails with `errno` without being carried out. Gives what `act`
/// gave and the call that failed; `None` as call when there were fewer. An error when the kernel permits no filter.
pub fn with_failing_call<T: Send>(
    nth: usize,
    errno: i32,
    act: impl FnOnce() -> T + Send,
) -> Result<(T, Option<&'static str>), std::io::Error> {
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        let acting = scope.spawn(move || {
            let installed = install(libc::SECCOMP_RET_USER_NOTIF, FILE_CALLS, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
            let listener = installed.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
            let works = listener.is_ok();
            send.send(listener).unwrap();
            works.then(act)
        });
        let listener = receive.recv().unwrap()?;
        let failed = answer(&listener, nth, errno);
        Ok((acting.join().unwrap().unwrap(), failed))
    })
}

/// Runs `act` in a thread whose syncs say yes at once, without a disk.
pub fn without_syncs<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let acting = scope.spawn(move || {
            let syncs = [(libc::SYS_fsync, "fsync"), (libc::SYS_fdatasync, "fdatasync")];
            if let Err(error) = install(libc::SECCOMP_RET_ERRNO, &syncs, 0) {
                println!("no filter for system calls here ({error}): syncs take their time");
            }
            act()
        });
        acting.join().unwrap()
    })
}

fn install(action: u32, calls: &[(i64, &str)], flags: libc::c_ulong) -> std::io::Result<i32> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    // The number of the call is the first word of what a filter sees.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for (at, (number, _)) in calls.iter().enumerate() {
        let to_action = (calls.len() - at) as u8;
        let code = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        program.push(libc::sock_filter { code, jt: to_action, jf: 0, k: *number as u32 });
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    program.push(statement(libc::BPF_RET | libc::BPF_K, action));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: both calls take plain numbers and a pointer to a program that outlives them.
    let installed = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const filter)
    };
    if installed < 0 { Err(std::io::Error::last_os_error()) } else { Ok(installed as i32) }
}

/// Lets every call of the filtered thread pass but the `nth`, until the thread has ended.
fn answer(listener: &OwnedFd, nth: usize, errno: i32) -> Option<&'static str> {
    let (mut count, mut failed) = (0, None);
    loop {
        let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd.
        unsafe { libc::poll(&raw mut poll, 1, -1) };
        if poll.revents & libc::POLLIN == 0 {
            return failed;
        }
        // SAFETY: zeroes are a valid notification, and the kernel wants them before it fills it in.
        let mut call: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a notification of the size that the number of the request says.
        if unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) } != 0 {
            continue;
        }
        count += 1;
        // SAFETY: as above.
        let mut response: libc::seccomp_notif_resp = unsafe { std::mem::zeroed() };
        response.id = call.id;
        if count == nth {
            response.error = -errno;
            failed = FILE_CALLS.iter().find(|(number, _)| *number == i64::from(call.data.nr)).map(|(_, name)| *name);
        } else {
            response.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
        }
        // SAFETY: as above.
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
    }
}
