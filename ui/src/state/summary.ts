// A summary of what stands further up, folded from its events: on its way, there, or not made.
import type { CompactionCause, CompactionFailure, CompactionId, Event } from "../protocol";

export type Summary = {
  id: CompactionId;
  seq: number;
  cause: CompactionCause;
  /** First seq whose group isn't part of it: what stands from there on the model still sees in its own words. */
  until: number;
  messages: number;
  before: number;
  /** Pieces that were read so far. */
  parts: number;
  made: { text: string; kept: string | null; after: number } | null;
  failed: { cause: CompactionFailure; message: string } | null;
};

export type SummaryEvent = Extract<Event, { kind: "compaction/part" | "compaction/end" | "compaction/failed" }>;

export function begun(event: Extract<Event, { kind: "compaction/start" }>): Summary {
  return { id: event.compaction, seq: event.seq, cause: event.cause, until: event.until, messages: event.messages, before: event.tokens_before, parts: 0, made: null, failed: null };
}

export function after(summary: Summary, event: SummaryEvent): Summary {
  if (event.kind === "compaction/part") return { ...summary, parts: summary.parts + 1 };
  if (event.kind === "compaction/failed") return { ...summary, failed: { cause: event.cause, message: event.message } };
  return { ...summary, made: { text: event.summary, kept: event.kept ?? null, after: event.tokens_after } };
}
