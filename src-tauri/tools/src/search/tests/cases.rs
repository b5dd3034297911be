//! Cases from outside that concern searching, by their ids.
//! Each is a kind of input that hurt a program like this one.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{CANARY, Ground};
use crate::search::{grep, search_files};

fn grep_text(ground: &Ground, arguments: Value) -> String {
    ground.text(grep::tool(), arguments)
}

#[test]
fn p15_patterns_paths_and_globs_are_text() {
    let ground = Ground::new();
    let mark = ground.out.join("MARK");
    ground.write("x", format!("#!/bin/sh\ntouch '{}'\n", mark.display())).write("notes", "has --pre=./x in it\n");
    std::fs::set_permissions(ground.root.join("x"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(grep_text(&ground, json!({"pattern": "--pre=./x"})), "notes\n1: has --pre=./x in it\n\n");
    assert_eq!(grep_text(&ground, json!({"pattern": "x", "path": "-f"})), "REFUSED -f does not exist");
    assert_eq!(grep_text(&ground, json!({"pattern": "x", "glob": "--hostname-bin=./x"})), "[no match]\n");
    assert!(!mark.exists(), "no helper program runs");
}

#[test]
fn p27_a_link_that_leads_outside_shows_nothing() {
    let ground = Ground::new();
    ground.link("l", ground.out.join("canary.txt")).link("d", &ground.out).write("inside.txt", "CANARY of our own\n");
    let whole = grep_text(&ground, json!({"pattern": "CANARY"}));
    assert_eq!(whole, "inside.txt\n1: CANARY of our own\n\n");
    for path in ["l", "d", "d/canary.txt"] {
        let text = grep_text(&ground, json!({"pattern": "CANARY", "path": path, "include_ignored": true}));
        assert!(text.starts_with("REFUSED") && !text.contains(CANARY), "{path}: {text}");
    }
    let files = ground.text(search_files::tool(), json!({"pattern": "**"}));
    assert_eq!(files, "inside.txt\n");
}

#[test]
fn p36_a_pipe_is_named_and_other_hits_are_there() {
    let ground = Ground::new();
    ground.pipe("pipe").write("a.txt", "hit\n");
    let begin = Instant::now();
    let text = grep_text(&ground, json!({"pattern": "."}));
    assert_eq!(text, "a.txt\n1: hit\n\n[left out, not a regular file: pipe]\n");
    let text = grep_text(&ground, json!({"pattern": ".", "path": "pipe"}));
    assert!(text.starts_with("REFUSED") && text.contains("not a regular file"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn p37_links_to_devices_and_sockets_are_refused() {
    let ground = Ground::new();
    let _socket = std::os::unix::net::UnixListener::bind(ground.root.join("socket")).unwrap();
    ground.link("zero", "/dev/zero").link("environ", "/proc/self/environ");
    let begin = Instant::now();
    for path in ["zero", "environ", "socket"] {
        let text = grep_text(&ground, json!({"pattern": ".", "path": path}));
        assert!(text.starts_with("REFUSED"), "{path}: {text}");
    }
    assert_eq!(grep_text(&ground, json!({"pattern": "."})), "[no match]\n[left out, not a regular file: socket]\n");
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn p38_loops_of_links_end_and_each_real_file_is_found_once() {
    let ground = Ground::new();
    ground
        .write("a/real.txt", "once\n")
        .link("a/b", "..")
        .link("x", "y")
        .link("y", "z")
        .link("z", "x")
        .link("again.txt", "a/real.txt");
    let files = ground.text(search_files::tool(), json!({"pattern": "**"}));
    assert_eq!(files, "a/real.txt\n");
    assert_eq!(grep_text(&ground, json!({"pattern": "once"})), "a/real.txt\n1: once\n\n");
}

#[test]
fn p46_a_huge_line_is_clipped_and_that_is_not_more_matches() {
    let ground = Ground::new();
    let long = format!("{}stats{}", "字".repeat(110_000), "b".repeat(320_000));
    ground.write("bundle.js", format!("{long}\n")).write("small.js", "stats()\n");
    let output = ground.call(grep::tool(), json!({"pattern": "stats"})).unwrap();
    let text = String::from_utf8(output.full).unwrap();
    assert!(text.len() < 2_000, "{} bytes", text.len());
    assert!(text.contains("more characters]") && text.contains("stats") && text.contains("1: stats()"), "{text}");
    let brief = assent_protocol::tool::Brief::Matches { count: 2, files: 2, more: false };
    assert_eq!(output.brief, brief, "clipped isn't more");
}

#[test]
fn p29_a_folder_swapped_for_a_link_shows_nothing_outside() {
    let ground = Ground::new();
    ground.write("s/canary.txt", "harmless\n").write("keep/canary.txt", "harmless\n");
    let (root, out) = (ground.root.clone(), ground.out.clone());
    let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let rounds = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let swaps = {
        let (ends, rounds) = (std::sync::Arc::clone(&ends), std::sync::Arc::clone(&rounds));
        std::thread::spawn(move || {
            let mut count = 0_u64;
            while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::rename(root.join("s"), root.join("aside")).unwrap();
                std::os::unix::fs::symlink(&out, root.join("s")).unwrap();
                std::fs::remove_file(root.join("s")).unwrap();
                std::fs::rename(root.join("aside"), root.join("s")).unwrap();
                count += 1;
                // Every other time the folder stays until a read has begun: else none may ever meet it.
                let round = rounds.load(std::sync::atomic::Ordering::Relaxed);
                while count.is_multiple_of(2)
                    && rounds.load(std::sync::atomic::Ordering::Relaxed) == round
                    && !ends.load(std::sync::atomic::Ordering::Relaxed)
                {
                    std::thread::yield_now();
                }
            }
            count
        })
    };
    let arguments = json!({"pattern": ".", "glob": "canary.txt"});
    // Cleared once: what is raced against is the reading.
    let cleared = ground.fixture.clear(&grep::tool(), arguments).unwrap();
    let (mut leaks, mut hits) = (0, 0);
    for round in 0..20_000 {
        rounds.store(round, std::sync::atomic::Ordering::Relaxed);
        let text = String::from_utf8(ground.fixture.read(&grep::tool(), &cleared).full).unwrap();
        leaks += usize::from(text.contains(CANARY));
        hits += usize::from(text.contains("s/canary.txt"));
    }
    ends.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(swaps.join().unwrap() > 100 && hits > 100, "the race was on");
    assert_eq!(leaks, 0);
}

#[test]
fn hostile_inputs_end_soon() {
    let ground = Ground::new();
    ground.write("a.txt", "a".repeat(900_000));
    let begin = Instant::now();
    grep_text(&ground, json!({"pattern": "(a*)*b"}));
    grep_text(&ground, json!({"pattern": "(a|aa)+$", "fixed": false}));
    grep_text(&ground, json!({"pattern": format!("{}a{}", "(".repeat(300), ")".repeat(300))}));
    let mut deep = ground.root.clone();
    for _ in 0..300 {
        deep.push("d");
    }
    std::fs::create_dir_all(&deep).unwrap();
    let text = grep_text(&ground, json!({"pattern": "zzz"}));
    assert!(text.contains("1 folder: lies too deep"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
}

#[test]
fn twenty_thousand_files_are_searched() {
    let ground = Ground::new();
    for folder in 0..200 {
        let path = ground.root.join(format!("folder-{folder:03}"));
        std::fs::create_dir(&path).unwrap();
        for file in 0..100 {
            let content = format!("line one of {folder}\n{}needle-{folder}-{file}\n", "some code here\n".repeat(40));
            std::fs::write(path.join(format!("file-{file:03}.rs")), content).unwrap();
        }
    }
    let begin = Instant::now();
    let text = grep_text(&ground, json!({"pattern": r"needle-19\d-9\d\b", "glob": "*.rs"}));
    println!("grep over 20,000 files: {:?}", begin.elapsed());
    assert_eq!(text.lines().filter(|line| line.contains("needle-")).count(), 100, "{text}");
    let begin = Instant::now();
    ground.text(search_files::tool(), json!({"pattern": "file-007.rs"}));
    println!("search_files over 20,000 files: {:?}", begin.elapsed());
}
