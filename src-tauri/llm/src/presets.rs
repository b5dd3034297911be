//! Table. Providers that are known by name: where they are, how they are spoken to, and which variable holds their key.
//! Nothing here is asked for or checked over a network; what single models hold stands in the data file.

use assent_protocol::view::Protocol;

use crate::endpoint::Endpoint;
use crate::provider::ProviderConfig;

/// A provider that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Stable name, for settings and the command line.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Base URL; empty where the user gives it or none is needed.
    pub base_url: &'static str,
    /// Wire format.
    pub protocol: Protocol,
    /// Environment variables of the key, the usual one first; none: needs no key.
    pub key_variables: &'static [&'static str],
    /// Model to begin with; empty where the server's list decides.
    pub default_model: &'static str,
    /// Reasoning has to be sent back.
    pub echo_reasoning: bool,
    /// What is attached to calls has to be sent back.
    pub echo_call_extras: bool,
    /// Usage has to be asked for.
    pub include_usage: bool,
}

impl Preset {
    /// A configuration with the preset's settings, still without a key.
    pub fn config(&self) -> ProviderConfig {
        ProviderConfig {
            echo_reasoning: self.echo_reasoning,
            echo_call_extras: self.echo_call_extras,
            include_usage: self.include_usage,
            ..ProviderConfig::new(self.protocol, self.base_url)
        }
    }
}

/// The preset with this id.
pub fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The preset at this address: the one with the same scheme, host and port. A host that only begins with the same letters is
/// another one.
pub fn preset_at(base_url: &str) -> Option<&'static Preset> {
    let origin = |text: &str| Endpoint::parse(text).ok().map(|endpoint| endpoint.origin());
    let asked = origin(base_url)?;
    PRESETS.iter().find(|preset| !preset.base_url.is_empty() && origin(preset.base_url).as_ref() == Some(&asked))
}

/// The wire format of a base URL whose provider names none: that of the endpoint that was pasted with it, else that of the
/// preset at the same host, else chat completions.
pub fn protocol_for(base_url: &str) -> Protocol {
    let pasted = Endpoint::parse(base_url).ok().and_then(|endpoint| endpoint.named_protocol());
    pasted.unwrap_or_else(|| preset_at(base_url).map_or(Protocol::ChatCompletions, |preset| preset.protocol))
}

const PLAIN: Preset = Preset {
    id: "",
    name: "",
    base_url: "",
    protocol: Protocol::ChatCompletions,
    key_variables: &[],
    default_model: "",
    echo_reasoning: false,
    echo_call_extras: false,
    include_usage: true,
};

/// All presets, in the order in which they are offered.
pub const PRESETS: [Preset; 20] = [
    Preset {
        id: "openai",
        name: "OpenAI",
        base_url: "https://api.openai.com/v1",
        protocol: Protocol::Responses,
        key_variables: &["OPENAI_API_KEY"],
        default_model: "gpt-6.2-sol",
        ..PLAIN
    },
    Preset {
        id: "anthropic",
        name: "Anthropic",
        base_url: "https://api.anthropic.com",
        protocol: Protocol::AnthropicMessages,
        key_variables: &["ANTHROPIC_API_KEY"],
        default_model: "claude-sonnet-5-5",
        ..PLAIN
    },
    Preset {
        id: "deepseek",
        name: "DeepSeek",
        base_url: "https://api.deepseek.com/v1",
        key_variables: &["DEEPSEEK_API_KEY"],
        default_model: "deepseek-flash",
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "zhipu",
        name: "GLM (Zhipu, mainland China)",
        base_url: "https://open.bigmodel.cn/api/paas/v4",
        key_variables: &["ZHIPUAI_API_KEY", "ZHIPU_API_KEY"],
        default_model: "glm-5.3",
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "zai",
        name: "GLM (Z.AI, international)",
        base_url: "https://api.z.ai/api/paas/v4",
        key_variables: &["ZAI_API_KEY", "Z_AI_API_KEY"],
        default_model: "glm-5.3",
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "qwen",
        name: "Qwen (mainland China)",
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variables: &["DASHSCOPE_API_KEY"],
        default_model: "qwen3.8-max",
        ..PLAIN
    },
    Preset {
        id: "qwen-intl",
        name: "Qwen (international)",
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_variables: &["DASHSCOPE_API_KEY"],
        default_model: "qwen3.8-max",
        ..PLAIN
    },
    Preset {
        id: "moonshot",
        name: "Kimi (Moonshot, mainland China)",
        base_url: "https://api.moonshot.cn/v1",
        key_variables: &["MOONSHOT_API_KEY", "KIMI_API_KEY"],
        default_model: "kimi-k3",
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "moonshot-intl",
        name: "Kimi (Moonshot, international)",
        base_url: "https://api.moonshot.ai/v1",
        key_variables: &["MOONSHOT_API_KEY", "KIMI_API_KEY"],
        default_model: "kimi-k3",
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "openrouter",
        name: "OpenRouter",
        base_url: "https://openrouter.ai/api/v1",
        key_variables: &["OPENROUTER_API_KEY"],
        default_model: "openrouter/auto",
        ..PLAIN
    },
    Preset {
        id: "google",
        name: "Google Gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        default_model: "gemini-3.8-flash",
        echo_call_extras: true,
        ..PLAIN
    },
    Preset {
        id: "mistral",
        name: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        key_variables: &["MISTRAL_API_KEY"],
        default_model: "mistral-large-latest",
        include_usage: false,
        ..PLAIN
    },
    Preset {
        id: "groq",
        name: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        key_variables: &["GROQ_API_KEY"],
        default_model: "openai/gpt-oss-120b",
        ..PLAIN
    },
    Preset {
        id: "xai",
        name: "xAI",
        base_url: "https://api.x.ai/v1",
        key_variables: &["XAI_API_KEY"],
        default_model: "grok-4.7",
        ..PLAIN
    },
    Preset { id: "ollama", name: "Ollama", base_url: "http://127.0.0.1:11434/v1", ..PLAIN },
    Preset { id: "lm-studio", name: "LM Studio", base_url: "http://127.0.0.1:1234/v1", ..PLAIN },
    Preset { id: "llama-cpp", name: "llama.cpp", base_url: "http://127.0.0.1:8080/v1", ..PLAIN },
    Preset { id: "vllm", name: "vLLM", base_url: "http://127.0.0.1:8000/v1", ..PLAIN },
    Preset { id: "custom", name: "Custom", ..PLAIN },
    Preset {
        id: "practice",
        name: "Practice model",
        protocol: Protocol::Practice,
        default_model: crate::practice::NAME,
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_addresses_readable() {
        let mut ids: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PRESETS.len());
        for preset in PRESETS.iter().filter(|preset| !preset.base_url.is_empty()) {
            let endpoint = Endpoint::parse(preset.base_url).unwrap();
            let first = endpoint.bases()[0].to_string();
            assert!(first.starts_with(preset.base_url), "{} became {first}", preset.id);
        }
    }

    #[test]
    fn what_is_pasted_or_else_the_host_tells_the_protocol() {
        for (base_url, protocol) in [
            ("https://api.anthropic.com", Protocol::AnthropicMessages),
            ("https://api.anthropic.com/v1", Protocol::AnthropicMessages),
            ("https://api.anthropic.com/v1/messages", Protocol::AnthropicMessages),
            ("api.anthropic.com/v1/models", Protocol::AnthropicMessages),
            ("https://api.anthropic.com.example", Protocol::ChatCompletions),
            ("https://api.openai.com", Protocol::Responses),
            ("https://api.openai.com/v1/responses", Protocol::Responses),
            ("https://api.openai.com/v1/chat/completions", Protocol::ChatCompletions),
            ("https://api.deepseek.com", Protocol::ChatCompletions),
            ("https://api.deepseek.com/anthropic", Protocol::AnthropicMessages),
            ("https://llm.example/v1/messages", Protocol::AnthropicMessages),
            ("http://127.0.0.1:8000/v1/responses", Protocol::Responses),
            ("nonsense nonsense", Protocol::ChatCompletions),
        ] {
            assert_eq!(protocol_for(base_url), protocol, "{base_url}");
        }
    }

    #[test]
    fn a_preset_is_found_by_its_host_in_every_form_of_its_address() {
        let at = |base_url: &str| preset_at(base_url).map(|preset| preset.id);
        for form in ["https://api.openai.com", "api.openai.com/v1/", "https://api.openai.com/v1/responses"] {
            assert_eq!(at(form), Some("openai"), "{form}");
        }
        assert_eq!(at("https://api.z.ai/api/paas/v4/chat/completions"), Some("zai"));
        assert_eq!(at("http://api.openai.com/v1"), None);
        assert_eq!(at("https://api.openai.com.example/v1"), None);
    }

    #[test]
    fn each_host_has_one_preset() {
        let addresses = PRESETS.iter().filter(|preset| !preset.base_url.is_empty());
        for preset in addresses {
            assert_eq!(preset_at(preset.base_url).map(|found| found.id), Some(preset.id));
        }
    }
}
