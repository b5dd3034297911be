// The events that happen to a call. What they do to it is the call's own.
import type { Event } from "../protocol";

export type CallEvent = Extract<Event, { kind: "tool/call" | "approval/requested" | "approval/decided" | "tool/started" | "tool/result" | "tool/resolved" | "effect/reverted" | "agent/started" | "agent/ended" | "question/asked" | "question/answered" }>;

const KINDS: ReadonlySet<Event["kind"]> = new Set<CallEvent["kind"]>(["tool/call", "approval/requested", "approval/decided", "tool/started", "tool/result", "tool/resolved", "effect/reverted", "question/asked", "question/answered", "agent/started", "agent/ended"]);

export function isOfCall(event: Event): event is CallEvent {
  return KINDS.has(event.kind);
}
