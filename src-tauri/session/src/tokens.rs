//! Estimates tokens from characters; no tokenizer is shipped.
//! The figures are those of spec part 4: Latin about 0.28 a character, CJK about 0.6, 0.35 where unsure.

/// The coefficient of a model that has not answered yet.
pub(crate) const UNSURE: f64 = 0.35;
const LATIN: f64 = 0.28;
const CJK: f64 = 0.6;

/// Characters of `text`, weighed by class so that `weight × coefficient` estimates tokens: with the coefficient 0.35 a
/// Latin character counts 0.28 tokens and a CJK character 0.6.
pub fn weigh(text: &str) -> f64 {
    let wide = text.chars().filter(|character| is_cjk(*character)).count();
    let narrow = characters(text) as usize - wide;
    (narrow as f64 * LATIN + wide as f64 * CJK) / UNSURE
}

/// Number of characters.
pub fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The corrected coefficient after an answer: half old, half what the real count says. Counts outside of 0.3 to 3 times
/// the estimate are not used (spec part 3, usage).
pub fn learn(coefficient: f64, weight: f64, real: u64) -> f64 {
    let estimate = weight * coefficient;
    let real = real as f64;
    if weight <= 0.0 || real < estimate * 0.3 || real > estimate * 3.0 {
        return coefficient;
    }
    (coefficient + real / weight) / 2.0
}

fn is_cjk(character: char) -> bool {
    matches!(u32::from(character),
        0x2E80..=0x303F | 0x3040..=0x30FF | 0x3100..=0x312F | 0x31A0..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_weigh_as_the_spec_says() {
        assert!((weigh("abcd") * 0.35 - 4.0 * 0.28).abs() < 1e-9);
        assert!((weigh("你好") * 0.35 - 2.0 * 0.6).abs() < 1e-9);
    }

    #[test]
    fn learning_goes_half_the_way_and_ignores_absurd_counts() {
        let weight = 1000.0;
        assert!((learn(0.35, weight, 450) - 0.40).abs() < 1e-9);
        assert!((learn(0.35, weight, 10) - 0.35).abs() < 1e-9);
        assert!((learn(0.35, weight, 5000) - 0.35).abs() < 1e-9);
    }
}
