//! Limits what a command may write to: Landlock on Linux, nothing elsewhere so far.
//! Reading, the network, and changes of owner, rights and times are not limited.

#[cfg(target_os = "linux")]
mod caches;
#[cfg(target_os = "linux")]
mod landlock_rules;

use std::sync::OnceLock;

#[cfg(target_os = "linux")]
pub(super) use landlock_rules::{restrict, rules};

/// Whether this system limits what commands write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxStatus {
    /// It does, by Landlock of this version of its interface.
    On {
        /// The kernel's version, at least 2.
        abi: u32,
    },
    /// It doesn't, with the reason for people.
    Off {
        /// The end of "the sandbox is off: ".
        why: &'static str,
    },
}

impl SandboxStatus {
    /// Whether writes are limited.
    pub fn is_on(self) -> bool {
        matches!(self, SandboxStatus::On { .. })
    }
}

/// What the system offers; asked once.
pub fn sandbox_status() -> SandboxStatus {
    static STATUS: OnceLock<SandboxStatus> = OnceLock::new();
    *STATUS.get_or_init(status)
}

/// Version 1 can't let files move between the folders of a workspace, so it counts as none.
#[cfg(target_os = "linux")]
fn status() -> SandboxStatus {
    const ASK_VERSION: u32 = 1;
    // SAFETY: with this flag the call reads no memory and returns a version or an error (landlock_create_ruleset(2)).
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, ASK_VERSION) };
    match u32::try_from(answer) {
        Ok(abi @ 2..) => SandboxStatus::On { abi },
        Ok(_) => {
            SandboxStatus::Off { why: "the kernel's Landlock is too old (Linux 5.19 or newer has what is needed)" }
        }
        Err(_) => SandboxStatus::Off { why: "the kernel has no Landlock, or it is switched off" },
    }
}

#[cfg(not(target_os = "linux"))]
fn status() -> SandboxStatus {
    SandboxStatus::Off { why: "there is none for this system yet" }
}
