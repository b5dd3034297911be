//! What classes weigh, how near that comes to real counts, and how a model's coefficient is learned.
//! Whole conversations are compared with real tokenizers in the bench.

use proptest::prelude::*;

use super::*;

fn tokens(text: &str) -> f64 {
    weigh(text) * UNSURE
}

#[track_caller]
fn check(text: &str, expected: f64) {
    assert!((tokens(text) - expected).abs() < 1e-9, "{text:?} counts {}, not {expected}", tokens(text));
}

#[test]
fn words_and_signs_count_by_their_class() {
    check("", 0.0);
    check("log", WORD);
    check("The log is", 3.0 * WORD);
    check("conversation", WORD + 6.0 * LETTER);
    check("toolCallResult", 3.0 * WORD);
    check("MAX_VALUE", 2.0 * WORD + PUNCTUATION);
    check("2026", 4.0 * DIGIT);
    check("f(&[x]);", 2.0 * WORD + 2.0 * PUNCTUATION);
    check("你好，世界", 5.0 * CJK);
    check("…→é", 3.0 * SIGN);
    check("лог", 3.0 * OTHER);
}

#[test]
fn a_run_of_blanks_counts_once_and_a_single_one_not_at_all() {
    check("a b\tc", 3.0 * WORD);
    check("a\nb", 2.0 * WORD + BLANK);
    check("a\n\n        b", 2.0 * WORD + BLANK);
    check("a  b   c", 3.0 * WORD + 2.0 * BLANK);
}

/// Counts of the vocabulary `o200k_base`, from the crate that the bench counts with. Of nine others, the smallest and the
/// largest: 41 and 42; 62 and 67; 53 and 58; 31 and 56.
#[test]
fn a_first_guess_is_near_what_a_tokenizer_counts() {
    let prose = "The log is the conversation. What people see, what the model sees, what is pending and what comes next are \
        computed from it, so resuming after a crash is the same code path as going on.";
    let code = "    /// The newest message of a person.\n    fn last_user(&self) -> Option<&Entry> {\n        let earlier = \
        self.summary.as_ref().and_then(|summary| summary.user.as_ref());\n        self.entries.iter().rfind(|entry| \
        is_user(entry)).or(earlier)\n    }";
    let json = r#"{"type":"function","function":{"name":"read_file","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":2000}},"required":["path"]}}}"#;
    let chinese = "日志就是对话。每个对话都是一串只追加的事件；你看到的、模型看到的、等待你处理的、接下来要发生的，全部由它计算得出。";
    for (text, real) in [(prose, 42.0), (code, 62.0), (json, 55.0), (chinese, 43.0)] {
        let off = tokens(text) / real - 1.0;
        assert!(off.abs() < 0.1, "{real} tokens are taken for {:.1}: {text}", tokens(text));
    }
}

#[test]
fn learning_goes_half_the_way_and_ignores_absurd_counts() {
    let weight = 1000.0;
    assert!((learn(0.35, weight, 450) - 0.40).abs() < 1e-9);
    assert!((learn(0.35, weight, 10) - 0.35).abs() < 1e-9);
    assert!((learn(0.35, weight, 5000) - 0.35).abs() < 1e-9);
    assert!((learn(0.35, 0.0, 100) - 0.35).abs() < 1e-9);
}

proptest! {
    #[test]
    fn more_text_never_weighs_less(text in "(\\PC|[a-zA-Z0-9 \n\t{}()]){0,80}", at in 0usize..80) {
        let beginning: String = text.chars().take(at).collect();
        prop_assert!(weigh(&beginning) <= weigh(&text));
        prop_assert!(tokens(&text) <= characters(&text) as f64 * SIGN);
    }

    #[test]
    fn each_answer_halves_what_an_estimate_is_off(first in 0.2f64..0.6, real in 0.2f64..0.6, weight in 1e4f64..1e6) {
        let count = (weight * real).round();
        let mut coefficient = first;
        for answers in 1..6 {
            coefficient = learn(coefficient, weight, count as u64);
            let off = (weight * coefficient - count).abs();
            let expected = (weight * first - count).abs() / f64::from(1 << answers);
            prop_assert!((off - expected).abs() < 1e-3, "{off} after {answers} answers, not {expected}");
        }
    }
}
