//! The helper mode on Windows: a job that ends with its last handle, and one command in it.
//! There is no sandbox, and no polite signal: what is in the job when it closes is ended.

use std::io::{self, Read as _};
use std::os::windows::process::CommandExt as _;
use std::process::{Command, Stdio};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Runs the one command that comes over standard input, in this process's own folder, and exits with its code. The end
/// of standard input ends everything.
pub(in crate::command) fn supervise() -> io::Result<()> {
    let mut length = [0; 4];
    io::stdin().read_exact(&mut length)?;
    let mut text = vec![0; u32::from_le_bytes(length) as usize];
    io::stdin().read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    // The handle is never closed by hand: this process is in the job too, and its end closes it.
    let _job = enter_job()?;
    let mut child =
        Command::new("cmd").raw_arg("/D /S /C \"").raw_arg(&text).raw_arg("\"").stdin(Stdio::null()).spawn()?;
    std::thread::spawn(|| {
        // Anything but a wait that goes on means that the app is gone or wants an end.
        let _ = io::stdin().read(&mut [0; 1]);
        std::process::exit(1);
    });
    let status = child.wait()?;
    std::process::exit(status.code().unwrap_or(1))
}

fn enter_job() -> io::Result<HANDLE> {
    let limit = JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
        BasicLimitInformation: windows_sys::Win32::System::JobObjects::JOBOBJECT_BASIC_LIMIT_INFORMATION {
            LimitFlags: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
            ..Default::default()
        },
        ..Default::default()
    };
    let size = u32::try_from(size_of_val(&limit)).map_err(io::Error::other)?;
    // SAFETY: no attributes and no name are given; the limit outlives the call that reads it; the process handle is
    // the constant that means this process.
    unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        let is_in = !job.is_null()
            && SetInformationJobObject(job, JobObjectExtendedLimitInformation, (&raw const limit).cast(), size) != 0
            && AssignProcessToJobObject(job, GetCurrentProcess()) != 0;
        if is_in { Ok(job) } else { Err(io::Error::last_os_error()) }
    }
}
