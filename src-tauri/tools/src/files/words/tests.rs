//! Tests of sizes, times and names in words.

use std::time::Duration;

use super::*;

#[test]
fn sizes_and_counts() {
    let cases = [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (1_048_575, "1.0 MB"), (10 << 30, "10.0 GB")];
    for (bytes, words) in cases {
        assert_eq!(size(bytes), words);
    }
    assert_eq!(size(u64::MAX), "16.0 EB");
    assert_eq!([grouped(7), grouped(1000), grouped(12_345_678)], ["7", "1,000", "12,345,678"]);
    assert_eq!([counted(1, "entry"), counted(2, "entry"), counted(0, "line")], ["1 entry", "2 entries", "0 lines"]);
}

#[test]
fn moments_are_right_at_the_edges_of_the_calendar() {
    let cases = [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_399, "2000-02-28 23:59:59 UTC"),
        (951_782_400, "2000-02-29 00:00:00 UTC"),
        (951_868_800, "2000-03-01 00:00:00 UTC"),
        (1_798_761_599, "2026-12-31 23:59:59 UTC"),
        (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        (253_402_300_799, "9999-12-31 23:59:59 UTC"),
    ];
    for (seconds, words) in cases {
        assert_eq!(moment(UNIX_EPOCH + Duration::from_secs(seconds)), words);
    }
    assert_eq!(moment(UNIX_EPOCH - Duration::from_secs(1)), "before 1970");
}

#[test]
fn hidden_characters_in_names_are_shown() {
    assert_eq!(name("主 要.rs"), "主 要.rs");
    assert_eq!(name("a\nb\u{202e}c\u{1b}[31m\u{200b}"), "a\\u{a}b\\u{202e}c\\u{1b}[31m\\u{200b}");
}
