//! Where a text says `/name`: at its beginning, behind a space or punctuation, Chinese too; never in a word or a path.
//! Whether there is such a skill is another question. The composer has the same rule.

/// Names that stand behind a slash in `text`, in order. Those of paths (`/usr/bin`) and of files (`/a.txt`) aren't among them.
pub(crate) fn mentions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    for (at, character) in text.char_indices() {
        if character == '/' && before.is_none_or(begins_behind) {
            let rest = &text[at + 1..];
            let name = &rest[..rest.find(|next: char| !is_in_name(next)).unwrap_or(rest.len())];
            let begins = name.chars().next().is_some_and(char::is_alphanumeric);
            if begins && ends_before(&rest[name.len()..]) {
                found.push(name);
            }
        }
        before = Some(character);
    }
    found
}

/// The part of a name before its first character of Chinese, Japanese or Korean: they are written on without a space.
pub(super) fn before_cjk(name: &str) -> &str {
    &name[..name.find(|character: char| character >= '\u{2e80}').unwrap_or(name.len())]
}

fn is_in_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_')
}

fn begins_behind(character: char) -> bool {
    character.is_whitespace() || "([{\"',;，。、；：！？…—（）「」『』《》〈〉【】“”‘’".contains(character)
}

/// Whether a name ends before `rest`: not where it goes on as a path or a file's name.
fn ends_before(rest: &str) -> bool {
    let mut rest = rest.chars();
    match rest.next() {
        Some('/' | '\\' | '@' | '~') => false,
        Some('.' | ':') => !rest.next().is_some_and(char::is_alphanumeric),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_mentioned_at_the_beginning_and_behind_spaces_and_punctuation() {
        assert_eq!(mentions("/review src"), ["review"]);
        assert_eq!(mentions("please\n/review, then /fix_it."), ["review", "fix_it"]);
        assert_eq!(mentions("请用，/review 看看（/评审）"), ["review", "评审"]);
        assert_eq!(mentions("/review看看这里"), ["review看看这里"]);
        assert_eq!(before_cjk("review看看这里"), "review");
    }

    #[test]
    fn paths_words_and_addresses_are_no_mentions() {
        for text in [
            "/usr/bin",
            "和/或",
            "and/or",
            "https://x.org/review",
            "a /review.md",
            "~/review",
            "./review",
            "//review",
            "/ review",
            "/-x",
            "C:/review",
            "/review/x",
        ] {
            assert_eq!(mentions(text), [""; 0], "{text}");
        }
    }
}
