//! Every file call of every tool that changes something fails once, for real: there is never a false "done", and never
//! anything but the old state or the new one.
//! Errors are the kernel's own: injected by a filter call by call, and provoked by a full and by a read-only disk.

use std::collections::BTreeSet;

use assent_protocol::tool::Outcome;
use serde_json::{Value, json};

use crate::effects::bench::filter::with_failing_call;
use crate::effects::bench::{Bench, words};
use crate::effects::{Probe, probe, sweep};
use crate::files::{append_file, delete_file, patch_file, rename_file, write_file};
use crate::tool::Tool;

const ERRORS: [i32; 4] = [libc::EIO, libc::ENOSPC, libc::EBUSY, libc::EROFS];

/// Files with their content, and folders; the folders and the ignore file of the trash aside, which may stay.
fn state(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    let is_folder = |path: &str| bench.root.join(path).is_dir();
    let is_own = |path: &str| path.starts_with(".assent") && (is_folder(path) || path.ends_with(".gitignore"));
    let paths = bench.listing().into_iter().filter(|path| !is_own(path));
    paths.map(|path| (path.clone(), if is_folder(&path) { Vec::new() } else { bench.read(&path) })).collect()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.known("f", "old\n");
    bench.write("d/x", "x");
    bench
}

fn each_call_fails_once(tool: &dyn Tool, arguments: &Value) {
    let expected = {
        let bench = bench();
        assert_eq!(bench.run(tool, arguments.clone()).outcome, Outcome::Ok);
        state(&bench)
    };
    let mut failed_calls = BTreeSet::new();
    let mut runs = 0;
    for errno in ERRORS {
        for nth in 1.. {
            let bench = bench();
            let old = state(&bench);
            let approved = bench.approve(tool, arguments.clone()).unwrap();
            let prepared = approved.prepare().unwrap();
            let (output, failed) = match with_failing_call(nth, errno, || approved.change(&prepared)) {
                Ok(done) => done,
                Err(error) => return println!("skipped: no filter for system calls here ({error})"),
            };
            sweep(&bench.workspace).unwrap();
            bench.no_temporary_is_left();
            let now = state(&bench);
            let at = format!("call {nth} ({failed:?}) with error {errno}: {}", words(&output));
            let is_new = now == expected;
            assert!(is_new || now == old, "{at}: neither old nor new: {now:?}");
            if output.outcome == Outcome::Ok {
                assert!(is_new, "{at}: a false \"done\"");
            } else {
                assert_eq!(is_new, !output.effects.is_empty(), "{at}: effects don't fit");
            }
            match probe(&bench.workspace, &prepared.intent) {
                Probe::Done(_) => assert!(is_new, "{at}"),
                Probe::NotDone => assert!(!is_new, "{at}"),
                Probe::Unknown => panic!("{at}: the probe can't tell"),
            }
            runs += 1;
            match failed {
                Some(call) => failed_calls.insert(call),
                None => break,
            };
        }
    }
    println!("{}: {runs} runs, failing {failed_calls:?}", tool.spec().name);
    assert!(runs > 40 && failed_calls.contains("fsync") && failed_calls.contains("openat2"), "{runs} {failed_calls:?}");
}

#[test]
fn overwriting_survives_each_fault() {
    each_call_fails_once(&*write_file::tool(), &json!({ "path": "f", "content": "new\n" }));
}

#[test]
fn creating_survives_each_fault() {
    each_call_fails_once(&*write_file::tool(), &json!({ "path": "new/deep/f", "content": "new\n" }));
}

#[test]
fn patching_and_appending_survive_each_fault() {
    let edit = json!({ "path": "f", "edits": [{ "old": "old", "new": "new" }] });
    each_call_fails_once(&*patch_file::tool(), &edit);
    each_call_fails_once(&*append_file::tool(), &json!({ "path": "f", "content": "more\n" }));
}

#[test]
fn deleting_survives_each_fault() {
    each_call_fails_once(&*delete_file::tool(), &json!({ "path": "f" }));
    each_call_fails_once(&*delete_file::tool(), &json!({ "path": "d" }));
}

#[test]
fn renaming_survives_each_fault() {
    each_call_fails_once(&*rename_file::tool(), &json!({ "from": "f", "to": "new/g" }));
}

/// Runs `act` on a disk of 1 MiB that only this thread sees; says why where that isn't permitted.
fn on_a_small_disk(act: impl FnOnce(Bench, &std::ffi::CStr) + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let base = tempfile::tempdir().unwrap();
            let at = std::ffi::CString::new(base.path().to_str().unwrap()).unwrap();
            let null = std::ptr::null();
            // SAFETY: the pointers are to C strings that outlive the calls, or null where that is permitted.
            let is_mounted = unsafe {
                libc::unshare(libc::CLONE_NEWNS) == 0
                    && libc::mount(null, c"/".as_ptr(), null, libc::MS_REC | libc::MS_PRIVATE, null.cast()) == 0
                    && libc::mount(c"none".as_ptr(), at.as_ptr(), c"tmpfs".as_ptr(), 0, c"size=1m".as_ptr().cast()) == 0
            };
            if !is_mounted {
                return println!("skipped: mounting isn't permitted here ({})", std::io::Error::last_os_error());
            }
            act(Bench::at(tempfile::tempdir_in(base.path()).unwrap()), &at);
            // SAFETY: as above.
            unsafe { libc::umount2(at.as_ptr(), libc::MNT_DETACH) };
        });
    });
}

#[test]
fn a_full_disk_leaves_the_old_content() {
    on_a_small_disk(|bench, _| {
        let lines = |text: &str, count| format!("{}\n", text.repeat(300)).repeat(count);
        let old = lines("old", 400);
        bench.known("f", &old);
        for (path, is_new) in [("f", false), ("new/g", true)] {
            let output = bench.run(&*write_file::tool(), json!({ "path": path, "content": lines("new", 900) }));
            assert_eq!(output.outcome, Outcome::Error);
            assert!(words(&output).contains("No space left"), "{}", words(&output));
            assert!(output.effects.is_empty());
            assert_eq!(bench.exists(path), !is_new);
        }
        assert_eq!(bench.text("f"), old);
        bench.no_temporary_is_left();
        let output = bench.run(&*write_file::tool(), json!({ "path": "f", "content": "small\n" }));
        assert_eq!(output.outcome, Outcome::Ok, "{}", words(&output));
    });
}

#[test]
fn a_disk_that_became_read_only_leaves_everything() {
    on_a_small_disk(|bench, at| {
        bench.known("f", "old\n");
        let flags = libc::MS_REMOUNT | libc::MS_RDONLY;
        let (none, null) = (c"none".as_ptr(), std::ptr::null());
        // SAFETY: the pointers are to C strings that outlive the call, or null where that is permitted.
        assert_eq!(unsafe { libc::mount(none, at.as_ptr(), c"tmpfs".as_ptr(), flags, null) }, 0);
        let calls: [(std::sync::Arc<dyn Tool>, Value); 4] = [
            (write_file::tool(), json!({ "path": "f", "content": "new\n" })),
            (write_file::tool(), json!({ "path": "new/g", "content": "new\n" })),
            (delete_file::tool(), json!({ "path": "f" })),
            (rename_file::tool(), json!({ "from": "f", "to": "g" })),
        ];
        for (tool, arguments) in calls {
            let output = bench.run(&*tool, arguments);
            assert_eq!(output.outcome, Outcome::Error);
            assert!(words(&output).contains("Read-only"), "{}", words(&output));
        }
        assert_eq!((bench.listing().as_slice(), bench.text("f").as_str()), (["f".to_owned()].as_slice(), "old\n"));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::mount(none, at.as_ptr(), c"tmpfs".as_ptr(), libc::MS_REMOUNT, null) }, 0);
    });
}
