//! Hunks of small texts as a reader would draw them.
//! Large and hostile texts are compared in `compare`; how a front-end draws hunks is not looked at.

use std::fmt::Write as _;

use assent_protocol::preview::Mark;
use expect_test::{Expect, expect};

use super::{Difference, difference};

fn check(old: &str, new: &str, expected: Expect) {
    let difference = difference(old, new);
    let mut out = format!("+{} -{} of {}\n", difference.added, difference.removed, difference.old_lines);
    for hunk in &difference.hunks {
        let _ = writeln!(out, "@ {} {}", hunk.old_start, hunk.new_start);
        for line in &hunk.lines {
            let mark = match line.mark {
                Mark::Context => '.',
                Mark::Added => '+',
                Mark::Removed => '-',
            };
            let _ = writeln!(out, "{mark}{}", line.text);
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn a_change_keeps_three_lines_of_context() {
    check(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
        expect![[r#"
            +1 -1 of 9
            @ 2 2
            .2
            .3
            .4
            -5
            +five
            .6
            .7
            .8
        "#]],
    );
}

#[test]
fn a_new_text_starts_at_no_old_line() {
    check(
        "",
        "a\nb",
        expect![[r#"
            +2 -0 of 0
            @ 0 1
            +a
            +b
        "#]],
    );
}

#[test]
fn an_emptied_text_starts_at_no_new_line() {
    check(
        "a\n",
        "",
        expect![[r#"
            +0 -1 of 1
            @ 1 0
            -a
        "#]],
    );
}

#[test]
fn a_changed_line_end_is_a_changed_line() {
    check(
        "a\r\nb\n",
        "a\nb\n",
        expect![[r#"
            +1 -1 of 2
            @ 1 1
            -a
            +a
            .b
        "#]],
    );
}

#[test]
fn far_changes_are_hunks_of_their_own() {
    let old: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let new = old.replace("2\n3\n", "2\n3!\n").replace("18\n", "");
    let difference = difference(&old, &new);
    assert_eq!(difference.hunks.len(), 2);
    assert_eq!((difference.hunks[0].old_start, difference.hunks[1].old_start), (1, 15));
}

#[test]
fn lines_are_counted_in_words() {
    let words = |added, removed| Difference { added, removed, ..Difference::default() }.in_words();
    assert_eq!([words(1, 0), words(0, 1), words(1, 1)], ["+1 line", "-1 line", "+1 -1 lines"]);
    assert_eq!([words(3, 0), words(0, 2), words(0, 0)], ["+3 lines", "-2 lines", "no line"]);
}
