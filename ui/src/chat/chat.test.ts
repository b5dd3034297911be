import { expect, test } from "vitest";
import type { ProposedCall } from "../protocol";
import { Message, ToolCall, type Item } from "../state";
import { complete, spans, typedMention } from "./mentions";
import { foldAt, rowsOf } from "./rows";

const user = (key: string): Item => ({ is: "user", key, message: { id: key, seq: 1, text: key, at: 0, delivery: "next-turn", attachments: [] } });
const call = (key: string, state: ToolCall["state"] = "done"): Item => {
  const made = new ToolCall("a", { call: key, provider_id: null, name: "read_file", arguments: "{}" } satisfies ProposedCall);
  made.state = state;
  return { is: "call", key, call: made };
};
const answer = (key: string, text: string): Item => {
  const message = new Message(key);
  message.finished({ message: key, request: key, text, reasoning: "", calls: [], finish: "stop", partial: false }, { at: 0, seq: 1 });
  return { is: "answer", key, message };
};
const end = (reason: Extract<Item, { is: "end" }>["reason"]): Item => ({ is: "end", key: `end ${reason}`, reason, failure: null, message: null, money: null, at: 0 });
const discarded = (key: string): Item => ({ is: "discarded", key, message: new Message(key), failure: "disconnected", why: "closed" });
const drawn = (items: Item[], generating = false): string => rowsOf(items, { earlier: false, busy: generating }).map((row) => (row.is === "calls" ? `calls(${row.calls.map(({ call: id }) => id).join(" ")})` : "isLast" in row && row.isLast ? `${row.is}!` : row.is)).join(" ");

test("neighbouring calls share a row, across answers that say nothing; a pending one stands alone", () => {
  expect(drawn([user("u"), call("1"), answer("r", ""), call("2"), answer("s", "words"), call("3")])).toBe("user calls(1 2) answer calls(3)");
  expect(drawn([call("1"), call("2", "pending"), call("3", "approved")], true)).toBe("calls(1) card calls(3) phase");
});

test("only the very end of a conversation at rest offers to go on, and what broke off says so once", () => {
  expect(drawn([end("stopped"), user("u"), end("max-iterations")])).toBe("end user end!");
  expect(drawn([end("stopped")], true)).toBe("end phase");
  expect(drawn([discarded("r"), end("error")])).toBe("discarded!");
  expect(drawn([discarded("r"), end("error"), user("u")])).toBe("discarded user");
  expect(drawn([discarded("r"), end("stopped")])).toBe("discarded! end!");
});

test("that an answer was cut off by a stop is said once", () => {
  const told = (items: Item[]): boolean[] => rowsOf(items, { earlier: false, busy: false }).flatMap((row) => (row.is === "answer" ? [row.isExplained] : []));
  expect(told([answer("r", "words"), end("stopped")])).toEqual([true]);
  expect(told([answer("r", "words"), end("max-tokens"), answer("s", "more")])).toEqual([false, false]);
});

test("mentions are found behind spaces and behind Chinese punctuation, and end where a path does", () => {
  const found = (text: string): string[] => spans(text).filter(({ mention }) => mention).map(({ text: path }) => path);
  expect(found("Fix @src/retry.rs, then @README.md.")).toEqual(["@src/retry.rs", "@README.md"]);
  expect(found("请看，@访谈/六月.md。再看@a.rs")).toEqual(["@访谈/六月.md", "@a.rs"]);
  expect(found('see @"my notes/a b.md" and sam@example.com')).toEqual(['@"my notes/a b.md"']);
  expect(spans("Fix @a, and").map(({ text }) => text).join("")).toBe("Fix @a, and");
});

test("the mention being typed is the one at the caret; completing it keeps what follows", () => {
  expect(typedMention("看@src/re", 8)).toBe("src/re");
  expect(typedMention("a @src then", 11)).toBeNull();
  expect(typedMention("mail sam@exa", 12)).toBeNull();
  expect(typedMention("@", 1)).toBe("");
  expect(complete("Fix @re now", 7, "src/retry.rs")).toEqual({ text: "Fix @src/retry.rs now", caret: 18 });
  expect(complete("@七", 2, "访谈/七月 整理.md")).toEqual({ text: '@"访谈/七月 整理.md" ', caret: 15 });
});

test("what was summarised before the conversation was opened is folded, what is summarised later stays in sight", () => {
  const summary = (key: string, seq: number, isMade = true): Item => ({ is: "summary", key, summary: { id: key, seq, cause: "long", messages: 2, before: 9, parts: 1, made: isMade ? { text: "t", kept: null, after: 1 } : null, failed: null } });
  const items = [user("a"), summary("k", 5), user("b"), summary("l", 9), user("c")];
  expect(foldAt(items, 20)).toBe(3);
  expect(foldAt(items, 6)).toBe(1);
  expect(foldAt(items, 4)).toBe(-1);
  expect(foldAt([user("a"), summary("k", 5, false)], 20)).toBe(-1);
  const rows = rowsOf(items, { earlier: true, busy: false }, 3).map(({ key }) => key);
  expect(rows).toEqual(["l", "c"]);
  expect(rowsOf(items, { earlier: true, busy: false }, -1).map(({ is }) => is)).toEqual(["earlier", "user", "summary", "user", "summary", "user"]);
});
