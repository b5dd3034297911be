//! A folder that is swapped for a link to the outside as fast as it goes, while it is read through.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

/// Number of accesses of each kind.
const ROUNDS: u32 = 20_000;

/// Swaps two names of one folder until told to stop.
fn swap(one: &Path, other: &Path, is_over: &AtomicBool, swaps: &AtomicU64) {
    while !is_over.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
        swaps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs `rounds` while `s` (a folder with a file) and `t` (a link to the outside) change places all the time.
fn under_swaps(fixture: &Fixture, rounds: impl FnOnce()) {
    fixture.write("s/canary.txt", "inside");
    fixture.link(&fixture.out, "t");
    let (is_over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let (s, t) = (fixture.root.join("s"), fixture.root.join("t"));
        scope.spawn(|| {
            // Also when the rounds panic, so that the scope can end.
            let (s, t) = (s, t);
            swap(&s, &t, &is_over, &swaps);
        });
        struct Over<'a>(&'a AtomicBool);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _over = Over(&is_over);
        while swaps.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        rounds();
    });
    assert!(swaps.load(Ordering::Relaxed) > 100, "hardly anything was swapped");
}

#[test]
fn p29_reads_during_swaps_never_reach_outside() {
    let fixture = Fixture::new();
    let (mut inside, mut refused, mut escapes, mut caught) = (0, 0, 0, 0);
    under_swaps(&fixture, || {
        for _ in 0..ROUNDS {
            match fixture.content("s/canary.txt") {
                Ok(content) if content == b"inside" => inside += 1,
                Ok(_) => escapes += 1,
                Err(_) => refused += 1,
            }
            // The trap is live: a plain check of the path before it is opened is fooled.
            let path = fixture.root.join("s/canary.txt");
            let is_inside = dunce::canonicalize(&path).is_ok_and(|path| path.starts_with(&fixture.root));
            if is_inside && fs::read(&path).is_ok_and(|content| content == CANARY.as_bytes()) {
                caught += 1;
            }
        }
    });
    println!("{ROUNDS} reads: {inside} inside, {refused} refused, {escapes} outside; a plain check: {caught} outside");
    assert_eq!(escapes, 0);
    assert!(inside > 0 && refused > 0, "{inside} inside, {refused} refused: the race never ran");
    assert!(caught > 0, "the trap never fired");
}

#[test]
fn p29_folders_during_swaps_are_never_those_outside() {
    let fixture = Fixture::new();
    let out = Dir::open_ambient_dir(&fixture.out, ambient_authority()).unwrap();
    let out = beneath::identity_of(&out).unwrap();
    let (mut inside, mut refused) = (0, 0);
    under_swaps(&fixture, || {
        for round in 0..ROUNDS {
            let handle = fixture.workspace.place("s").and_then(|place| fixture.workspace.folder_handle(&place));
            let parent = fixture.workspace.place("s/new.txt").and_then(|place| match round % 2 {
                0 => fixture.workspace.parent(&place).map(|(handle, _)| handle),
                _ => fixture.workspace.parent_made(&place).map(|(handle, _, _)| handle),
            });
            for handle in [handle, parent] {
                match handle {
                    Ok(handle) => {
                        assert_ne!(beneath::identity_of(&handle).unwrap(), out);
                        inside += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    });
    println!("{} folders opened, {refused} refused, 0 outside", inside);
    assert!(inside > 0 && refused > 0, "{inside} inside, {refused} refused: the race never ran");
    assert_eq!(fs::read_dir(&fixture.out).unwrap().count(), 1);
}
