//! What a provider's list of models says of each.
//! Reads the forms that are about and asks for nothing; what a list doesn't say stays unknown.

use assent_protocol::known::ModelFacts;
use assent_protocol::price::Price;
use serde_json::Value;

use super::probe::ModelInfo;

/// Names under which lists give the context window: vLLM, OpenRouter, Groq, Mistral, Anthropic.
const WINDOWS: [&str; 5] =
    ["max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens"];

/// Names under which lists give the longest answer: Groq and OpenRouter, others.
const OUTPUT_LIMITS: [&str; 2] = ["max_completion_tokens", "max_output_tokens"];

/// No price is higher, in dollars a token: what is, is in another unit.
const DEAREST_TOKEN: f64 = 0.01;

/// The models of a list, in its order; none: the document is no list.
pub(super) fn models_of(document: &Value) -> Option<Vec<ModelInfo>> {
    let listed = document.get("data").unwrap_or(document).as_array()?;
    let models = listed.iter().filter_map(|model| {
        let id = model.get("id")?.as_str()?.to_owned();
        Some(ModelInfo { id, facts: facts_of(model) })
    });
    Some(models.collect())
}

fn facts_of(model: &Value) -> ModelFacts {
    let tokens =
        |names: &[&str], of: &Value| names.iter().find_map(|name| of.get(*name)?.as_u64()).filter(|tokens| *tokens > 0);
    let accepts = words(model.get("architecture").unwrap_or(model), "input_modalities");
    let parameters = words(model, "supported_parameters");
    let capability = |name: &str| model.get("capabilities")?.get(name)?.as_bool();
    let limit = tokens(&OUTPUT_LIMITS, model);
    ModelFacts {
        window: tokens(&WINDOWS, model),
        output_limit: limit.or_else(|| tokens(&OUTPUT_LIMITS, model.get("top_provider")?)),
        images: accepts.as_ref().map(|kinds| kinds.contains(&"image")).or_else(|| capability("vision")),
        documents: accepts.as_ref().map(|kinds| kinds.contains(&"file")),
        tools: parameters.map(|names| names.contains(&"tools")).or_else(|| capability("function_calling")),
        reasoning: None,
        price: model.get("pricing").and_then(price_of),
    }
}

fn words<'a>(of: &'a Value, name: &str) -> Option<Vec<&'a str>> {
    Some(of.get(name)?.as_array()?.iter().filter_map(Value::as_str).collect())
}

/// Prices as OpenRouter lists them: texts, in dollars a token; below zero where the price depends on the request.
fn price_of(pricing: &Value) -> Option<Price> {
    let million = |name: &str| {
        let dollars: f64 = pricing.get(name)?.as_str()?.parse().ok()?;
        // A token's price has at most a few digits; the product has them too.
        (0.0..DEAREST_TOKEN).contains(&dollars).then(|| (dollars * 1e12).round() / 1e6)
    };
    let price = Price {
        input: million("prompt"),
        output: million("completion"),
        cache_read: million("input_cache_read"),
        cache_write: million("input_cache_write"),
        ..Price::default()
    };
    (!price.is_unknown()).then_some(price)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn only(model: Value) -> ModelFacts {
        models_of(&json!({ "data": [model] })).unwrap().remove(0).facts
    }

    #[test]
    fn openrouter_says_nearly_all() {
        let facts = only(json!({
            "id": "maker/model", "context_length": 400_000,
            "architecture": { "input_modalities": ["text", "image", "file"] },
            "pricing": { "prompt": "0.00000125", "completion": "0.00001", "input_cache_read": "0.000000125" },
            "top_provider": { "max_completion_tokens": 128_000 }, "supported_parameters": ["tools", "top_p"]
        }));
        assert_eq!((facts.window, facts.output_limit), (Some(400_000), Some(128_000)));
        assert_eq!((facts.images, facts.documents, facts.tools), (Some(true), Some(true), Some(true)));
        let price = facts.price.unwrap();
        assert_eq!((price.input, price.output, price.cache_read), (Some(1.25), Some(10.0), Some(0.125)));
        assert_eq!(price.cache_write, None);
    }

    #[test]
    fn what_depends_or_is_in_another_unit_is_no_price() {
        for prompt in ["-1", "0.5", "free", ""] {
            assert_eq!(only(json!({ "id": "m", "pricing": { "prompt": prompt } })).price, None, "{prompt}");
        }
        assert_eq!(only(json!({ "id": "m", "pricing": { "prompt": "0" } })).price.unwrap().input, Some(0.0));
    }

    #[test]
    fn others_say_less_in_their_own_words() {
        let mistral = only(
            json!({ "id": "m", "max_context_length": 131_072, "capabilities": { "vision": true, "function_calling": false } }),
        );
        assert_eq!((mistral.window, mistral.images, mistral.tools), (Some(131_072), Some(true), Some(false)));
        let groq = only(json!({ "id": "m", "context_window": 131_072, "max_completion_tokens": 65_536 }));
        assert_eq!((groq.window, groq.output_limit), (Some(131_072), Some(65_536)));
        assert_eq!(only(json!({ "id": "m" })), ModelFacts::default());
        assert_eq!(models_of(&json!({ "hello": 1 })), None);
    }
}
