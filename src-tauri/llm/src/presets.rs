//! Table. Providers that are known by name: where they are, how they are spoken to, and what their models hold.
//! Nothing here is asked for or checked over a network; a server's own word and the user's stand above it.

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
    /// Environment variable of the key; `None`: needs no key.
    pub key_variable: Option<&'static str>,
    /// Model to begin with; empty where the server's list decides.
    pub default_model: &'static str,
    /// Context windows in tokens, by the beginning of the model's name; the longest that fits counts.
    /// Source: the providers' model pages.
    pub windows: &'static [(&'static str, u64)],
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

    /// The window of a model in tokens, where it is known.
    pub fn window(&self, model: &str) -> Option<u64> {
        let fitting = self.windows.iter().filter(|(start, _)| model.starts_with(start));
        fitting.max_by_key(|(start, _)| start.len()).map(|(_, tokens)| *tokens)
    }
}

/// The preset with this id.
pub fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The wire format of a base URL whose provider names none: that of the preset at the same host, else chat completions.
pub fn protocol_for(base_url: &str) -> Protocol {
    let origin = |text: &str| Endpoint::parse(text).ok().map(|endpoint| endpoint.origin());
    let asked = origin(base_url);
    let known = PRESETS.iter().find(|preset| asked.is_some() && origin(preset.base_url) == asked);
    known.map_or(Protocol::ChatCompletions, |preset| preset.protocol)
}

const PLAIN: Preset = Preset {
    id: "",
    name: "",
    base_url: "",
    protocol: Protocol::ChatCompletions,
    key_variable: None,
    default_model: "",
    windows: &[],
    echo_reasoning: false,
    echo_call_extras: false,
    include_usage: true,
};

/// All presets, in the order in which they are offered.
pub const PRESETS: [Preset; 17] = [
    Preset {
        id: "openai",
        name: "OpenAI",
        base_url: "https://api.openai.com/v1",
        key_variable: Some("OPENAI_API_KEY"),
        default_model: "gpt-5",
        windows: &[("gpt-5", 400_000), ("gpt-4.1", 1_047_576), ("gpt-4o", 128_000), ("o3", 200_000), ("o4", 200_000)],
        ..PLAIN
    },
    Preset {
        id: "anthropic",
        name: "Anthropic",
        base_url: "https://api.anthropic.com",
        protocol: Protocol::AnthropicMessages,
        key_variable: Some("ANTHROPIC_API_KEY"),
        default_model: "claude-sonnet-4-5",
        windows: &[("claude", 200_000)],
        ..PLAIN
    },
    Preset {
        id: "deepseek",
        name: "DeepSeek",
        base_url: "https://api.deepseek.com/v1",
        key_variable: Some("DEEPSEEK_API_KEY"),
        default_model: "deepseek-chat",
        windows: &[("deepseek", 128_000)],
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "zhipu",
        name: "GLM (Zhipu)",
        base_url: "https://open.bigmodel.cn/api/paas/v4",
        key_variable: Some("ZHIPUAI_API_KEY"),
        default_model: "glm-4.6",
        windows: &[("glm-4.6", 200_000), ("glm-4.5", 128_000), ("glm-4", 128_000)],
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "qwen",
        name: "Qwen",
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variable: Some("DASHSCOPE_API_KEY"),
        default_model: "qwen3-max",
        windows: &[("qwen3-max", 262_144), ("qwen3", 131_072), ("qwen-plus", 1_000_000)],
        ..PLAIN
    },
    Preset {
        id: "moonshot",
        name: "Kimi (Moonshot)",
        base_url: "https://api.moonshot.cn/v1",
        key_variable: Some("MOONSHOT_API_KEY"),
        default_model: "kimi-k2-thinking",
        windows: &[("kimi-k2", 262_144), ("moonshot-v1-128k", 131_072), ("moonshot-v1-32k", 32_768)],
        echo_reasoning: true,
        ..PLAIN
    },
    Preset {
        id: "openrouter",
        name: "OpenRouter",
        base_url: "https://openrouter.ai/api/v1",
        key_variable: Some("OPENROUTER_API_KEY"),
        default_model: "openrouter/auto",
        ..PLAIN
    },
    Preset {
        id: "google",
        name: "Google Gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        key_variable: Some("GEMINI_API_KEY"),
        default_model: "gemini-2.5-flash",
        windows: &[("gemini", 1_048_576)],
        echo_call_extras: true,
        ..PLAIN
    },
    Preset {
        id: "mistral",
        name: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        key_variable: Some("MISTRAL_API_KEY"),
        default_model: "mistral-large-latest",
        windows: &[("mistral", 131_072), ("codestral", 262_144), ("magistral", 131_072)],
        include_usage: false,
        ..PLAIN
    },
    Preset {
        id: "groq",
        name: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        key_variable: Some("GROQ_API_KEY"),
        default_model: "openai/gpt-oss-120b",
        windows: &[("openai/gpt-oss", 131_072), ("llama-3", 131_072)],
        ..PLAIN
    },
    Preset {
        id: "xai",
        name: "xAI",
        base_url: "https://api.x.ai/v1",
        key_variable: Some("XAI_API_KEY"),
        default_model: "grok-4",
        windows: &[("grok-4", 256_000), ("grok-4-fast", 2_000_000), ("grok-3", 131_072)],
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
    fn a_host_tells_the_protocol() {
        assert_eq!(protocol_for("https://api.anthropic.com/v1/messages"), Protocol::AnthropicMessages);
        assert_eq!(protocol_for("https://api.anthropic.com.example"), Protocol::ChatCompletions);
        assert_eq!(protocol_for("https://api.deepseek.com"), Protocol::ChatCompletions);
        assert_eq!(protocol_for("nonsense nonsense"), Protocol::ChatCompletions);
    }

    #[test]
    fn the_longest_fitting_name_gives_the_window() {
        let xai = preset("xai").unwrap();
        assert_eq!(xai.window("grok-4-fast-reasoning"), Some(2_000_000));
        assert_eq!(xai.window("grok-4-0709"), Some(256_000));
        assert_eq!(xai.window("other"), None);
    }
}
