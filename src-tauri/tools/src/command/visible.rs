//! Says whether a text holds characters that a person can't see, or that change how the text around them looks.
//! It replaces nothing: the card shows them as escapes, the shell gets them as they are.

/// Whether `text` has control characters other than line feeds, bidirectional marks, zero-width or filler characters,
/// tag characters, variation selectors, or spaces other than the plain one.
pub(super) fn has_invisible(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|character| {
        let shown_as_picture = matches!(character, '\u{fe0e}' | '\u{fe0f}') && !before.is_ascii();
        before = character;
        is_invisible(character) && !shown_as_picture
    })
}

/// The format, filler and space characters of Unicode 17 (general categories Cc, Cf, Zl, Zp, Zs, and those letters and
/// marks that are drawn as nothing).
fn is_invisible(character: char) -> bool {
    match character {
        '\n' | ' ' | '\u{3000}' => false,
        control if control.is_control() => true,
        space if space.is_whitespace() => true,
        '\u{ad}'
        | '\u{34f}'
        | '\u{600}'..='\u{605}'
        | '\u{61c}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'..='\u{891}'
        | '\u{8e2}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}'
        | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
