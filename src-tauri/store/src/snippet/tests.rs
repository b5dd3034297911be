//! Tests of snippets: what stands in them, what is marked, and where they are cut.
//! Marked parts stand in brackets here.

use super::*;

fn shown(text: &str, typed: &str) -> String {
    let query = Query::read(typed).unwrap();
    let parts = snippet(text, &query);
    parts.iter().map(|part| if part.hit { format!("[{}]", part.text) } else { part.text.clone() }).collect()
}

#[test]
fn what_matched_is_marked() {
    assert_eq!(shown("The retry loop\n\n  begins again", "loop"), "The retry [loop] begins again");
    assert_eq!(shown("Retrying the RETRY", "retr"), "[Retrying] the [RETRY]");
    assert_eq!(shown("重试循环里的数据库连接", "数据库"), "重试循环里的[数据库]连接");
    assert_eq!(shown("一条数据", "据"), "一条数[据]");
    assert_eq!(shown("the retry loop, the loop", "\"the loop\""), "the retry loop, [the loop]");
    assert_eq!(shown("Un café, un Cafe\u{301}", "cafe"), "Un [café], un [Cafe\u{301}]");
}

#[test]
fn a_long_text_is_cut_at_words_around_the_match() {
    let text = format!("{}needle {}", "before it ".repeat(50), "after it ".repeat(50));
    let shown = shown(&text, "needle");
    assert!(shown.starts_with("…before it") || shown.starts_with("…it before"), "{shown}");
    assert!(shown.contains(" [needle] after it"), "{shown}");
    assert!(shown.ends_with('…') && shown.chars().count() < WIDTH + 10, "{shown}");
    let chinese = format!("{}数据库{}", "前".repeat(300), "后".repeat(300));
    let piece = super::snippet(&chinese, &Query::read("数据库").unwrap());
    let length: usize = piece.iter().map(|part| part.text.chars().count()).sum();
    assert!((70..=84).contains(&length), "{length}");
}

#[test]
fn the_place_with_most_phrases_is_shown() {
    let text = format!("retry {}retry the loop", "x ".repeat(300));
    assert!(shown(&text, "retry loop").contains("[retry] the [loop]"));
}

#[test]
fn a_text_without_a_match_begins_at_its_beginning() {
    assert_eq!(shown("nothing of it", "else"), "nothing of it");
    assert_eq!(shown("", "else"), "");
}
