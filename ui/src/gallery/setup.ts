// Invented providers and models.
import type { ModelChoice, OfferedModel, Preset, Provider } from "../protocol";

const choice = (label: string, base_url: string, over: Partial<ModelChoice> = {}): ModelChoice => ({ provider: null, label, base_url, protocol: "chat-completions", model: label, window: 128_000, coefficient: 0.35, tools: true, echo_reasoning: false, empty_text: false, found: false, output_limit: null, images: false, documents: false, price: null, ...over });

export const provider: Provider = { id: "p1", name: "Example", base_url: "https://api.example.com/v1", protocol: "chat-completions", models: ["large-3"], key_variable: "EXAMPLE_API_KEY", window: null, echo_reasoning: false };

export const presets: Preset[] = [
  { name: "Example", base_url: "https://api.example.com/v1", protocol: "chat-completions", key_variable: "EXAMPLE_API_KEY", model: "large-3" },
  { name: "Local server", base_url: "http://127.0.0.1:11434/v1", protocol: "chat-completions", key_variable: null, model: null },
];

export const offered: OfferedModel[] = [
  { choice: choice("qwen3-coder:30b", "http://127.0.0.1:11434/v1"), found: "Local server" },
  { choice: choice("large-3", "https://api.example.com/v1"), found: "Example" },
  { choice: choice("large-3", "https://api.example.com/v1", { provider: "p1" }), found: "Example" },
  { choice: choice("Practice model", "", { protocol: "practice", model: "practice" }), found: "practice" },
];
