//! What a request cost, from what it used and what its model's tokens cost.
//! It knows no prices and sums nothing: unknown stays unknown.

use assent_protocol::price::Price;
use assent_protocol::view::Usage;

/// Millionths of a millionth of a US dollar in one token at a dollar per million of them: prices with up to six decimals
/// are whole numbers in this unit.
const PICO: f64 = 1_000_000.0;
/// Prices above this many dollars per million tokens are no prices.
const ABSURD: f64 = 10_000.0;

/// Cost in millionths of a US dollar, rounded to the nearest, halves up. None, where it can't be known: input or output
/// wasn't told, or there were tokens of a kind without a price. Never a part of it, and never zero for want of a price.
/// Input is what no cache held; cached reads and writes are priced apart. Reasoning is a part of the output and not priced
/// again. Cache figures that weren't told are none: such a provider counts all input as input.
/// Nor is the cost of a request known that was longer than its prices hold for.
pub fn cost(usage: &Usage, price: &Price) -> Option<u64> {
    let counts = [usage.input, usage.cache_read, usage.cache_write];
    let sent = counts.iter().flatten().fold(0, |sum: u64, count| sum.saturating_add(*count));
    if price.up_to.is_some_and(|up_to| sent > up_to) {
        return None;
    }
    let parts = [
        (usage.input?, price.input),
        (usage.output?, price.output),
        (usage.cache_read.unwrap_or(0), price.cache_read),
        (usage.cache_write.unwrap_or(0), price.cache_write),
    ];
    let mut pico: u128 = 0;
    for (tokens, price) in parts {
        if tokens > 0 {
            pico = pico.checked_add(u128::from(tokens).checked_mul(pico_of(price?)?)?)?;
        }
    }
    u64::try_from((pico + 500_000) / 1_000_000).ok()
}

/// A price in whole millionths of a millionth of a dollar a token; none: it is no price.
fn pico_of(price: f64) -> Option<u128> {
    let is_sound = price.is_finite() && (0.0..=ABSURD).contains(&price);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 10^10")]
    is_sound.then(|| (price * PICO).round() as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(input: f64, output: f64, cache_read: Option<f64>, cache_write: Option<f64>) -> Price {
        Price { input: Some(input), output: Some(output), cache_read, cache_write, ..Price::default() }
    }

    fn usage(input: u64, output: u64, cache_read: Option<u64>, cache_write: Option<u64>) -> Usage {
        Usage { input: Some(input), output: Some(output), cache_read, cache_write, reasoning: None }
    }

    /// The two answers that Anthropic's page on prompt caching shows for one book asked about twice, at Claude Sonnet's
    /// 3, 15, 0.30 and 3.75 dollars.
    #[test]
    fn a_cache_that_is_written_and_then_read() {
        let sonnet = price(3.0, 15.0, Some(0.30), Some(3.75));
        assert_eq!(cost(&usage(21, 393, Some(0), Some(188_086)), &sonnet), Some(711_281));
        assert_eq!(cost(&usage(21, 393, Some(188_086), Some(0)), &sonnet), Some(62_384));
    }

    /// The usage that OpenAI's page on prompt caching shows, 2,006 prompt tokens of which 1,920 were cached and 300 of
    /// output, at GPT-4o's 2.50, 1.25 and 10 dollars. There is no price for writing, and none is needed.
    #[test]
    fn a_cache_that_costs_nothing_to_write() {
        let gpt = price(2.5, 10.0, Some(1.25), None);
        assert_eq!(cost(&usage(86, 300, Some(1_920), None), &gpt), Some(5_615));
    }

    #[test]
    fn prices_that_hold_up_to_a_length_say_nothing_of_a_longer_request() {
        let price = Price { up_to: Some(1_000), ..price(1.0, 1.0, Some(0.5), None) };
        assert_eq!(cost(&usage(600, 10, Some(400), None), &price), Some(810));
        assert_eq!(cost(&usage(601, 10, Some(400), None), &price), None);
    }

    #[test]
    fn tokens_without_a_price_make_all_of_it_unknown() {
        let bare = price(3.0, 15.0, None, None);
        assert_eq!(cost(&usage(10, 10, Some(1), None), &bare), None);
        assert_eq!(cost(&usage(10, 10, None, Some(1)), &bare), None);
        assert_eq!(cost(&usage(10, 10, Some(0), Some(0)), &bare), Some(180));
        assert_eq!(cost(&usage(10, 10, None, None), &Price { output: None, ..bare }), None);
        assert_eq!(cost(&usage(10, 0, None, None), &Price { output: None, ..bare }), Some(30));
        assert_eq!(cost(&usage(10, 10, None, None), &Price::default()), None);
    }

    #[test]
    fn what_was_not_counted_is_unknown_and_what_is_free_costs_nothing() {
        let free = price(0.0, 0.0, Some(0.0), Some(0.0));
        assert_eq!(cost(&Usage::default(), &free), None);
        assert_eq!(cost(&Usage { input: Some(5), ..Usage::default() }, &free), None);
        assert_eq!(cost(&Usage { output: Some(5), ..Usage::default() }, &free), None);
        assert_eq!(cost(&usage(5, 5, None, None), &free), Some(0));
        assert_eq!(cost(&usage(0, 0, None, None), &Price::default()), Some(0));
    }

    #[test]
    fn reasoning_is_part_of_the_output() {
        let thinking = Usage { reasoning: Some(90), ..usage(0, 100, None, None) };
        assert_eq!(cost(&thinking, &price(1.0, 10.0, None, None)), Some(1_000));
    }

    #[test]
    fn rounding_is_to_the_nearest_and_exact_before_it() {
        let cheap = price(0.075, 0.3, None, None);
        assert_eq!(cost(&usage(6, 0, None, None), &cheap), Some(0));
        assert_eq!(cost(&usage(20, 0, None, None), &cheap), Some(2));
        assert_eq!(cost(&usage(7, 0, None, None), &cheap), Some(1));
        assert_eq!(cost(&usage(5, 0, None, None), &price(0.1, 0.0, None, None)), Some(1));
        assert_eq!(cost(&usage(1_000_000_000, 0, None, None), &cheap), Some(75_000_000));
    }

    #[test]
    fn no_price_is_below_nothing() {
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e30] {
            assert_eq!(cost(&usage(1, 1, None, None), &price(wrong, 1.0, None, None)), None);
        }
        assert_eq!(cost(&usage(u64::MAX, u64::MAX, None, None), &price(ABSURD, ABSURD, None, None)), None);
    }
}
