// What a request that failed means for a person, by its kind: what happened and what helps. What the server said stands beside it.
import { m } from "../locales";
import type { FailureKind } from "../protocol";

const WORDS: Record<FailureKind, () => string> = {
  connect: m.chat_failed_connect,
  "first-byte-timeout": m.chat_failed_first_byte,
  "idle-timeout": m.chat_failed_idle,
  disconnected: m.chat_failed_disconnected,
  unauthorized: m.chat_failed_unauthorized,
  forbidden: m.chat_failed_forbidden,
  "not-found": m.chat_failed_not_found,
  "rate-limited": m.chat_failed_rate_limited,
  server: m.chat_failed_server,
  "context-too-long": m.chat_failed_too_long,
  "no-tools": m.chat_failed_no_tools,
  "null-content": m.chat_failed_bad_request,
  "wants-reasoning": m.chat_failed_bad_request,
  "refuses-reasoning": m.chat_failed_bad_request,
  "no-encrypted-reasoning": m.chat_failed_bad_request,
  "bad-request": m.chat_failed_bad_request,
  "not-a-stream": m.chat_failed_not_a_stream,
  "in-stream": m.chat_failed_in_stream,
  stopped: m.chat_end_stopped,
};

/** Failures that a provider's settings can end. */
const SETTINGS: ReadonlySet<FailureKind> = new Set(["connect", "unauthorized", "forbidden", "not-found", "not-a-stream"]);

/** Failures after which another model may take over, as what became of the one before. */
const SWITCHED: Partial<Record<FailureKind, () => string>> = {
  connect: m.chat_switched_connect,
  "first-byte-timeout": m.chat_switched_first_byte,
  unauthorized: m.chat_switched_unauthorized,
  forbidden: m.chat_switched_forbidden,
  "not-found": m.chat_switched_not_found,
  "rate-limited": m.chat_switched_rate_limited,
};

export function shortFailure(kind: FailureKind): string {
  return (SWITCHED[kind] ?? m.chat_switched_server)();
}

export function failureWords(kind: FailureKind): string {
  return WORDS[kind]();
}

export function needsSettings(kind: FailureKind | null): boolean {
  return kind !== null && SETTINGS.has(kind);
}
