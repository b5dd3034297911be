//! Patches on files: encodings, refusals that leave the bytes alone, and the card's words.
//! Matching itself is tested with `effects::edits`.

use assent_protocol::assessment::Reason;
use assent_protocol::tool::{Cause, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::tool;
use crate::effects::bench::{Bench, diff};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old": old, "new": new }] })
}

#[test]
fn a_patch_changes_its_place_alone() {
    let bench = Bench::new();
    bench.known("src/主.rs", "fn a() {}\nfn b() {}\n");
    let assessment = bench.assess(&*tool(), edit("src/主.rs", "fn b()", "pub fn b()")).unwrap();
    assert_eq!(assessment.reason, Reason::Edit { path: "src/主.rs".into(), added: 1, removed: 1 });
    assert_eq!(diff(&assessment).hunks.len(), 1);
    let output = bench.run(&*tool(), edit("src/主.rs", "fn b()", "pub fn b()"));
    assert_eq!((output.outcome, bench.text("src/主.rs").as_str()), (Outcome::Ok, "fn a() {}\npub fn b() {}\n"));
}

#[test]
fn one_edit_that_fails_refuses_them_all() {
    let bench = Bench::new();
    bench.known("a", "one\ntwo\n");
    let edits = json!({ "path": "a", "edits": [{ "old": "one", "new": "1" }, { "old": "twoo", "new": "2" }] });
    let refusal = bench.refusal(&*tool(), edits);
    assert!(refusal.starts_with("Nothing was changed: edit 2 of 2 was not found in a. The nearest place, lines 2-2"));
    assert_eq!(bench.text("a"), "one\ntwo\n");
}

#[test]
fn a_file_that_was_not_read_shows_nothing_of_itself() {
    let bench = Bench::new();
    bench.write("a", "password = hunter2\n");
    let refusal = bench.refusal(&*tool(), edit("a", "password = x", "y"));
    assert!(refusal.contains("Read it first") && !refusal.contains("hunter2"), "{refusal}");
    assert!(bench.refusal(&*tool(), edit("missing", "a", "b")).contains("does not exist"));
}

#[test]
fn p41_a_file_that_is_not_utf8_is_refused_and_its_bytes_stay() {
    let bench = Bench::new();
    for (name, bytes) in [
        ("latin.txt", b"caf\xc3\xa9\nplain\nr\xe9sum\xe9 \xe9\n".as_slice()),
        ("lone.txt", b"\xc3\xa9\nplain\n\xe9\n"),
        ("zero.bin", b"a\nplain\n\0\xff\xfe\x80"),
        ("odd.txt", b"\xff\xfep\0l\0a\0i\0n\0\0"),
        ("surrogate.txt", b"\xff\xfe\x00\xd8p\0l\0a\0i\0n\0"),
    ] {
        bench.known(name, bytes);
        let refusal = bench.assess(&*tool(), edit(name, "plain", "changed")).unwrap_err();
        assert_eq!(refusal.cause, Cause::Refused);
        assert!(refusal.words.contains("can't be edited as text"), "{name}: {}", refusal.words);
        assert_eq!(bench.read(name), bytes, "{name}");
    }
}

#[test]
fn p42_mixed_line_ends_and_a_lone_return_stay_as_they_are() {
    let bench = Bench::new();
    bench.known("a", "x word\r\ny\nz\rz\r\n\r\nlast");
    bench.run(&*tool(), edit("a", "x word\ny\n", "x other\ny\n"));
    assert_eq!(bench.text("a"), "x other\r\ny\nz\rz\r\n\r\nlast");
}

#[test]
fn p43_the_byte_order_mark_survives_a_patch() {
    let bench = Bench::new();
    bench.known("a", "\u{feff}first\r\nsecond\r\n");
    bench.run(&*tool(), edit("a", "first\nsecond", "1\n2"));
    assert_eq!(bench.text("a"), "\u{feff}1\r\n2\r\n");
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    bench.known("gbk", gbk("第一行：你好，世界。\r\n第二行\r\n"));
    bench.run(&*tool(), edit("gbk", "世界。\n第二", "朋友。\n第三"));
    assert_eq!(bench.read("gbk"), gbk("第一行：你好，朋友。\r\n第三行\r\n"));
    bench.known("wide", wide("\u{feff}中文 🙂\n尾\n"));
    bench.run(&*tool(), edit("wide", "文 🙂", "国"));
    assert_eq!(bench.read("wide"), wide("\u{feff}中国\n尾\n"));
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let bench = Bench::new();
    bench.known("a", "x");
    assert_eq!(
        bench.refusal(&*tool(), json!({ "path": "a", "edits": [] })),
        "`edits` is empty: give at least one {old, new}"
    );
    assert!(bench.refusal(&*tool(), json!({ "path": "a", "edits": [{ "old": "x" }] })).contains("edits[0].new"));
    assert!(bench.refusal(&*tool(), json!({ "path": "a", "edits": "x" })).contains("`edits`"));
    let words = bench.assess(&*tool(), edit("a", "", "y")).unwrap_err();
    assert!(words.words.contains("`edits[0].old` is empty"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_outside_of_the_edits_are_identical_on_disk(
        lines in prop::collection::vec(("[a-c中文é🙂\t ]{0,5}", prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]), 1..10),
        bom in any::<bool>(),
        wide in any::<bool>(),
        new in "[x-z$\\\\中\n ]{0,6}",
        at in any::<prop::sample::Index>(),
    ) {
        let mut lines: Vec<String> = lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect();
        let place = at.index(lines.len());
        let before: String = lines[..place].concat();
        lines[place].insert_str(0, "\u{1}mark\u{2}");
        let after = lines[place..].concat();
        let after = after.strip_prefix("\u{1}mark\u{2}").unwrap();
        let mark = if bom || wide { "\u{feff}" } else { "" };
        let bytes = |text: &str| -> Vec<u8> {
            let text = format!("{mark}{text}");
            if wide { text.encode_utf16().flat_map(u16::to_le_bytes).collect() } else { text.into_bytes() }
        };
        let bench = Bench::new();
        bench.known("f", bytes(&format!("{before}\u{1}mark\u{2}{after}")));
        let output = bench.run(&*tool(), edit("f", "\u{1}mark\u{2}", &new));
        prop_assert_eq!(output.outcome, Outcome::Ok);
        let written = bench.read("f");
        let (head, tail) = (bytes(&before), &bytes(after)[bytes("").len()..]);
        prop_assert!(written.starts_with(&head) && written.ends_with(tail));
        let middle = &written[head.len()..written.len() - tail.len()];
        let plain = |text: &str| bytes(text)[bytes("").len()..].to_vec();
        let possible = ["\n", "\r\n", "\r"].map(|end| plain(&new.replace('\n', end)));
        prop_assert!(possible.iter().any(|bytes| bytes == middle));
    }
}
