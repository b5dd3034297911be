//! Text appended: to files with every form of end, to new ones, and not through links that leave.
//! What all writes have in common is tested with `write_file`.

use assent_protocol::assessment::Reason;
use assent_protocol::tool::Outcome;
use serde_json::{Value, json};

use super::tool;
use crate::effects::RevertRefusal;
use crate::effects::bench::{Bench, note_lines};

fn to(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

#[test]
fn text_goes_to_the_end_with_the_line_ends_of_the_file() {
    let bench = Bench::new();
    for (old, added, new) in [
        ("a\n", "b\n", "a\nb\n"),
        ("a\r\n", "b\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\r\nb\n", "c\n", "a\r\nb\nc\n"),
        ("\u{feff}中\n", "文\n", "\u{feff}中\n文\n"),
        ("", "x", "x"),
        ("open", " end\n", "open end\n"),
    ] {
        bench.known("f", old);
        let output = bench.run(&*tool(), to("f", added));
        assert_eq!((output.outcome, bench.text("f").as_str()), (Outcome::Ok, new), "{old:?} {added:?}");
    }
}

#[test]
fn the_card_says_how_many_lines_and_that_a_last_line_is_open() {
    let bench = Bench::new();
    bench.known("f", "open");
    let assessment = bench.assess(&*tool(), to("f", "\nx\ny\n")).unwrap();
    assert_eq!(note_lines(&assessment), ["the file's last line had no line end: the text goes on in it"]);
    bench.known("f", "done\n");
    let assessment = bench.assess(&*tool(), to("f", "x\ny\n")).unwrap();
    assert_eq!(assessment.reason, Reason::Append { path: "f".into(), lines: 2 });
    let assessment = bench.assess(&*tool(), to("g", "x\n")).unwrap();
    assert_eq!(assessment.reason, Reason::Create { path: "g".into(), lines: 1 });
    assert!(bench.refusal(&*tool(), to("f", "")).contains("`content`"));
}

#[test]
fn p27_nothing_is_appended_through_a_link_that_leaves() {
    let bench = Bench::new();
    bench.link(bench.out.join("canary.txt"), "l");
    bench.link("../out/canary.txt", "m");
    for path in ["l", "m"] {
        let refusal = bench.refusal(&*tool(), to(path, "more"));
        assert!(refusal.contains("outside") && !refusal.contains("CANARY"), "{refusal}");
    }
    // The file was plain when the call was approved and is a link when it is carried out.
    bench.known("f", "CANARY-OUT");
    let tool = tool();
    let approved = bench.approve(&*tool, to("f", "more")).unwrap();
    let prepared = approved.prepare().unwrap();
    std::fs::remove_file(bench.root.join("f")).unwrap();
    bench.link(bench.out.join("canary.txt"), "f");
    assert_eq!(approved.change(&prepared).outcome, Outcome::Rejected);
    bench.out_is_untouched();
}

#[test]
fn an_old_content_that_is_too_large_to_keep_is_said_on_the_card() {
    let bench = Bench::new();
    let large = format!("{}\n", "x".repeat(64 * 1024 - 1)).repeat(33 * 16);
    bench.known("large.txt", &large);
    let tool = tool();
    let approved = bench.approve(&*tool, to("large.txt", "more\n")).unwrap();
    assert!(!approved.assessment.reach.revertible);
    let prepared = approved.prepare().unwrap();
    assert!(prepared.keep.is_empty());
    let output = approved.change(&prepared);
    assert_eq!(output.outcome, Outcome::Ok);
    assert!(matches!(bench.revert(&output.effects), Err(RevertRefusal::NotKept { .. })));
    assert!(bench.text("large.txt") == large + "more\n");
}
