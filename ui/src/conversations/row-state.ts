// What a conversation's row shows at a glance: one state, in a colour and in words. What waits for a person comes first.
import { m } from "../locales";
import type { ConversationRow } from "../protocol";

export type Glance = { tone: "none" | "running" | "amber" | "red" | "blue"; words: string };

export function glance(row: ConversationRow): Glance {
  if (row.pending > 0) return { tone: "amber", words: m.sidebar_waiting({ count: row.pending }) };
  if (row.generating) return { tone: "running", words: m.sidebar_running() };
  if (row.ended === "error" || row.ended === "interrupted") return { tone: "red", words: m.sidebar_failed() };
  return row.unread ? { tone: "blue", words: m.sidebar_unread() } : { tone: "none", words: "" };
}
