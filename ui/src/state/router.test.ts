import { beforeEach, expect, test } from "vitest";
import type { Host, Method, Params, Result } from "../host";
import type { ConversationRow, Event, Opened, Signal, ModelChoice } from "../protocol";
import { NOTHING } from "./spending.svelte";
import { App, type Conversation } from ".";
import { merge, split } from "./pieces";
import { utf8Length } from "./text";

/** Answers when the test says so, and tells what was asked. */
class SlowHost implements Host {
  readonly platform = "browser";
  readonly asked: { method: Method; params: unknown; answer: (result: unknown) => void; fail: (error: unknown) => void }[] = [];
  emit: (signals: Signal[]) => void = () => undefined;

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    // Nobody asks anything here.
    if (method === "questions") return Promise.resolve([] as unknown as Result<M>);
    return new Promise((resolve, reject) => this.asked.push({ method, params, answer: (result) => resolve(structuredClone(result) as Result<M>), fail: reject }));
  }
  subscribe(fn: (signals: Signal[]) => void): () => void {
    this.emit = fn;
    return () => undefined;
  }
  pickFolder = (): Promise<null> => Promise.resolve(null);
  saveExport = (): Promise<boolean> => Promise.resolve(false);
  importFile = (): Promise<null> => Promise.resolve(null);
  openExternal = (): Promise<void> => Promise.resolve();
  copy = (): Promise<void> => Promise.resolve();
  setTitle = (): void => undefined;
  onCloseRequested = (): (() => void) => () => undefined;
  keepRunning = (): Promise<void> => Promise.resolve();
  onShowConversation = (): (() => void) => () => undefined;
  onLaunchFolder = (): (() => void) => () => undefined;

  /** The latest request of that name that is still open. */
  async next(method: Method): Promise<(typeof this.asked)[number]> {
    await Promise.resolve();
    const index = this.asked.findLastIndex((each) => each.method === method);
    const [found] = this.asked.splice(index, 1);
    if (index < 0 || !found) throw new Error(`nobody asked for ${method}`);
    return found;
  }
}

const row = (id: string, seq: number, changes: Partial<ConversationRow> = {}): ConversationRow => ({ id, project: null, workspace: null, fork: null, parent: null, title: id, mode: "ask", model: null, fallbacks: [], generating: true, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq, created_at: 0, updated_at: 0, ...changes });

type Body<E = Event> = E extends Event ? Omit<E, "conversation" | "seq" | "at"> : never;
const event = (conversation: string, seq: number, body: Body): Event => ({ conversation, seq, at: seq, ...body }) as Event;
const recorded = (conversation: string, seq: number, body: Body): Signal => ({ signal: "recorded", event: event(conversation, seq, body) });
const text = (conversation: string, offset: number, piece: string, request = "r1"): Signal => ({ signal: "delta", conversation, delta: { of: "text", request, part: "text", offset, text: piece } });
const opened = (id: string, seq: number, events: Event[], said = "", request = "r1"): Opened => ({ row: row(id, seq), seq, events, earlier: false, live: said ? [{ of: "text", request, part: "text", offset: 0, text: said }] : [], draft: "", attached: [], usage: NOTHING, todo: [] });
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

let host: SlowHost;
let app: App;

beforeEach(async () => {
  host = new SlowHost();
  app = new App(host, (run) => run());
  app.router.start();
  const refreshing = app.refresh();
  (await host.next("overview")).answer({ projects: [], conversations: [row("a", 3), row("b", 3)], settings: {}, notices: [] });
  (await host.next("inbox")).answer([]);
  await refreshing;
});

const practice: ModelChoice = { provider: null, label: "practice", base_url: "", protocol: "practice", model: "practice", window: 128_000, coefficient: 0.35, tools: true, echo_reasoning: false, empty_text: false, without_encrypted: false, found: false, output_limit: null, images: false, documents: false, price: null };
const sent = (request: string, purpose: "chat" | "title" = "chat"): Body => ({ kind: "request/sent", request, attempt: 1, purpose, provider: "p", model: "m", protocol: "practice", builder: "1", tool_choice: "auto", digest: "", bytes: 0, prefix: 0, stable: 0, characters: 0, estimate: 0 });
const begun = (id: string, request = "r1"): Event[] => [event(id, 1, { kind: "user/message", message: `m-${id}`, text: "hello", delivery: "next-turn" }), event(id, 2, { kind: "turn/start", cause: "message" }), event(id, 3, sent(request))];

async function look(id: string, answer: Opened): Promise<Conversation> {
  const done = app.open(id);
  (await host.next("open")).answer(answer);
  await done;
  const { current } = app.conversations;
  if (!current) throw new Error("nothing is looked at");
  return current;
}

/** What a person reads. */
function words(conversation: Conversation): string {
  return conversation.items.map((item) => (item.is === "user" ? `> ${item.message.text}` : item.is === "answer" ? item.message.text : item.is === "call" ? `[${item.call.name} ${item.call.state}]` : item.is === "end" ? `(${item.reason})` : item.is === "discarded" ? `~${item.message.text}~` : `(${item.is})`)).join("\n");
}

test("switching ten times in the middle of two answers loses and doubles nothing", async () => {
  const said = { a: "", b: "" };
  const parts = ["整理", "六月", "的 访谈 ", "and 😀 then ", "more. "];
  let step = 0;
  const grow = (id: "a" | "b"): Signal => {
    const piece = parts[step++ % parts.length] ?? "";
    const signal = text(id, utf8Length(said[id]), piece, `r-${id}`);
    said[id] += piece;
    return signal;
  };
  for (let turn = 0; turn < 10; turn += 1) {
    for (const id of ["a", "b"] as const) {
      const opening = app.open(id);
      host.emit([grow("a"), grow("b")]);
      if (!app.conversations.opened(id)?.loaded) {
        const request = await host.next("open");
        const picture = opened(id, 3, begun(id, `r-${id}`), said[id], `r-${id}`);
        // What comes between the picture and its answer belongs after it.
        host.emit([grow("a"), grow("b")]);
        request.answer(picture);
      }
      await opening;
      host.emit([grow("a"), grow("b")]);
      await settle();
      expect(words(app.conversations.current as Conversation)).toBe(`> hello\n${said[id]}`);
    }
  }
  host.emit([recorded("a", 4, { kind: "assistant/message", message: "x", request: "r-a", text: said.a, reasoning: "", calls: [], finish: "stop", partial: false }), recorded("a", 5, { kind: "turn/end", reason: "completed" })]);
  const a = app.conversations.opened("a") as Conversation;
  expect([words(a), a.generating]).toEqual([`> hello\n${said.a}`, false]);
});

test("a late answer to an earlier opening is thrown away", async () => {
  const first = app.open("a");
  const old = await host.next("open");
  const second = app.open("a");
  const fresh = await host.next("open");
  fresh.answer(opened("a", 3, begun("a"), "new"));
  await second;
  old.answer(opened("a", 2, begun("a").slice(0, 2), "old"));
  await first;
  expect(words(app.conversations.current as Conversation)).toBe("> hello\nnew");
  expect(app.conversations.selected).toBe("a");
});

test("an answer that comes after another conversation was chosen doesn't bring the first one back", async () => {
  const first = app.open("a");
  const slow = await host.next("open");
  await look("b", opened("b", 3, begun("b"), "of b"));
  slow.answer(opened("a", 3, begun("a"), "of a"));
  await first;
  expect(app.conversations.selected).toBe("b");
  expect(words(app.conversations.current as Conversation)).toBe("> hello\nof b");
});

test("covered, overlapping and repeated pieces add nothing twice", async () => {
  const a = await look("a", opened("a", 3, begun("a"), "整理"));
  host.emit([text("a", 0, "整理"), text("a", 3, "理六"), text("a", 9, "月"), text("a", 9, "月"), text("a", 6, "六月。")]);
  expect(words(a)).toBe("> hello\n整理六月。");
});

test("a hole in a text is mended by a fresh picture, and what came meanwhile follows it", async () => {
  const a = await look("a", opened("a", 3, begun("a"), "one "));
  host.emit([text("a", 8, "three ")]);
  host.emit([text("a", 14, "four ")]);
  expect(words(a)).toBe("> hello\none ");
  (await host.next("open")).answer(opened("a", 3, begun("a"), "one two three "));
  await settle();
  expect(words(a)).toBe("> hello\none two three four ");
});

test("a gap in the numbers is filled by asking for what comes after, and nothing is shown twice", async () => {
  const a = await look("a", opened("a", 3, begun("a")));
  const message = (seq: number, words: string): Body => ({ kind: "user/message", message: `m${seq}`, text: words, delivery: "next-step" });
  host.emit([recorded("a", 6, message(6, "six"))]);
  host.emit([recorded("a", 7, message(7, "seven"))]);
  const request = await host.next("after");
  expect(request.params).toEqual({ conversation: "a", seq: 3 });
  request.answer({ events: [event("a", 4, message(4, "four")), event("a", 6, message(6, "six"))], earlier: true });
  await settle();
  expect(words(a)).toBe("> hello\n> four\n> six\n> seven");
  expect(a.seq).toBe(7);
});

test("when what was missed can't be had, the whole picture is fetched; when that fails too, it says why", async () => {
  const a = await look("a", opened("a", 3, begun("a")));
  host.emit([recorded("a", 9, { kind: "turn/end", reason: "stopped" })]);
  (await host.next("after")).fail({ code: "storage", message: "the disk is full" });
  await settle();
  (await host.next("open")).fail({ code: "storage", message: "the disk is full" });
  await settle();
  expect(a.failure).toEqual({ code: "storage", message: "the disk is full" });
});

test("pieces of an answer that is complete, or of a title, change nothing", async () => {
  const a = await look("a", opened("a", 3, begun("a"), "done"));
  host.emit([recorded("a", 4, { kind: "assistant/message", message: "x", request: "r1", text: "done.", reasoning: "", calls: [], finish: "stop", partial: false })]);
  host.emit([text("a", 4, "!!!"), text("a", 0, "again", "r1"), text("a", 0, "of long ago", "r0")]);
  host.emit([recorded("a", 5, sent("r2", "title")), text("a", 0, "A title", "r2")]);
  expect(words(a)).toBe("> hello\ndone.");
});

test("chunks in the log don't double the text that streamed", async () => {
  const a = await look("a", opened("a", 3, begun("a")));
  host.emit([text("a", 0, "once"), recorded("a", 4, { kind: "assistant/chunk", request: "r1", part: "text", offset: 0, text: "once" })]);
  expect([words(a), a.seq]).toEqual(["> hello\nonce", 4]);
});

test("an answer that broke off stays to be kept, and is an answer again when it was", async () => {
  const a = await look("a", opened("a", 3, begun("a"), "half of"));
  host.emit([recorded("a", 4, { kind: "assistant/discarded", request: "r1", failure: "disconnected", message: "closed", text: "half of it" }), recorded("a", 5, { kind: "turn/end", reason: "error", message: "closed" })]);
  expect(words(a)).toBe("> hello\n~half of it~\n(error)");
  host.emit([recorded("a", 6, { kind: "assistant/message", message: "x", request: "r1", text: "half of it", reasoning: "", calls: [], finish: "stop", partial: true })]);
  expect(words(a)).toBe("> hello\nhalf of it\n(error)");
});

test("the inbox knows cards of conversations that were never opened, and an older answer takes nothing back", async () => {
  const card = { digest: "d1", tier: "medium" } as never;
  host.emit([recorded("b", 4, { kind: "tool/call", call: "c1", name: "edit_file", arguments: "{}", tier: "medium", read_only: false, verdict: { answer: "ask" }, digest: null, paths: [], target: "x" }), recorded("b", 5, { kind: "approval/requested", call: "c1", card })]);
  expect(app.approvals.rows.map((row) => [row.call, row.title, "tool" in row && row.tool])).toEqual([["c1", "b", "edit_file"]]);
  const refreshing = app.approvals.refresh();
  const request = await host.next("inbox");
  host.emit([recorded("b", 6, { kind: "approval/decided", call: "c1", card: "d1", answer: "approved", by: "user", scope: { reach: "once" } })]);
  request.answer([{ call: "c1", conversation: "b", title: "b", project: null, tool: "edit_file", card, since: 0 }]);
  await refreshing;
  expect(app.approvals.rows).toEqual([]);
});

test("queued items come, change and go by events", async () => {
  const a = await look("a", opened("a", 3, begun("a")));
  host.emit([recorded("a", 4, { kind: "queue/edited", item: "i1", edit: { edit: "added", text: "one", delivery: "next-turn" } }), recorded("a", 5, { kind: "queue/edited", item: "i2", edit: { edit: "added", text: "two", delivery: "next-step" } })]);
  host.emit([recorded("a", 6, { kind: "queue/edited", item: "i1", edit: { edit: "changed", text: "uno" } }), recorded("a", 7, { kind: "queue/taken", item: "i2", message: "m" })]);
  expect(a.queue.map(({ text }) => text)).toEqual(["uno"]);
  host.emit([recorded("a", 8, { kind: "queue/edited", item: "i1", edit: { edit: "withdrawn" } })]);
  expect(a.queue).toEqual([]);
});

test("older messages are put before, and results of calls proposed there find them", async () => {
  const call = { call: "c1", provider_id: null, name: "read_file", arguments: "{}" };
  const result = { kind: "tool/result", call: "c1", outcome: "ok", shown: "", brief: { says: "done" }, duration_ms: 1 } as const;
  const a = await look("a", { ...opened("a", 12, [event("a", 11, result), event("a", 12, { kind: "user/message", message: "m2", text: "now", delivery: "next-turn" })]), earlier: true });
  expect(words(a)).toBe("> now");
  const loading = app.router.loadEarlier(a);
  const request = await host.next("history");
  expect(request.params).toEqual({ conversation: "a", before: 11 });
  request.answer({ events: [event("a", 2, { kind: "user/message", message: "m1", text: "then", delivery: "next-turn" }), event("a", 10, { kind: "assistant/message", message: "x", request: "r0", text: "reading", reasoning: "", calls: [call], finish: "tool-calls", partial: false })], earlier: false });
  await loading;
  expect([words(a), a.earlier]).toEqual(["> then\nreading\n[read_file done]\n> now", false]);
});

test("twenty thousand pieces make one change of the text", () => {
  const signals = Array.from({ length: 20_000 }, (_, index) => text("a", index * 2, "ab"));
  const merged = merge([...signals, text("a", 0, "x", "other"), text("b", 0, "y", "other")]);
  expect(merged).toHaveLength(3);
  expect(merged[0]).toEqual(text("a", 0, "ab".repeat(20_000)));
});

test("a flood of text is spread over frames, whole and in order", async () => {
  const frames: (() => void)[] = [];
  const slow = new SlowHost();
  const later = new App(slow, (run) => frames.push(run));
  later.router.start();
  const refreshing = later.refresh();
  (await slow.next("overview")).answer({ projects: [], conversations: [row("a", 3)], settings: {}, notices: [] });
  (await slow.next("inbox")).answer([]);
  await refreshing;
  const opening = later.open("a");
  (await slow.next("open")).answer(opened("a", 3, begun("a")));
  await opening;

  const whole = "字😀x".repeat(5000);
  slow.emit([text("a", 0, whole), recorded("a", 4, { kind: "assistant/message", message: "x", request: "r1", text: whole, reasoning: "", calls: [], finish: "stop", partial: false })]);
  const said = (): string => {
    const item = later.conversations.opened("a")?.items.find(({ is }) => is === "answer");
    return item?.is === "answer" ? item.message.text : "";
  };
  let before = 0;
  while (frames.length > 0) {
    expect(frames.length, "one frame at a time").toBe(1);
    frames.shift()?.();
    expect(whole.startsWith(said())).toBe(true);
    expect(said().length - before).toBeLessThanOrEqual(2000);
    before = said().length;
  }
  expect(said() === whole).toBe(true);
});

test("text is never cut within a character", () => {
  const { now, later } = split(text("a", 7, "ab😀cd"), 3);
  expect(now).toEqual(text("a", 7, "ab"));
  expect(later).toEqual(text("a", 9, "😀cd"));
  expect(split(text("a", 0, "abc"), 3).later).toBeNull();
});

test("what a request filled counts the cache, and the cached share never passes the whole", async () => {
  const a = await look("a", opened("a", 3, begun("a")));
  const usage = { input: 3_800, output: 160, cache_read: 44_200, cache_write: null, reasoning: null };
  host.emit([recorded("a", 4, { kind: "usage/recorded", request: "r1", purpose: "chat", usage, cost_micros: null, coefficient: 1 })]);
  expect([a.spent.tokens, a.spent.cached?.toFixed(2)]).toEqual([48_000, "0.92"]);
});

test("a turn that ends by a failed request knows its kind; an answer in between makes it forget", async () => {
  const failed: Body = { kind: "request/failed", request: "r1", failure: "unauthorized", message: "no key", attempt: 1, retry_in_ms: null };
  const ended: Body = { kind: "turn/end", reason: "error", message: "no key" };
  const kinds = (conversation: Conversation): unknown[] => conversation.items.flatMap((item) => (item.is === "end" ? [item.failure] : []));
  const a = await look("a", opened("a", 3, begun("a")));
  host.emit([recorded("a", 4, failed), recorded("a", 5, ended)]);
  expect(kinds(a)).toEqual(["unauthorized"]);
  const b = await look("b", opened("b", 3, begun("b")));
  host.emit([recorded("b", 4, failed), recorded("b", 5, { kind: "assistant/message", message: "x", request: "r1", text: "t", reasoning: "", calls: [], finish: "stop", partial: false }), recorded("b", 6, ended)]);
  expect(kinds(b)).toEqual([null]);
});

test("a title that could not be made is no reason for the turn's end", async () => {
  const failed: Body = { kind: "request/failed", request: "r2", failure: "rate-limited", message: "slow down", attempt: 1, retry_in_ms: null };
  const conversation = await look("a", opened("a", 3, begun("a")));
  host.emit([recorded("a", 4, sent("r2", "title")), recorded("a", 5, failed), recorded("a", 6, { kind: "turn/end", reason: "error", message: "no" })]);
  expect(conversation.items.flatMap((item) => (item.is === "end" ? [item.failure] : []))).toEqual([null]);
});

test("a fallback that took over is named until the turn ends", async () => {
  const conversation = await look("a", opened("a", 3, begun("a")));
  const choice = { ...practice, label: "second" };
  host.emit([
    recorded("a", 4, { kind: "request/failed", request: "r1", failure: "rate-limited", message: "slow down", attempt: 4, retry_in_ms: null }),
    recorded("a", 5, { kind: "provider/switched", failure: "rate-limited", attempt: 4, from: "first", choice }),
  ]);
  expect(conversation.items.at(-1)).toEqual({ is: "switched", key: "switched 5", from: "first", to: "second", failure: "rate-limited" });
  expect(conversation.fallback).toBe("second");
  host.emit([recorded("a", 6, { kind: "turn/end", reason: "completed" })]);
  expect(conversation.fallback).toBeNull();
});

test("a model that takes no tools is said to", async () => {
  const conversation = await look("a", opened("a", 3, begun("a")));
  host.emit([recorded("a", 4, { kind: "request/failed", request: "r9", failure: "no-tools", message: "tiny does not support tools", attempt: 1, retry_in_ms: 0 })]);
  expect(conversation.items.at(-1)).toEqual({ is: "tools-off", key: "tools 4" });
});

test("a sub-agent is in no list, what it uses counts where it works, and it goes with its conversation", async () => {
  await look("a", opened("a", 3, []));
  const parent = app.conversations.opened("a");
  const agentRow = { ...row("a.1", 1), parent: { conversation: "a", call: "c1" } };
  host.emit([{ signal: "row", row: agentRow }]);
  expect(app.conversations.rows.map(({ id }) => id).sort()).toEqual(["a", "b"]);
  const usage = { input: 10, output: 2, cache_read: null, cache_write: null, reasoning: null };
  host.emit([recorded("a.1", 2, { kind: "usage/recorded", request: "r9", purpose: "agent", usage, cost_micros: 7, coefficient: 1 })]);
  expect(parent?.spent.totals).toMatchObject({ requests: 1, cost_micros: 7 });
  expect(parent?.spent.tokens).toBe(0);
  const agent = app.conversations.agent("a.1", { conversation: "a", call: "c1" });
  expect(app.conversations.opened("a.1")).toBe(agent);
  host.emit([{ signal: "gone", conversation: "a" }]);
  expect(app.conversations.opened("a.1")).toBeUndefined();
});

test("the steps are those of the last call that went well, and those of the picture at first", async () => {
  await look("a", opened("a", 3, []));
  const keeps = (call: string, text: string): Body => ({ kind: "tool/call", call, name: "todo", arguments: JSON.stringify({ items: [{ text, state: "active" }] }), tier: "low", read_only: true, verdict: { answer: "run", by: "tool" }, digest: null, paths: [], target: "" });
  const ended = (call: string, outcome: "ok" | "error"): Body => ({ kind: "tool/result", call, outcome, shown: "", brief: { says: "done" }, duration_ms: 1 });
  const proposed: Body = { kind: "assistant/message", message: "m9", request: "r1", text: "", reasoning: "", calls: ["t1", "t2", "t3"].map((call) => ({ call, provider_id: null, name: "todo", arguments: "{}" })), finish: "tool-calls", partial: false };
  const log = [proposed, keeps("t1", "one"), keeps("t2", "two"), keeps("t3", "three"), ended("t2", "ok"), ended("t1", "ok"), ended("t3", "error")];
  host.emit(log.map((body, index) => recorded("a", 4 + index, body)));
  expect(app.conversations.opened("a")?.todo.map(({ text }) => text)).toEqual(["two"]);
});
