import { tick } from "svelte";
import { expect, test } from "vitest";
import { render } from "vitest-browser-svelte";
import { CONVERSATION, makeCall } from "../gallery/calls";
import { appWith, conversation } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { Event, Opened } from "../protocol";
import { NOTHING, type App, type ToolCall } from "../state";
import ToolGroup from "./ToolGroup.svelte";

const AGENT = "agent-1";
const TASK = "Where is a stream retried?";

/** Events of a sub-agent: two reads, the first of which has ended. */
function events(): Event[] {
  const bodies = [
    { kind: "user/message", message: "m1", text: TASK, delivery: "next-turn" },
    { kind: "turn/start", cause: "message" },
    { kind: "assistant/message", message: "m2", request: "r1", text: "I look.", reasoning: "", calls: ["c1", "c2"].map((call) => ({ call, provider_id: call, name: "read_file", arguments: "{}" })), finish: "tool-calls", partial: false },
    ...["c1", "c2"].map((call) => ({ kind: "tool/call", call, name: "read_file", arguments: "{}", tier: "low", read_only: true, verdict: { answer: "run", by: "tool" }, digest: null, paths: [], target: `src/${call}.rs` })),
    ...["c1", "c2"].map((call) => ({ kind: "tool/started", call, attempt: 1, boot: "b" })),
    { kind: "tool/result", call: "c1", outcome: "ok", shown: "x", brief: { says: "lines", first: 1, last: 9, total: 9 }, duration_ms: 4 },
  ];
  return bodies.map((body, index) => ({ conversation: AGENT, seq: index + 1, at: 1000, ...body }) as unknown as Event);
}

async function show(done: boolean): Promise<{ app: App; call: ToolCall; container: HTMLElement }> {
  const parent = conversation();
  const opened = (): Opened => ({ row: { ...parent.row, id: AGENT, title: TASK, parent: { conversation: CONVERSATION, call: "x" }, seq: 8 }, seq: 8, events: events(), earlier: false, live: [], draft: "", attached: [], usage: { ...NOTHING, requests: 2, cost_micros: 1200 }, todo: [] });
  const { app } = appWith({ open: opened });
  app.conversations.put(parent.row);
  app.conversations.select(CONVERSATION);
  const started = [{ kind: "tool/started", attempt: 1, boot: "b", at: Date.now() }, { kind: "agent/started", agent: AGENT, iterations: 8 }];
  const call = makeCall("dispatch_agent", TASK, { events: started as never, ...(done ? { result: { outcome: "ok", shown: "In send()." } } : {}) });
  const { container } = await render(WithApp, { props: { app, component: ToolGroup as never, props: { calls: [call] } } });
  return { app, call, container };
}

test("while it works its newest calls are seen, and what it uses", async () => {
  const { container, app } = await show(false);
  await expect.poll(() => container.textContent).toContain("src/c2.rs");
  expect(container.textContent).toContain("Agent looks");
  expect(container.textContent).toContain("2 calls");
  expect(container.textContent).toContain("2 requests");
  expect(container.textContent).toContain("$0.0012");
  expect(container.textContent).not.toContain("I look.");
  expect(app.conversations.rows.map(({ id }) => id)).toEqual([CONVERSATION]);
});

test("done it is one row, which opens to all that it said and did", async () => {
  const { container } = await show(true);
  expect(container.textContent).toContain("Agent looked");
  expect(container.querySelector(".agent")).toBeNull();
  container.querySelector<HTMLButtonElement>("button.line")?.click();
  await tick();
  await expect.poll(() => container.textContent).toContain("I look.");
  expect(container.textContent).toContain("src/c1.rs");
  expect(container.querySelectorAll("textarea")).toHaveLength(0);
});

test("what happens to it goes to it, and what it uses counts where it works", async () => {
  const { container, app } = await show(false);
  await expect.poll(() => container.textContent).toContain("src/c2.rs");
  const parent = app.conversations.opened(CONVERSATION);
  const agent = app.conversations.opened(AGENT);
  expect(app.conversations.parentOf(AGENT)).toBe(parent);
  agent?.apply({ signal: "recorded", event: { conversation: AGENT, seq: 9, at: 1, kind: "tool/result", call: "c2", outcome: "error", shown: "no such file", brief: { says: "done" }, duration_ms: 1 } });
  await expect.poll(() => container.textContent).toContain("failed");
});
