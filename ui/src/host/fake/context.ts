// What fills the window of an invented conversation: counted in letters, as the real one is, with invented sizes of what is fixed.
import type { ContextKind, ContextReport, Event } from "../../protocol";
import type { FakeConversation } from "./conversation";

const WINDOW = 200_000;
const BUDGET = 163_000;

export function contextOf(conversation: FakeConversation): ContextReport {
  const { events } = conversation.log;
  const end = events.findLast((event) => event.kind === "compaction/end");
  const start = events.findLast((event) => event.kind === "compaction/start" && event.compaction === end?.compaction);
  const until = start?.kind === "compaction/start" ? start.until : 0;
  const shown = events.filter(({ seq }) => seq >= until);
  const tokens = (text: (event: Event) => string): number => Math.round(shown.reduce((sum, event) => sum + text(event).length, 0) * 0.28);
  const sizes: [ContextKind, number][] = [
    ["prompt", 1_240],
    ["tools", 3_110],
    ["summary", end?.kind === "compaction/end" ? Math.round(end.summary.length * 0.28) : 0],
    ["user", tokens((event) => (event.kind === "user/message" ? event.text : ""))],
    ["assistant", tokens((event) => (event.kind === "assistant/message" ? event.text : ""))],
    ["results", tokens((event) => (event.kind === "tool/result" ? event.shown : ""))],
  ];
  const parts = sizes.filter(([, size]) => size > 0).map(([part, size]) => ({ part, tokens: size })).sort((one, other) => other.tokens - one.tokens);
  const effects = shown.flatMap((event) => (event.kind === "tool/result" ? (event.effects ?? []) : []));
  const spoken = events.filter(({ kind }) => kind === "user/message" || kind === "assistant/message").length;
  return {
    window: WINDOW,
    budget: BUDGET,
    used: parts.reduce((sum, part) => sum + part.tokens, 0),
    compacts_at: Math.round(BUDGET * 0.8),
    parts,
    left_out: 0,
    pruned: 0,
    no_compaction: conversation.turn ? "running" : spoken < 6 ? "nothing" : null,
    files: effects.map(({ path, added, removed }) => ({ path, added, removed })),
  };
}
