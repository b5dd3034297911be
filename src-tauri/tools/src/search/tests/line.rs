//! How one line is shown.
//! Property: it is never cut within a character, and what is cut is counted.

use proptest::prelude::*;

use crate::search::line::shown;

#[test]
fn a_short_line_is_whole() {
    assert_eq!(shown("hello\r\n", None), "hello");
    let line = "合".repeat(240);
    assert_eq!(shown(&line, None), line);
}

#[test]
fn a_long_line_is_cut_and_marked() {
    let line = "合".repeat(1_000);
    assert_eq!(shown(&line, Some(0..3)), format!("{}…[line clipped, 760 more characters]", "合".repeat(240)));
}

#[test]
fn the_match_is_in_what_is_shown() {
    let line = format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000));
    let text = shown(&line, Some(5_000..5_006));
    assert!(text.starts_with("[4940 characters]…aaa"), "{text}");
    assert!(text.contains("needle"));
    assert!(text.ends_with("more characters]"));
    let at_end = format!("{}needle", "a".repeat(5_000));
    let text = shown(&at_end, Some(5_000..5_006));
    assert!(text.ends_with("needle"), "{text}");
}

proptest! {
    #[test]
    fn what_is_cut_is_counted(line in "[a合🙂é]{0,600}", at in 0_usize..2_000) {
        let text = shown(&line, Some(at..at));
        let count = |text: &str| text.chars().count();
        let mut total = 0;
        for part in text.split_inclusive(']') {
            if let Some(rest) = part.strip_prefix('[') {
                total += rest.split(' ').next().unwrap().parse::<usize>().unwrap();
            } else if let Some((kept, rest)) = part.split_once("…[line clipped, ") {
                total += count(kept.trim_start_matches('…')) + rest.split(' ').next().unwrap().parse::<usize>().unwrap();
            } else {
                total += count(part.trim_start_matches('…'));
            }
        }
        prop_assert_eq!(total, count(&line));
    }
}
