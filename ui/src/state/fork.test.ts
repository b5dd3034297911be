import { expect, test } from "vitest";
import type { Card, ConversationRow, Event, Opened } from "../protocol";
import { Conversation } from "./conversation.svelte";

type Payload<E = Event> = E extends Event ? Omit<E, "conversation" | "seq" | "at"> : never;

const row: ConversationRow = { id: "b", project: null, workspace: "/w", fork: { conversation: "a", seq: 7 }, parent: null, title: "b", mode: "ask", model: null, fallbacks: [], generating: false, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: 9, created_at: 0, updated_at: 0 };
const card: Card = { digest: "d", tier: "medium", reason: { what: "look", target: "x" }, preview: { form: "read", path: "x", bytes: 1 }, touches: [], reach: { files: 0, added: 0, removed: 0, tracked: null, inside: true, revertible: false, raised: null, last: null, warnings: [] }, breadths: [] };

/** What a fork's log is read as: a turn with a call that was done, one whose card waits and one message that was queued. */
const log: Event[] = (
  [
    { kind: "user/message", message: "m1", text: "hello", delivery: "next-turn" },
    { kind: "turn/start", cause: "message" },
    { kind: "assistant/message", message: "m2", request: "r1", text: "two calls", reasoning: "", calls: [{ call: "c1", provider_id: null, name: "read_file", arguments: "{}" }, { call: "c2", provider_id: null, name: "write_file", arguments: "{}" }], finish: "tool-calls", partial: false },
    { kind: "tool/result", call: "c1", outcome: "ok", shown: "read", brief: { says: "done" }, duration_ms: 1, effects: [{ path: "x", before: null, after: null, moved_to: null, added: 1, removed: 0 }] },
    { kind: "approval/requested", call: "c2", card },
    { kind: "queue/edited", item: "i", edit: { edit: "added", text: "later", delivery: "next-turn" } },
    { kind: "iteration/end", in_turn: 1 },
    { kind: "conversation/created", project: null, workspace: "/w", fork: { conversation: "a", seq: 7 } },
    { kind: "title/set", title: "b", by: "tool" },
  ] satisfies Payload[]
).map((payload, index) => ({ conversation: "b", seq: index + 1, at: index, ...payload }) as Event);

function shown(events: Event[], older: Event[]): Conversation {
  const conversation = new Conversation(row);
  const opened: Opened = { row, seq: 9, events, earlier: older.length > 0, live: [], todo: [], draft: "", attached: [], usage: { requests: 0, uncounted: 0, unpriced: 0, usage: { input: null, output: null, cache_read: null, cache_write: null, reasoning: null }, cost_micros: null } };
  conversation.restart(opened);
  if (older.length > 0) conversation.prepend(older, false);
  return conversation;
}

test("what was open where a fork begins is closed in it, however much of it is loaded at first", () => {
  for (const cut of [0, 3, 4, 5, 7]) {
    const conversation = shown(log.slice(cut), log.slice(0, cut));
    expect(conversation.items.map(({ is }) => is), `cut at ${cut}`).toEqual(["user", "answer", "call", "call", "fork"]);
    expect(conversation.generating).toBe(false);
    expect(conversation.queue).toEqual([]);
    expect(conversation.pending).toEqual([]);
    const [read, write] = [...conversation.calls.values()];
    expect([read?.result?.outcome, read?.inherited]).toEqual(["ok", true]);
    expect([write?.state, write?.result?.outcome, write?.card]).toEqual(["done", "stopped", null]);
  }
});
