//! The Landlock rules of one command, made before the fork and applied after it.
//! Which caches are open to commands is said elsewhere.

use std::io;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

use super::caches::caches;
use crate::command::order::Limit;

/// Device files that everything writes to.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx"];

/// The rules for a command that may write to the workspace, to its folder for temporary files, to some devices and to
/// the caches of package tools. Signals stay within the command where the kernel can see to it (version 6), so that
/// nothing can end its own supervisor.
pub(in crate::command) fn rules(limit: &Limit, temporary: &Path) -> io::Result<RulesetCreated> {
    // Version 3 knows every way to change content. Later rights limit ioctl and sockets, which programs depend on.
    let writing = AccessFs::from_write(ABI::V3);
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing)
        .and_then(|rules| rules.scope(Scope::Signal))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rule(PathBeneath::new(&limit.root, writing)))
        .map_err(io::Error::other)?;
    let mut rules = open(rules, temporary, writing)?;
    for cache in caches(&limit.path) {
        rules = open(rules, &cache, writing)?;
    }
    for device in DEVICES {
        rules = open(rules, Path::new(device), AccessFs::WriteFile | AccessFs::Truncate)?;
    }
    Ok(rules)
}

/// Allows `access` beneath `path`, if it is there.
fn open(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    match PathFd::new(path) {
        Ok(handle) => rules.add_rule(PathBeneath::new(handle, access)).map_err(io::Error::other),
        Err(_) => Ok(rules),
    }
}

/// Gives up the rights of root that reach into other processes in spite of Landlock: their environment may be read with
/// them, and the app's holds keys. Whoever isn't root has none to give up, and old kernels don't know them all; both are
/// errors that change nothing.
fn give_up_rights() {
    for right in [CapabilitySet::PERFMON, CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_PTRACE] {
        let _ = remove_capability_from_bounding_set(right);
    }
}

/// Applies the rules to the calling process, for good. An error when the kernel took none of them.
pub(in crate::command) fn restrict(rules: RulesetCreated) -> io::Result<()> {
    give_up_rights();
    let status = rules.restrict_self().map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(io::Error::from_raw_os_error(libc::ENOSYS)),
    }
}
