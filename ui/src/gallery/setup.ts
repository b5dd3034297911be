// Invented providers and models.
import type { KnownModel, ModelChoice, OfferedModel, Preset, Provider, TestStep } from "../protocol";

export const choice = (label: string, base_url: string, over: Partial<ModelChoice> = {}): ModelChoice => ({ provider: null, label, base_url, protocol: "chat-completions", model: label, window: 128_000, coefficient: 0.35, tools: true, echo_reasoning: false, empty_text: false, without_encrypted: false, found: false, output_limit: null, images: false, documents: false, price: null, ...over });

export const provider: Provider = { id: "p1", name: "Example", base_url: "https://api.example.com/v1", protocol: "chat-completions", models: ["large-3"], key_variable: "EXAMPLE_API_KEY", window: null, echo_reasoning: false, first_byte_s: null, idle_s: null, words: {} };

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

/** What is known of a model: two figures from the data file, or nothing but the usual window. */
export function known(id: string, over: Partial<KnownModel> = {}): KnownModel {
  return { id, window: { value: 128_000, origin: "usual" }, output_limit: null, images: null, documents: null, tools: null, reasoning: null, price: null, data: null, ...over };
}

export const large = known("large-3", {
  window: { value: 1_000_000, origin: "data" },
  images: { value: true, origin: "data" },
  price: { value: { input: 2, output: 10, cache_read: 0.1, cache_write: null, up_to: 272_000, ceiling: false }, origin: "data" },
  data: { page: "https://example.com/models", date: "2026-11-30" },
});
export const tiny = known("tiny-1", { window: { value: 4096, origin: "server" } });
export const describe = ({ models }: { models: string[] }): KnownModel[] => models.map((id) => (id === large.id ? large : id === tiny.id ? tiny : known(id)));

export const steps: TestStep[] = [
  { step: "listed", address: "https://api.example.com/v1/models", trouble: null },
  { step: "asked", address: "https://api.example.com/v1/chat/completions", trouble: { kind: "unauthorized", status: 401, message: "the key was not accepted" } },
];
