import { expect, test } from "vitest";
import type { ProposedCall } from "../protocol";
import { Message, ToolCall, type Item } from "../state";
import { shownMention, spans, typedMention } from "./mentions";
import { fitting, ofFile, ofSymbol, put, typedAt, typedFor } from "./offers";
import { foldAt, placed, rowsOf } from "./rows";

const user = (key: string, seq = 1): Item => ({ is: "user", key, message: { id: key, seq, text: key, at: 0, delivery: "next-turn", attachments: [], skills: [] } });
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
  expect(put("Fix @re now", 7, { word: "re" }, ofFile("src/retry.rs").insert)).toEqual({ text: "Fix @src/retry.rs now", caret: 18 });
  expect(put("@七", 2, { word: "七" }, ofFile("访谈/七月 整理.md").insert)).toEqual({ text: '@"访谈/七月 整理.md" ', caret: 15 });
});

test("a slash is typed at the beginning and behind punctuation, never in a word or a path", () => {
  expect(typedAt("/re", 3)).toEqual({ after: "/", word: "re", first: true });
  expect(typedAt("请看，/评审", 6)).toEqual({ after: "/", word: "评审", first: false });
  expect(typedAt("（/", 2)).toEqual({ after: "/", word: "", first: false });
  for (const text of ["和/或", "a/b", "/usr/bin", "./x", "https:/", "//"]) expect(typedAt(text, text.length), text).toBeNull();
  expect(typedAt("/rest", 3), "in the middle of the name").toBeNull();
  expect(typedFor("/mode pl", 8)).toEqual({ command: "mode", word: "pl" });
  expect(typedFor("/mode plan now", 14)).toBeNull();
  expect(fitting(["amode", "mode", "model"], "mod", (name) => name)).toEqual(["mode", "model", "amode"]);
});

test("a symbol is mentioned with its place and shown by its name", () => {
  const { insert } = ofSymbol({ name: "Retry::run", kind: "fn", path: "src/重 试.rs", line: 4 });
  expect(insert).toBe('"src/重 试.rs:4 Retry::run"');
  expect(spans(`看@${insert}。`)[1]).toEqual({ text: `@${insert}`, mention: true });
  expect(shownMention(`@${insert}`)).toEqual({ name: "Retry::run", place: "src/重 试.rs:4" });
  expect(shownMention("@src/a.rs")).toEqual({ name: "@src/a.rs", place: "" });
});

const summary = (key: string, seq: number, { until = seq, isMade = true } = {}): Item => ({ is: "summary", key, summary: { id: key, seq, until, cause: "long", messages: 2, before: 9, parts: 1, made: isMade ? { text: "t", kept: null, after: 1 } : null, failed: null } });
const opened = (openedAt: number, firstSeq = 1) => ({ openedAt, firstSeq, earlier: firstSeq > 1 });

test("what was summarised before the conversation was opened is folded, what is summarised later stays in sight", () => {
  const items = [user("a"), summary("k", 5), user("b"), summary("l", 9), user("c")];
  expect(foldAt(items, opened(20))).toBe(3);
  expect(foldAt(items, opened(6))).toBe(1);
  expect(foldAt(items, opened(4))).toBe(-1);
  expect(foldAt([user("a"), summary("k", 5, { isMade: false })], opened(20))).toBe(-1);
  const rows = rowsOf(items, { earlier: true, busy: false }, 3).map(({ key }) => key);
  expect(rows).toEqual(["l", "c"]);
  expect(rowsOf(items, { earlier: true, busy: false }, -1).map(({ is }) => is)).toEqual(["earlier", "user", "summary", "user", "summary", "user"]);
});

test("a summary stands before the first message that the model still sees, and folds only what is further up", () => {
  const items = [user("a", 2), end("stopped"), user("b", 4), call("b1"), summary("k", 7, { until: 4 }), user("c", 9), user("d", 12), summary("l", 15, { until: 12 }), user("e", 18)];
  const keys = (opening: ReturnType<typeof opened>): string[] => {
    const list = placed(items, opening);
    return rowsOf(list, { earlier: opening.earlier, busy: false }, foldAt(list, opening)).map(({ key }) => key);
  };
  expect(placed(items, opened(20)).map(({ key }) => key)).toEqual(["a", "end stopped", "k", "b", "b1", "c", "l", "d", "e"]);
  expect(keys(opened(20))).toEqual(["l", "d", "e"]);
  expect(keys(opened(8)), "the second was made while somebody looked on").toEqual(["k", "b", "calls b1", "c", "d", "l", "e"]);
  expect(keys(opened(3))).toEqual(["a", "end stopped", "b", "calls b1", "k", "c", "d", "l", "e"]);
  expect(placed(items, opened(3)), "nothing is copied where nothing moves").toBe(items);
  expect(keys(opened(20, 13)), "what the model still sees goes further up than what is loaded").toContain("earlier");
  expect(foldAt(placed([summary("k", 7, { until: 4 })], opened(20)), opened(20))).toBe(0);
});
