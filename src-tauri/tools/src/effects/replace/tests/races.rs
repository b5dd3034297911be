//! P29: a folder turns into a link to a place outside and back as fast as it can while tools write, move and delete in
//! it. Whatever they do, they never do it outside.
//! Syncs are answered at once: this is about names, not about disks.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use assent_protocol::tool::Outcome;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::effects::bench::Bench;
use crate::effects::bench::filter::without_syncs;
use crate::effects::empty_trash;
use crate::files::{append_file, delete_file, rename_file, write_file};
use crate::tool::Tool;

/// Rounds of the swap race in a normal run (the suite's own figure).
const ROUNDS: u32 = 20_000;

/// Runs `round` again and again while `s` is now a folder, now a link to OUT. Gives how many rounds worked, and checks
/// that OUT stayed as it was.
fn race(bench: &Bench, rounds: u32, mut round: impl FnMut(u32) -> Outcome + Send) -> u32 {
    bench.write("s/f", "");
    bench.link(&bench.out, "t");
    let (one, other) = (bench.root.join("s"), bench.root.join("t"));
    let (is_over, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    let worked = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                let number = swaps.fetch_add(1, Ordering::Relaxed);
                // Pauses of every length, so that swaps fall into every step of a call and not only into its first.
                (0..number * 7919 % 8192).for_each(|_| std::hint::spin_loop());
            }
        });
        let worked = without_syncs(|| {
            let mut worked = 0;
            for number in 0..rounds {
                worked += u32::from(round(number) == Outcome::Ok);
                if number % 100 == 0 {
                    bench.out_is_untouched();
                }
            }
            worked
        });
        is_over.store(true, Ordering::Relaxed);
        worked
    });
    bench.out_is_untouched();
    println!("{rounds} rounds, {} swaps, {worked} worked", swaps.load(Ordering::Relaxed));
    assert!(worked > 0 && worked < rounds, "the race was none: {worked} of {rounds} worked");
    worked
}

/// Reads a file as the model would, if it is there just now.
fn read(bench: &Bench, path: &str) {
    if let Ok(place) = bench.workspace.place(path)
        && let Ok(file) = bench.workspace.read(&place, 1 << 20)
    {
        assert_ne!(file.bytes, crate::fixture::CANARY.as_bytes(), "a read escaped");
        bench.knows(&place.path, file.hash);
    }
}

/// The real folder, held open wherever its name goes.
fn real(bench: &Bench) -> cap_std::fs::Dir {
    cap_std::fs::Dir::open_ambient_dir(bench.root.join("s"), cap_std::ambient_authority()).unwrap()
}

#[test]
fn p29_no_write_escapes_through_a_swapped_link() {
    let bench = Bench::new();
    let tool = write_file::tool();
    race(&bench, ROUNDS, |number| {
        // Every other round a new file, so that creating is raced as well as replacing.
        let path = if number % 2 == 0 { "s/f".to_owned() } else { format!("s/new/{}", number % 64) };
        read(&bench, &path);
        bench.run(&*tool, json!({ "path": path, "content": number.to_string() })).outcome
    });
    bench.no_temporary_is_left();
}

#[test]
fn p29_no_append_escapes_through_a_swapped_link() {
    let bench = Bench::new();
    let tool = append_file::tool();
    race(&bench, ROUNDS, |_| {
        read(&bench, "s/f");
        bench.run(&*tool, json!({ "path": "s/f", "content": "+" })).outcome
    });
}

fn race_moving(tool: &dyn Tool, arguments: impl Fn(u32) -> Value + Sync) {
    let bench = Bench::new();
    bench.write("s/f", "");
    let folder = real(&bench);
    race(&bench, ROUNDS, |number| {
        folder.write("f", "").unwrap();
        let outcome = bench.run_as(&format!("call-{number}"), tool, arguments(number)).outcome;
        if number % 500 == 0 {
            empty_trash(&bench.workspace, Duration::ZERO, 0).unwrap();
        }
        outcome
    });
    assert_eq!(fs::read_dir(&bench.out).unwrap().count(), 1);
}

#[test]
fn p29_no_delete_escapes_through_a_swapped_link() {
    race_moving(
        &*delete_file::tool(),
        |number| json!({ "path": if number % 8 == 0 { "s/canary.txt" } else { "s/f" } }),
    );
}

#[test]
fn p29_no_rename_escapes_through_a_swapped_link() {
    race_moving(&*rename_file::tool(), |number| match number % 4 {
        0 => json!({ "from": "s/canary.txt", "to": format!("s/{number}") }),
        1 => json!({ "from": "s/f", "to": format!("t/{number}") }),
        _ => json!({ "from": "s/f", "to": format!("s/{number}") }),
    });
}
