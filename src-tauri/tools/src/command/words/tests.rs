//! How texts split into simple commands. Written as data: the text, then its commands with their words in brackets.

use super::{Simple, simple_commands};

fn split(text: &str) -> String {
    let write = |simple: &Simple| {
        let words: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
        let redirects: Vec<&str> = simple.redirects.iter().map(|word| word.text.as_str()).collect();
        let redirects = if redirects.is_empty() { String::new() } else { format!(" > {}", redirects.join(", ")) };
        format!("[{}]{redirects}", words.join("|"))
    };
    simple_commands(text).iter().map(write).collect::<Vec<_>>().join(" ")
}

#[test]
fn operators_separate_and_quotes_join() {
    for (text, wanted) in [
        ("ls && touch MARK", "[ls] [touch|MARK]"),
        ("git status\ntouch MARK", "[git|status] [touch|MARK]"),
        ("echo a & touch MARK", "[echo|a] [touch|MARK]"),
        ("a | b |& c ; d || e", "[a] [b] [c] [d] [e]"),
        ("(touch MARK)", "[touch|MARK]"),
        ("{ touch MARK; }", "[touch|MARK]"),
        ("echo 'a b' \"c d\" e\\ f 'g'h", "[echo|a b|c d|e f|gh]"),
        ("if a; then b; else c; fi", "[a] [b] [c]"),
        ("while ! a; do b; done", "[a] [b]"),
        ("echo '{' \"if\" done", "[echo|{|if|done]"),
        ("a # b; c\nd", "[a] [d]"),
        ("a\\\nb", "[ab]"),
        ("'tool ' x", "[tool |x]"),
        ("", ""),
        ("  \n ; & ", ""),
    ] {
        assert_eq!(split(text), wanted, "{text:?}");
    }
}

#[test]
fn substitutions_hold_commands_of_their_own() {
    for (text, wanted) in [
        ("$(echo touch MARK)", "[$(…)] [echo|touch|MARK]"),
        ("`echo touch MARK`", "[`…`] [echo|touch|MARK]"),
        ("cat <(touch MARK) x", "[cat|x] [touch|MARK]"),
        ("echo \"a $(b \"c d\") e\"", "[echo|a $(…) e] [b|c d]"),
        ("echo ${X:-y} $Z", "[echo|${X:-y}|$Z]"),
        ("a $(b $(c))", "[a|$(…)] [b|$(…)] [c]"),
    ] {
        assert_eq!(split(text), wanted, "{text:?}");
    }
}

#[test]
fn redirections_name_files_and_are_no_words() {
    for (text, wanted) in [
        ("echo x > a", "[echo|x] > a"),
        ("echo x >> a 2> b < c", "[echo|x] > a, b, c"),
        ("echo x >| OUT/f", "[echo|x] > OUT/f"),
        ("echo x >! OUT/f", "[echo|x] > OUT/f"),
        ("a &> b; c 2>&1", "[a] > b [c] > 1"),
        ("> a", "[] > a"),
        ("echo 2>a 22", "[echo|22] > a"),
    ] {
        assert_eq!(split(text), wanted, "{text:?}");
    }
}

#[test]
fn a_here_document_is_text_unless_a_shell_reads_it() {
    assert_eq!(split("cat <<EOF > a\nrm x; y\nEOF\nb"), "[cat] > a [b]");
    assert_eq!(split("sh <<-'END'\n\trm x\n\tEND\nb"), "[sh] [rm|x] [b]");
    assert_eq!(split("cat <<A <<B\n1\nA\n2\nB\nc"), "[cat] [c]");
    assert_eq!(split("cat <<<text; b"), "[cat|text] [b]");
}

#[test]
fn broken_and_deep_texts_end() {
    for text in ["'open", "\"open", "$(open", "`", "${", "a <<", "a <<EOF\nb", "\\", "((((", "))))", "$(((("] {
        simple_commands(text);
    }
    for opener in ["(", "$(", "`", "\"$(", "<(", "sh <<E\n", "{ "] {
        simple_commands(&opener.repeat(20_000));
    }
}
