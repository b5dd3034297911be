// Twenty thousand pieces of an answer: how long the page is at work at a time while they come. The time is the processor's own, so that
// other programs on the machine don't count; it prints the figures, since they are the point.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, messages, openStage, say, type Rehearsal, type Stage } from "./rehearsal";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
}, 240_000);
afterAll(async () => {
  await stage.close();
});

const PIECES = 20_000;
/** How many come per 16 ms: some 1,500 a second, far more than any model writes. */
const PER_BATCH = 25;

type Traced = { name: string; ph: string; pid: number; tid: number; dur?: number; tdur?: number; args?: { name?: string } };

/** Watches the page's main thread; the returned function ends that and gives the processor time of each task, in ms. */
async function watchTasks(browser: Browser): Promise<() => Promise<number[]>> {
  const tracer = await browser.newBrowserCDPSession();
  const events: Traced[] = [];
  tracer.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as Traced[])));
  await tracer.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel"] } });
  return async () => {
    const done = new Promise((resolve) => tracer.once("Tracing.tracingComplete", resolve));
    await tracer.send("Tracing.end");
    await done;
    const mains = new Set(events.filter(({ ph, name, args }) => ph === "M" && name === "thread_name" && args?.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
    return events.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.has(`${pid} ${tid}`)).flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur / 1000]));
  };
}

test("a flood of pieces keeps frames short, and all of it arrives", async () => {
  const page = await begin(stage, { speed: "1" });
  await say(page, "count");
  await messages(page).getByText("1 2 3").waitFor();
  const finish = await watchTasks(stage.browser);
  const figures = await page.evaluate(
    async ({ pieces, perBatch }) => {
      const { host, app } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
      const conversation = app.conversations.current;
      const log = [...host.conversations.values()][0]?.log;
      if (!conversation || !log) throw new Error("no conversation");
      host.conversations.get(conversation.id)?.turn?.stop();
      await new Promise((resolve) => setTimeout(resolve, 300));
      const request = "flood";
      log.append({ kind: "turn/start", cause: "message" });
      log.append({ kind: "request/sent", request, attempt: 1, purpose: "chat", provider: "p", model: "m", protocol: "practice", builder: "1", tool_choice: "auto", digest: "", bytes: 0, prefix: 0, stable: 0, characters: 0, estimate: 0 });
      const section = "## Part\n\nA stream that has begun is **never** begun again; what arrived is kept, see `src/retry.rs`. 流开始之后就不再重试，已经收到的内容会保留。 The reader is told why it ends, and the rest of this paragraph is as long as paragraphs of models are.\n\n1. Open first\n2. Then stream\n\n| case | now |\n|:-----|----:|\n| connect error | 3 tries |\n\n```rust\nfor wait in WAITS {\n    match self.client.execute(request).await {\n        Ok(response) => return Ok(response),\n    }\n}\n```\n\n";
      const letters = [...section];
      const frames: number[] = [];
      let last = performance.now();
      let running = true;
      const frame = (now: number): void => {
        frames.push(now - last);
        last = now;
        if (running) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      for (let at = 0; at < pieces; at += perBatch) {
        for (let index = 0; index < perBatch; index += 1) {
          const from = ((at + index) * 4) % letters.length;
          log.say(request, "text", letters.slice(from, from + 4).join(""));
        }
        await new Promise((resolve) => setTimeout(resolve, 16));
      }
      await new Promise((resolve) => setTimeout(resolve, 600));
      running = false;
      frames.sort((a, b) => a - b);
      const item = conversation.items.findLast(({ is }) => is === "answer");
      return { frames: frames.length, longest: frames.at(-1) ?? 0, p99: frames[Math.floor(frames.length * 0.99)] ?? 0, median: frames[frames.length >> 1] ?? 0, isWhole: item?.is === "answer" && item.message.text === log.said(request).text, length: log.said(request).text.length };
    },
    { pieces: PIECES, perBatch: PER_BATCH },
  );
  const tasks = (await finish()).sort((a, b) => b - a);
  console.log(`${tasks.length} tasks, longest ${tasks.slice(0, 8).map((task) => task.toFixed(1)).join(", ")} ms of processor time, ${tasks.reduce((sum, task) => sum + task, 0).toFixed(0)} ms in all`);
  console.log(`${PIECES} pieces, ${figures.length} characters: ${figures.frames} frames, median ${figures.median.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms, longest ${figures.longest.toFixed(1)} ms`);
  expect(figures.isWhole).toBe(true);
  expect(tasks.length).toBeGreaterThan(1000);
  // A page that gets no processor has its pieces pile up, and then the longest task is the machine's and not ours.
  if (figures.median < 20) expect(tasks[0]).toBeLessThan(50);
  else console.log("The machine was too busy for the longest task to mean anything.");
  expect(stage.problems).toEqual([]);
  await page.close();
}, 300_000);
