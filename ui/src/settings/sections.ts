// The sections of the settings, for whoever opens one of them.
import { m } from "../locales";

export type Section = "providers" | "model" | "long" | "concurrency" | "memory" | "trusted" | "appearance" | "language";

/** In their order. */
export function sections(): ReadonlyArray<{ value: Section; label: string }> {
  return [
    { value: "providers", label: m.settings_providers() },
    { value: "model", label: m.settings_model() },
    { value: "long", label: m.settings_summaries() },
    { value: "concurrency", label: m.settings_concurrency() },
    { value: "memory", label: m.settings_memory() },
    { value: "trusted", label: m.settings_trusted() },
    { value: "appearance", label: m.settings_appearance() },
    { value: "language", label: m.settings_language() },
  ];
}
