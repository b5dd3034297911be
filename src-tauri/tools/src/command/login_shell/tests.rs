//! What is read out of a login shell's noise.

use super::between;

#[test]
fn only_what_stands_between_the_marks_counts() {
    let output = b"welcome\nA=no\0MARKPATH=/bin\0TWO=a\nb=c\0=odd\0EMPTY=\0noise\0MARK\nbye PATH=/x\0";
    let variables = between(output, b"MARK").unwrap();
    let text: Vec<String> =
        variables.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
    assert_eq!(text, ["PATH=/bin", "TWO=a\nb=c", "EMPTY="]);
}

#[test]
fn noise_alone_is_no_environment() {
    for output in ["", "welcome", "MARK", "MARKPATH=/bin\0", "MARKMARK", "MARKA=1\0MARK"] {
        assert_eq!(between(output.as_bytes(), b"MARK"), None, "{output:?}");
    }
}
