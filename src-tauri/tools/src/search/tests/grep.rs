//! `grep`.
//! The cases from outside stand in `cases`.

use expect_test::{Expect, expect};
use serde_json::json;

use super::Ground;
use crate::search::grep::tool;

fn check(ground: &Ground, arguments: serde_json::Value, expected: Expect) {
    expected.assert_eq(&ground.text(tool(), arguments));
}

fn project() -> Ground {
    let ground = Ground::new();
    ground
        .write("src/main.rs", "fn main() {\n    let total = 1;\n    print(total);\n}\n")
        .write("src/lib.rs", "// Total of all\r\npub fn total() -> u32 {\r\n    0\r\n}\r\n")
        .write("文档/说明.md", "合计 total\n第二行\n")
        .write("target/out.rs", "total\n")
        .write(".gitignore", "target/\n")
        .write("image.png", b"\x89PNG\0total\0")
        .write(".env", "TOTAL_KEY=total\n");
    ground
}

#[test]
fn matches_are_grouped_by_file_with_line_numbers() {
    check(
        &project(),
        json!({"pattern": "total"}),
        expect![[r#"
        src/lib.rs
        2: pub fn total() -> u32 {

        src/main.rs
        2:     let total = 1;
        3:     print(total);

        文档/说明.md
        1: 合计 total

        [left out, may hold secrets: .env]
    "#]],
    );
}

#[test]
fn lines_around_a_match_are_marked_and_gaps_shown() {
    let ground = Ground::new();
    ground.write("a.txt", "1\n2\nx\n4\n5\n6\n7\nx\n9\n");
    check(
        &ground,
        json!({"pattern": "x", "context": 1}),
        expect![[r#"
        a.txt
        2- 2
        3: x
        4- 4
        --
        7- 7
        8: x
        9- 9

    "#]],
    );
}

#[test]
fn options_narrow_and_widen() {
    let ground = project();
    check(
        &ground,
        json!({"pattern": "TOTAL", "ignore_case": true, "glob": "*.rs", "path": "src"}),
        expect![[r#"
        src/lib.rs
        1: // Total of all
        2: pub fn total() -> u32 {

        src/main.rs
        2:     let total = 1;
        3:     print(total);

    "#]],
    );
    check(
        &ground,
        json!({"pattern": "total() ->", "fixed": true}),
        expect![[r#"
        src/lib.rs
        2: pub fn total() -> u32 {

        [left out, may hold secrets: .env]
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "^total$", "include_ignored": true}),
        expect![[r#"
        target/out.rs
        1: total

        [left out, may hold secrets: .env]
    "#]],
    );
    check(
        &ground,
        json!({"pattern": "第.行", "path": "文档/说明.md"}),
        expect![[r#"
        文档/说明.md
        2: 第二行

    "#]],
    );
    check(
        &ground,
        json!({"pattern": "absent", "glob": "src/*.rs"}),
        expect![[r#"
        [no match]
    "#]],
    );
}

#[test]
fn a_dollar_matches_before_a_windows_line_end() {
    let ground = project();
    check(
        &ground,
        json!({"pattern": r"\{$", "path": "src/lib.rs"}),
        expect![[r#"
        src/lib.rs
        2: pub fn total() -> u32 {

    "#]],
    );
}

#[test]
fn misfits_are_refused_in_words() {
    let ground = project();
    check(
        &ground,
        json!({"pattern": "a("}),
        expect![
            "REFUSED `pattern` is not a usable regular expression: unclosed group. Set `fixed` to search for it as plain text"
        ],
    );
    check(
        &ground,
        json!({"pattern": "(?=a)"}),
        expect![
            "REFUSED `pattern` is not a usable regular expression: look-around, including look-ahead and look-behind, is not supported. Set `fixed` to search for it as plain text"
        ],
    );
    check(
        &ground,
        json!({"pattern": "x{1000}{1000}{1000}"}),
        expect![
            "REFUSED `pattern` is not a usable regular expression: compiled regex exceeds size limit of 8388608. Set `fixed` to search for it as plain text"
        ],
    );
    check(&ground, json!({"pattern": "x", "context": 11}), expect!["REFUSED `context` is 0 to 10"]);
    check(&ground, json!({"pattern": "x", "path": "absent.rs"}), expect!["REFUSED absent.rs does not exist"]);
    check(&ground, json!({"pattern": ""}), expect!["REFUSED `pattern` must be 1 to 4096 bytes long"]);
}

#[test]
fn many_matches_are_counted_where_they_are_not_shown() {
    let ground = Ground::new();
    for index in 0..30 {
        ground.write(&format!("f{index:02}.txt"), "match of some length, to fill the result\n".repeat(20));
    }
    let output = ground.call(tool(), json!({"pattern": "match"})).unwrap();
    let text = String::from_utf8(output.full).unwrap();
    assert!(text.len() <= 8_192);
    let shown = text.lines().filter(|line| line.contains(": match")).count();
    assert!(text.contains(&format!("{} more matches not shown", 600 - shown)), "{text}");
    let again = ground.text(tool(), json!({"pattern": "match"}));
    assert_eq!(text, again, "two threads, one result");
}

#[test]
fn a_search_with_too_many_matches_ends_the_same_way_each_time() {
    let ground = Ground::new();
    for index in 0..60 {
        ground.write(&format!("f{index:02}.txt"), "m\n".repeat(97));
    }
    let first = ground.text(tool(), json!({"pattern": "m"}));
    assert!(first.contains("the search ended at 2000 matches"), "{first}");
    for _ in 0..5 {
        assert_eq!(first, ground.text(tool(), json!({"pattern": "m"})));
    }
}

#[test]
fn a_long_file_is_streamed() {
    let ground = Ground::new();
    let mut content = "filler line\n".repeat(200_000);
    content.push_str("needle\n");
    ground.write("long.log", content);
    check(
        &ground,
        json!({"pattern": "needle"}),
        expect![[r#"
        long.log
        200001: needle

    "#]],
    );
}

#[test]
fn a_stop_ends_a_search_and_says_so() {
    let ground = project();
    ground.cancel.cancel();
    let output = ground.call(tool(), json!({"pattern": "total"})).unwrap();
    assert_eq!(output.outcome, assent_protocol::tool::Outcome::Stopped);
    assert!(String::from_utf8(output.full).unwrap().contains("stopped: not everything was searched"));
}

#[test]
fn other_encodings_are_searched_as_text() {
    let ground = Ground::new();
    let (gbk, _, _) = encoding_rs::GBK.encode("第一行\n合计金额 total\n中文内容很多很多，足够判断编码。\n");
    ground.write("gbk.txt", gbk.as_ref());
    let utf16: Vec<u8> = "\u{feff}合计 in sixteen\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    ground.write("wide.txt", utf16);
    check(
        &ground,
        json!({"pattern": "合计"}),
        expect![[r#"
        gbk.txt
        2: 合计金额 total

        wide.txt
        1: 合计 in sixteen

    "#]],
    );
}

#[test]
fn a_private_key_under_any_name_is_left_out() {
    let ground = Ground::new();
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nneedle\n";
    ground.write("notes.txt", key).write("long.txt", format!("{key}{}", "filler needle\n".repeat(100_000)));
    ground.write("plain.txt", "needle\n");
    check(
        &ground,
        json!({"pattern": "needle"}),
        expect![[r#"
        plain.txt
        1: needle

        [left out, may hold secrets: long.txt, notes.txt]
    "#]],
    );
}

#[test]
fn what_is_never_searched_is_not_searched_by_name_either() {
    let ground = project();
    ground.write(".git/config", "needle\n").write(".assent/trash/call/a.txt", "needle\n").write("bin", b"needle\0");
    for path in [".git", ".git/config", ".GIT/config", ".assent/trash/call"] {
        let text = ground.text(tool(), json!({"pattern": "needle", "path": path}));
        assert!(text.starts_with("REFUSED"), "{path}: {text}");
        let text = ground.text(crate::search::search_files::tool(), json!({"pattern": "*", "path": path}));
        assert!(text.starts_with("REFUSED"), "{path}: {text}");
    }
    check(
        &ground,
        json!({"pattern": "needle", "path": "bin"}),
        expect![[r#"
        [no match; 1 binary file was not searched]
    "#]],
    );
}

#[test]
fn a_long_file_in_another_encoding_is_decoded() {
    let ground = Ground::new();
    let text = format!("{}合计金额 total\n", "中文内容很多很多，足够判断编码。\n".repeat(40_000));
    let (gbk, _, _) = encoding_rs::GBK.encode(&text);
    assert!(gbk.len() > 1024 * 1024);
    ground.write("gbk.txt", gbk.as_ref());
    check(
        &ground,
        json!({"pattern": "合计"}),
        expect![[r#"
        gbk.txt
        40001: 合计金额 total

    "#]],
    );
}

#[test]
fn a_name_with_a_line_feed_stays_on_one_line() {
    let ground = Ground::new();
    ground.write("a\n[no match]\u{1b}[2J.txt", "needle\n");
    let name = r"a\u{a}[no match]\u{1b}[2J.txt";
    assert_eq!(ground.text(tool(), json!({"pattern": "needle"})), format!("{name}\n1: needle\n\n"));
    let files = crate::search::search_files::tool();
    assert_eq!(ground.text(files, json!({"pattern": "*.txt"})), format!("{name}\n"));
}
