//! Counts in English, for terminals, scripts and models.
//! The window has words of its own, in its language.

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// US dollars from millionths, rounded to the cent; sums below ten cents to a hundredth of one, so that a small sum never
/// reads as nothing: `$0.52`, `$0.0132`, `<$0.0001`.
pub fn dollars(micros: u64) -> String {
    match micros {
        0 => "$0.00".to_owned(),
        1..=49 => "<$0.0001".to_owned(),
        50..=99_949 => format!("$0.{:04}", (micros + 50) / 100),
        _ => {
            let cents = micros.saturating_add(5_000) / 10_000;
            format!("${}.{:02}", grouped(cents / 100), cents % 100)
        }
    }
}

/// A count with its noun: `1 line`, `1,200 lines`. Nouns in `y` become `ies`.
pub fn counted(number: u64, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(number)),
        (_, None) => format!("{} {noun}s", grouped(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_rounded_and_never_reads_as_nothing() {
        let said = [0, 1, 50, 13_249, 99_949, 99_950, 520_000, 1_234_567_890_000].map(dollars);
        let expected = ["$0.00", "<$0.0001", "$0.0001", "$0.0132", "$0.0999", "$0.10", "$0.52", "$1,234,567.89"];
        assert_eq!(said, expected);
    }
}
