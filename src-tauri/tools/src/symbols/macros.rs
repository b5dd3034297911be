//! Hides macros that stand between `class` and a class's name (`class API_EXPORT Widget : public Base {`): what they
//! mean is said in another file, and without that the grammar takes the class for a function.
//! Lengths stay, so that every place in what is parsed is a place in the source.

use std::borrow::Cow;

/// The source as it is parsed: such macros are blank.
pub(super) fn without_class_macros(source: &str) -> Cow<'_, [u8]> {
    let bytes = source.as_bytes();
    let mut out = Cow::Borrowed(bytes);
    for keyword in ["class", "struct"] {
        for at in memchr::memmem::find_iter(bytes, keyword) {
            let is_word = at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|byte| !is_part(*byte));
            let (macro_at, macro_end) = word(bytes, at + keyword.len());
            let is_macro = macro_end > macro_at + 1 && bytes[macro_at..macro_end].iter().all(|byte| is_capital(*byte));
            if is_word && macro_at > at + keyword.len() && is_macro && begins_a_class(bytes, macro_end) {
                out.to_mut()[macro_at..macro_end].fill(b' ');
            }
        }
    }
    out
}

/// Whether a name follows, and then a list of bases or a body.
fn begins_a_class(bytes: &[u8], from: usize) -> bool {
    let (name_at, mut end) = word(bytes, from);
    if end == name_at || name_at == from {
        return false;
    }
    let (last_at, last_end) = word(bytes, end);
    if &bytes[last_at..last_end] == b"final" {
        end = last_end;
    }
    match bytes[blanks(bytes, end)..] {
        [b'{', ..] => true,
        [b':', next, ..] => next != b':',
        _ => false,
    }
}

/// Where the next word begins and ends, after blanks; an empty one when none stands there.
fn word(bytes: &[u8], from: usize) -> (usize, usize) {
    let start = blanks(bytes, from);
    let length = bytes[start..].iter().take_while(|byte| is_part(**byte)).count();
    (start, start + length)
}

fn blanks(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}
