//! What is kept of outputs around the limit, whatever the pieces they come in.

use super::Kept;

fn kept(text: &str, piece: usize) -> String {
    let mut kept = Kept::with_half(4);
    text.as_bytes().chunks(piece).for_each(|piece| kept.push(piece));
    String::from_utf8(kept.into_bytes()).unwrap()
}

#[test]
fn the_beginning_and_the_end_are_kept_however_they_come() {
    for piece in 1..=20 {
        assert_eq!(kept("", piece), "");
        assert_eq!(kept("abc", piece), "abc");
        assert_eq!(kept("abcdefgh", piece), "abcdefgh");
        assert_eq!(kept("abcdefghi", piece), "abcd\n[1 bytes are left out here]\nfghi");
        assert_eq!(kept("abcdefghijklmnop", piece), "abcd\n[8 bytes are left out here]\nmnop");
    }
    assert!(Kept::new().is_empty());
}
