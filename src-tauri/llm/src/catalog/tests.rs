//! The data file is well-formed and sane, and a name finds its own entry and no other's price.

use assent_protocol::known::Reasoning;
use assent_protocol::price::Price;

use super::*;

fn at(base_url: &str, model: &str) -> ModelFacts {
    cataloged(base_url, model).map(|found| found.facts).unwrap_or_default()
}

const OPENAI: &str = "https://api.openai.com/v1";

#[test]
fn every_figure_has_its_page_and_its_day_and_none_is_absurd() {
    let file = File::parse(FILE).unwrap();
    assert!(file.groups.len() > 10);
    for group in &file.groups {
        assert!(group.source.starts_with("https://"), "{group:?}");
        let parts: Vec<u32> = group.date.split('-').map(|part| part.parse().unwrap()).collect();
        assert!(matches!(parts[..], [2026..=2100, 1..=12, 1..=31]), "{}", group.date);
        assert!(!group.sold_by.is_empty() && !group.models.is_empty());
        for seller in &group.sold_by {
            assert!(crate::preset(seller).is_some(), "no preset is called {seller}");
        }
        assert_eq!(group.facts.price, None, "a price belongs to a model");
        for (name, facts) in &group.models {
            let window = facts.window.or(group.facts.window);
            assert!(window.is_none_or(|tokens| (4_096..=4_000_000).contains(&tokens)), "{name}");
            let limit = facts.output_limit.or(group.facts.output_limit);
            assert!(limit.is_none_or(|tokens| (1_024..=window.unwrap_or(u64::MAX)).contains(&tokens)), "{name}");
            if let Some(price) = facts.price {
                assert!(!name.ends_with('*'), "{name}: a family has no price");
                sane(name, price);
            }
        }
    }
}

fn sane(name: &str, price: Price) {
    assert!(!price.is_unknown(), "{name}");
    for dollars in [price.input, price.output, price.cache_read, price.cache_write].into_iter().flatten() {
        assert!((0.001..=500.0).contains(&dollars), "{name}: {dollars}");
    }
    if let Some(input) = price.input {
        assert!(price.output.is_none_or(|output| output >= input), "{name}");
        assert!(price.cache_read.is_none_or(|read| read <= input), "{name}");
        assert!(price.cache_write.is_none_or(|write| write >= input && write <= input * 2.0), "{name}");
    }
}

#[test]
fn no_two_entries_have_one_name() {
    let file = File::parse(FILE).unwrap();
    let mut names: Vec<&String> = file.groups.iter().flat_map(|group| group.models.keys()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_model_finds_its_own_entry_and_an_edition_its_models() {
    assert_eq!(at(OPENAI, "gpt-5.4-mini").price.unwrap().input, Some(0.75));
    assert_eq!(at(OPENAI, "gpt-5.4").price.unwrap().input, Some(2.5));
    assert_eq!(at(OPENAI, "gpt-5.5-2026-04-23").price.unwrap().output, Some(30.0));
    let haiku = at("https://api.anthropic.com", "claude-haiku-4-5-20251001");
    assert_eq!((haiku.window, haiku.output_limit), (Some(200_000), Some(64_000)), "the window is its family's");
    assert_eq!(haiku.price.unwrap().cache_write, Some(1.25));
}

#[test]
fn another_models_price_is_never_taken() {
    let unheard = at(OPENAI, "gpt-5.9-solar");
    assert_eq!(unheard.price, None, "its family's window is known, its price is not");
    assert_eq!(unheard.window, Some(400_000));
    assert_eq!(at(OPENAI, "gpt-5.4-mini-ultra").price, None);
    assert_eq!(cataloged(OPENAI, "davinci-9"), None);
}

#[test]
fn a_price_is_the_sellers_and_what_a_model_takes_is_the_models() {
    let resold = at("https://openrouter.ai/api/v1", "anthropic/claude-opus-5.5");
    assert_eq!(resold.window, Some(1_000_000));
    assert_eq!(resold.images, Some(true));
    assert_eq!(resold.price, None);
    assert!(at("https://api.z.ai/api/paas/v4", "glm-5.3").price.is_some());
    assert_eq!(at("https://open.bigmodel.cn/api/paas/v4", "glm-5.3").price, None, "it is sold for yuan there");
    assert_eq!(at("https://llm.example.com/v1", "models/gemini-3.8-flash").window, Some(1_048_576));
}

#[test]
fn of_a_server_on_this_machine_the_file_knows_nothing() {
    assert_eq!(cataloged("http://127.0.0.1:11434/v1", "deepseek-flash"), None);
    assert_eq!(cataloged("http://192.168.1.4:8000/v1", "glm-5.3"), None);
    assert_eq!(cataloged("no address at all", "glm-5.3"), None);
}

#[test]
fn reasoning_that_has_to_go_back_is_known() {
    assert_eq!(at("https://api.deepseek.com", "deepseek-v4-pro").reasoning, Some(Reasoning::Echoed));
    assert_eq!(at(OPENAI, "gpt-6.2-sol").reasoning, Some(Reasoning::Returned));
}
