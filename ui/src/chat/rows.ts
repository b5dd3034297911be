// What stands in the list, one row after the other, made of a conversation's items: neighbouring calls share a row, a card has its own.
// It shows nothing.
import type { Item, Message, Summary, ToolCall, UserMessage } from "../state";

export type Row =
  | { is: "earlier"; key: string }
  | { is: "user"; key: string; item: Extract<Item, { is: "user" }> }
  /** `asked` is the person's message that it answers, as far as that is loaded. */
  | { is: "answer"; key: string; message: Message; isExplained: boolean; asked: UserMessage | null }
  | { is: "calls"; key: string; calls: ToolCall[] }
  | { is: "card"; key: string; call: ToolCall }
  | { is: "discarded"; key: string; item: Extract<Item, { is: "discarded" }>; isLast: boolean }
  | { is: "tools-off"; key: string }
  | { is: "fork"; key: string; item: Extract<Item, { is: "fork" }> }
  | { is: "switched"; key: string; item: Extract<Item, { is: "switched" }> }
  | { is: "summary"; key: string; summary: Summary; folds: boolean }
  | { is: "window"; key: string; item: Extract<Item, { is: "window" }> }
  | { is: "end"; key: string; item: Extract<Item, { is: "end" }>; isLast: boolean }
  | { is: "phase"; key: string };

/** What of a conversation says where its summaries stand. */
export type Opening = { openedAt: number; earlier: boolean; firstSeq: number };

/**
 * The items with each summary that was there when the conversation was opened before the first message that it doesn't stand for, as far
 * as that is loaded. One that is made while somebody looks on stays where it was made, so that nothing moves under their eyes.
 */
export function placed(items: readonly Item[], opening: Opening): readonly Item[] {
  const moved = items.filter((item) => wasThere(item, opening));
  if (moved.length === 0) return items;
  const list = items.filter((item) => !moved.includes(item));
  for (const item of moved) {
    if (item.is !== "summary") continue;
    const at = list.findIndex((other) => itemSeq(other) >= item.summary.until);
    list.splice(at < 0 ? list.length : at, 0, item);
  }
  return list;
}

/** Where the last summary stands that was there when the conversation was opened: what is further up is folded behind it. -1: none. */
export function foldAt(items: readonly Item[], opening: Opening): number {
  return items.findLastIndex((item) => wasThere(item, opening));
}

function wasThere(item: Item, { openedAt, earlier, firstSeq }: Opening): boolean {
  if (item.is !== "summary" || item.summary.made === null || item.summary.seq > openedAt) return false;
  return !earlier || firstSeq <= item.summary.until;
}

/** Seq of the message that an item is; below every other: it is none, or isn't recorded yet. */
function itemSeq(item: Item): number {
  return item.is === "user" || item.is === "answer" ? item.message.seq : 0;
}

/** `fold`: the place of the summary behind which all before it is folded; -1: nothing is. */
export function rowsOf(items: readonly Item[], { earlier, busy: generating }: { earlier: boolean; busy: boolean }, fold = -1): Row[] {
  const rows: Row[] = earlier && fold < 0 ? [{ is: "earlier", key: "earlier" }] : [];
  let asked: UserMessage | null = null;
  for (const [index, item] of items.entries()) {
    if (index < fold) continue;
    const isLast = index === items.length - 1 && !generating;
    const before = rows.at(-1);
    switch (item.is) {
      case "user":
        if (item.message.delivery !== "inject") asked = item.message;
        rows.push({ is: "user", key: item.key, item });
        break;
      case "answer":
        // An answer that only calls tools, or hasn't begun, has nothing to read.
        if (item.message.hasText || item.message.hasReasoning) rows.push({ is: "answer", key: item.key, message: item.message, isExplained: false, asked });
        break;
      case "call":
        if (item.call.state === "pending" || item.call.state === "asked") rows.push({ is: "card", key: `card ${item.key}`, call: item.call });
        else if (before?.is === "calls") before.calls.push(item.call);
        else rows.push({ is: "calls", key: `calls ${item.key}`, calls: [item.call] });
        break;
      case "discarded":
        rows.push({ is: "discarded", key: item.key, item, isLast: isLast || (index === items.length - 2 && items[index + 1]?.is === "end" && !generating) });
        break;
      case "tools-off":
        rows.push({ is: "tools-off", key: item.key });
        break;
      case "fork":
        rows.push({ is: "fork", key: item.key, item });
        break;
      case "switched":
        rows.push({ is: "switched", key: item.key, item });
        break;
      case "summary":
        rows.push({ is: "summary", key: item.key, summary: item.summary, folds: index === fold });
        break;
      case "window":
        rows.push({ is: "window", key: item.key, item });
        break;
      case "end":
        if (before?.is === "answer") before.isExplained = item.reason === "stopped";
        // What broke off says so itself, with the same buttons.
        if (!(item.reason === "error" && before?.is === "discarded")) rows.push({ is: "end", key: item.key, item, isLast });
    }
  }
  if (generating) rows.push({ is: "phase", key: "phase" });
  return rows;
}

/** Seq of the message that a row shows; none: it shows something else, or a message that isn't recorded yet. */
export function seqOf(row: Row): number | null {
  if (row.is === "user") return row.item.message.seq;
  return row.is === "answer" && row.message.seq > 0 ? row.message.seq : null;
}
