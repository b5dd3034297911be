import { expect, test } from "vitest";
import { FakeHost } from "../host/fake";
import type { ConversationRow, Opened, Standing } from "../protocol";
import { NOTHING } from "./spending.svelte";
import { App } from ".";
import { Watchdog } from "./watchdog";

const row: ConversationRow = { id: "a", project: null, workspace: null, fork: null, parent: null, title: "a", mode: "ask", model: null, fallbacks: [], generating: true, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: 1, created_at: 0, updated_at: 0 };

/** A window that looks at one generating conversation, and a clock. */
async function watch(standing: Standing, pending = 0): Promise<{ app: App; dog: Watchdog; asked: string[]; pass: (seconds: number) => Promise<void> }> {
  const asked: string[] = [];
  const host = new FakeHost();
  const picture: Opened = { row: { ...row, pending, generating: standing.generating || asked.length === 0 }, seq: 1, events: [], earlier: false, live: [], draft: "", attached: [], usage: NOTHING, todo: [] };
  let opens = 0;
  host.call = (method: string) => {
    asked.push(method);
    if (method === "standing") return Promise.resolve(standing as never);
    if (method === "open") return Promise.resolve({ ...picture, row: { ...picture.row, generating: opens++ === 0 || standing.generating } } as never);
    return Promise.resolve({ projects: [], conversations: [{ ...row, pending }], settings: {}, notices: [] } as never);
  };
  const app = new App(host, (run) => run());
  app.conversations.restart({ projects: [], conversations: [{ ...row, pending }], settings: host.settings, notices: [] });
  await app.open("a");
  let now = 0;
  const dog = new Watchdog(host, app.conversations, app.router, () => now);
  await dog.look();
  asked.length = 0;
  return {
    app, dog, asked,
    pass: async (seconds) => {
      for (let second = 0; second < seconds; second += 5) {
        now += 5000;
        await dog.look();
      }
    },
  };
}

test("after a minute of silence the engine is asked, and what it says is shown", async () => {
  const standing: Standing = { generating: true, phase: { is: "first-token" }, since: 0, seq: 1 };
  const { app, asked, pass } = await watch(standing);
  await pass(55);
  expect(asked).toEqual([]);
  await pass(5);
  expect(asked).toEqual(["standing"]);
  expect(app.conversations.current?.standing).toEqual(standing);
  await pass(60);
  expect(asked).toEqual(["standing", "standing"]);
});

test("when it isn't at work, a fresh picture is taken and the window doesn't stay generating", async () => {
  const { app, asked, pass } = await watch({ generating: false, phase: { is: "idle" }, since: 0, seq: 1 });
  expect(app.conversations.current?.generating).toBe(true);
  await pass(60);
  expect(asked).toEqual(["standing", "open"]);
  expect(app.conversations.current?.generating).toBe(false);
});

test("anything that comes is a sign of life", async () => {
  const { app, asked, pass } = await watch({ generating: true, phase: { is: "thinking" }, since: 0, seq: 1 });
  await pass(50);
  app.router.onheard("a");
  await pass(50);
  expect(asked).toEqual([]);
});

test("while a card waits for a person there is nothing to ask", async () => {
  const { asked, pass } = await watch({ generating: true, phase: { is: "you", pending: 1 }, since: 0, seq: 1 }, 1);
  await pass(300);
  expect(asked).toEqual([]);
});

test("after sleep everything is fetched anew", async () => {
  const { dog, pass } = await watch({ generating: true, phase: { is: "thinking" }, since: 0, seq: 1 });
  let woke = 0;
  dog.onwake = () => (woke += 1);
  await pass(20);
  expect(woke).toBe(0);
  let late = 10 * 60_000;
  const sleeper = new Watchdog(new FakeHost(), new App(new FakeHost()).conversations, new App(new FakeHost()).router, () => late);
  sleeper.onwake = () => (woke += 1);
  late += 10 * 60_000;
  await sleeper.look();
  expect(woke).toBe(1);
});
