//! What is known of a model, from a server and the data file, and the choice that follows once a person's word is laid over it.
//! Asks nobody: what a server said is handed in.

use assent_llm::cataloged;
use assent_protocol::known::{Known, KnownModel, ModelFacts, Origin, Reasoning};
use assent_protocol::price::Price;
use assent_protocol::settings::{ModelChoice, Provider as Configured};

/// Tokens that a model holds where nobody says (spec part 3).
pub(super) const UNKNOWN_WINDOW: u64 = 128_000;

/// What is known of a model at an address: the server's word, else the data file's, else what is usual.
pub(crate) fn known(base_url: &str, model: &str, told: &ModelFacts) -> KnownModel {
    let (data, source) = match cataloged(base_url, model) {
        Some(found) => (found.facts, Some(found.source)),
        None => (ModelFacts::default(), None),
    };
    let usual = Known { value: UNKNOWN_WINDOW, origin: Origin::Usual };
    KnownModel {
        id: model.to_owned(),
        window: either(told.window, data.window).unwrap_or(usual),
        output_limit: either(told.output_limit, data.output_limit),
        images: either(told.images, data.images),
        documents: either(told.documents, data.documents),
        tools: either(told.tools, data.tools),
        reasoning: either(told.reasoning, data.reasoning),
        price: either(told.price, data.price),
        data: source,
    }
}

fn either<T>(told: Option<T>, data: Option<T>) -> Option<Known<T>> {
    let told = told.map(|value| Known { value, origin: Origin::Server });
    told.or(data.map(|value| Known { value, origin: Origin::Data }))
}

/// `choice` with what is known of its model, and over that the word of the person who configured its provider. What neither
/// says stays as the choice has it.
pub(super) fn filled(choice: ModelChoice, provider: Option<&Configured>, known: &KnownModel) -> ModelChoice {
    let value = |figure: Option<Known<bool>>, own: bool| figure.map_or(own, |figure| figure.value);
    let window = match known.window.origin {
        Origin::Usual => choice.window,
        Origin::Server | Origin::Data => known.window.value,
    };
    let reasoning = known.reasoning.map(|reasoning| reasoning.value);
    let choice = ModelChoice {
        window,
        tools: value(known.tools, choice.tools),
        echo_reasoning: choice.echo_reasoning || reasoning == Some(Reasoning::Echoed),
        without_encrypted: choice.without_encrypted || reasoning == Some(Reasoning::None),
        output_limit: known.output_limit.map(|limit| limit.value).or(choice.output_limit),
        images: value(known.images, choice.images),
        documents: value(known.documents, choice.documents),
        price: known.price.map(|price| price.value).or(choice.price),
        ..choice
    };
    match provider {
        Some(provider) => by_word(choice, provider),
        None => choice,
    }
}

/// `choice` with the word of the person who configured its provider laid over it.
pub(crate) fn by_word(choice: ModelChoice, provider: &Configured) -> ModelChoice {
    let unsaid = ModelFacts::default();
    let word = provider.words.get(&choice.model).unwrap_or(&unsaid);
    ModelChoice {
        window: word.window.or(provider.window).unwrap_or(choice.window),
        output_limit: word.output_limit.or(choice.output_limit),
        images: word.images.unwrap_or(choice.images),
        documents: word.documents.unwrap_or(choice.documents),
        tools: word.tools.unwrap_or(choice.tools),
        echo_reasoning: choice.echo_reasoning || provider.echo_reasoning || word.reasoning == Some(Reasoning::Echoed),
        price: priced(word.price, choice.price),
        ..choice
    }
}

/// A person's prices one by one over the known ones. Where a person named one, no bound of the known ones holds any more.
fn priced(word: Option<Price>, known: Option<Price>) -> Option<Price> {
    let Some(word) = word.filter(|word| !word.is_unknown()) else { return known };
    let known = known.unwrap_or_default();
    Some(Price {
        input: word.input.or(known.input),
        output: word.output.or(known.output),
        cache_read: word.cache_read.or(known.cache_read),
        cache_write: word.cache_write.or(known.cache_write),
        up_to: word.up_to,
        ceiling: word.ceiling,
    })
}

#[cfg(test)]
mod tests {
    use assent_protocol::view::Protocol;

    use super::super::practice;
    use super::*;

    const ANTHROPIC: &str = "https://api.anthropic.com";
    const MODEL: &str = "claude-haiku-5-5";

    fn configured(word: ModelFacts) -> Configured {
        Configured {
            words: [(MODEL.to_owned(), word)].into(),
            window: Some(50_000),
            ..super::super::tests::configured(ANTHROPIC, None)
        }
    }

    fn bare() -> ModelChoice {
        let (base_url, model) = (ANTHROPIC.to_owned(), MODEL.to_owned());
        ModelChoice { base_url, model, protocol: Protocol::AnthropicMessages, ..practice() }
    }

    #[test]
    fn a_server_counts_before_the_data_file_and_the_data_file_before_the_usual() {
        let told = ModelFacts { window: Some(9_000), ..ModelFacts::default() };
        let by_server = known(ANTHROPIC, MODEL, &told);
        assert_eq!(by_server.window, Known { value: 9_000, origin: Origin::Server });
        assert_eq!(by_server.images, Some(Known { value: true, origin: Origin::Data }));
        let by_file = known(ANTHROPIC, MODEL, &ModelFacts::default());
        assert_eq!(by_file.window, Known { value: 1_000_000, origin: Origin::Data });
        assert!(by_file.data.unwrap().page.starts_with("https://"));
        let by_nobody = known("http://127.0.0.1:1234/v1", MODEL, &ModelFacts::default());
        assert_eq!(by_nobody.window, Known { value: 128_000, origin: Origin::Usual });
        assert_eq!(by_nobody.data, None);
    }

    #[test]
    fn a_persons_word_counts_before_all_figure_by_figure() {
        let told = ModelFacts { window: Some(9_000), ..ModelFacts::default() };
        let price = Some(Price { output: Some(0.75), ..Price::default() });
        let word = ModelFacts { window: Some(8_000), images: Some(false), price, ..ModelFacts::default() };
        let choice = filled(bare(), Some(&configured(word)), &known(ANTHROPIC, MODEL, &told));
        assert_eq!((choice.window, choice.images, choice.documents), (8_000, false, true));
        let price = choice.price.unwrap();
        assert_eq!((price.input, price.output, price.up_to), (Some(0.1), Some(0.75), None));

        let choice = filled(bare(), Some(&configured(ModelFacts::default())), &known(ANTHROPIC, MODEL, &told));
        assert_eq!(choice.window, 50_000, "a word on the whole provider counts before its server's");
        assert_eq!(choice.price.unwrap().up_to, Some(100_000));
    }

    #[test]
    fn what_nobody_knows_stays_as_it_is() {
        let base_url = "http://127.0.0.1:1234/v1";
        let own = ModelChoice { base_url: base_url.to_owned(), window: 8_192, ..bare() };
        assert_eq!(filled(own.clone(), None, &known(base_url, MODEL, &ModelFacts::default())), own);
    }
}
