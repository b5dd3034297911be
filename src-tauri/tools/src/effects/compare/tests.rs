//! Comparisons that hold together, are as small as they should be, and end in time.
//! Hunks are made of them in `diff`.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use similar::DiffOp;

use super::{PIECE_LINES, compare};

/// Checks that the operations cover both sides in order and that equal lines are equal. Gives lines removed and added.
fn check(old: &[&str], new: &[&str]) -> (usize, usize) {
    let (mut old_at, mut new_at, mut removed, mut added) = (0, 0, 0, 0);
    let mut was_same = false;
    for operation in compare(old, new) {
        let (old_range, new_range) = (operation.old_range(), operation.new_range());
        assert_eq!((old_range.start, new_range.start), (old_at, new_at));
        (old_at, new_at) = (old_range.end, new_range.end);
        let is_same = matches!(operation, DiffOp::Equal { .. });
        if is_same {
            assert!(!was_same, "equal lines are one operation");
            assert_eq!(old[old_range], new[new_range]);
        } else {
            removed += old_range.len();
            added += new_range.len();
        }
        was_same = is_same;
    }
    assert_eq!((old_at, new_at), (old.len(), new.len()));
    (removed, added)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn small_texts_differ_in_what_differs() {
    let (old, new) = (lines("a\nb\nc\nd"), lines("a\nx\nc\nd\ne"));
    assert_eq!(check(&old, &new), (1, 2));
    assert_eq!(check(&old, &old), (0, 0));
    assert_eq!(check(&[], &new), (0, 5));
    assert_eq!(check(&old, &[]), (4, 0));
}

#[test]
fn scattered_changes_in_a_large_text_are_found_one_by_one() {
    let old: Vec<String> = (0..200_000).map(|line| format!("line {line}")).collect();
    let new: Vec<String> = old.iter().map(|line| line.replace("000", "ooo")).collect();
    let changed = old.iter().zip(&new).filter(|(old, new)| old != new).count();
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    assert!(changed > 100);
    assert_eq!(check(&old, &new), (changed, changed));
}

#[test]
fn hostile_pairs_end_in_time_and_the_same_way_twice() {
    let mixed = |at: u64| at.wrapping_mul(6_364_136_223_846_793_005).rotate_left(17);
    for (kinds, count) in [(977, 300_000u64), (u64::MAX, 300_000), (13, 300_000), (3, 1_000_000), (1, 1_000_000)] {
        let names: Vec<String> = (0..kinds.min(count)).map(|kind| kind.to_string()).collect();
        let line = |at: u64| names[(mixed(at) % kinds.min(count)) as usize].as_str();
        let old: Vec<&str> = (0..count).map(line).collect();
        let new: Vec<&str> = (0..count - 1).map(|at| line(at.wrapping_mul(7) + 3)).collect();
        let start = Instant::now();
        check(&old, &new);
        // The limit is that of an unoptimised build on a busy machine.
        assert!(start.elapsed() < Duration::from_secs(20), "{kinds} kinds, {count} lines: {:?}", start.elapsed());
        println!("{kinds} kinds of {count} lines: {:?}", start.elapsed());
    }
    let line = |at: u64| if mixed(at).is_multiple_of(2) { "a" } else { "b" };
    let old: Vec<&str> = (0..PIECE_LINES as u64).map(line).collect();
    let new: Vec<&str> = (0..PIECE_LINES as u64).map(|at| line(at + 7)).collect();
    assert_eq!(compare(&old, &new), compare(&old, &new));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn operations_always_hold_together(
        old in prop::collection::vec(prop_oneof!["[a-c]", "[a-z]{3}"], 0..40),
        new in prop::collection::vec(prop_oneof!["[a-c]", "[a-z]{3}"], 0..40),
    ) {
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        check(&old, &new);
        // As a large pair would be compared: cut at landmarks, with nothing left to compare in between.
        let mut comparison = super::Comparison { old: &old, new: &new, operations: Vec::new(), left: 0 };
        let landmarks = comparison.landmarks(0..old.len(), 0..new.len());
        prop_assert!(landmarks.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        prop_assert!(landmarks.iter().all(|(at, there)| old[*at] == new[*there]));
        comparison.gap(0..old.len(), 0..new.len());
        let covered: usize = comparison.operations.iter().map(|operation| operation.old_range().len()).sum();
        prop_assert_eq!(covered, old.len());
    }
}
