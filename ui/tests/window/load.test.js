// The window stays responsive while much arrives. Figures are printed; limits leave room for a loaded machine.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CARD, answered, begin, decide, idle, newConversation, send } from "./chat.js";

/** The aim is 50 ms; above this a person would call the window stuck, on any machine. In milliseconds. */
const STUCK = 1000;

/** Begins to measure how long the page takes from frame to frame. */
function watchFrames(app) {
  return app.execute(() => {
    const gaps = (window.frameGaps = []);
    let last = performance.now();
    const frame = (now) => {
      gaps.push(now - last);
      last = now;
      if (window.frameGaps === gaps) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Ends it, and says what was seen, in milliseconds. */
async function framesSeen(app) {
  const gaps = await app.execute(() => {
    const gaps = window.frameGaps;
    window.frameGaps = null;
    return gaps;
  });
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { frames: gaps.length, seconds: Math.round(gaps.reduce((sum, gap) => sum + gap, 0) / 100) / 10, median: at(0.5), p99: at(0.99), longest: at(1), over50: gaps.filter((gap) => gap > 50).length };
}

test("20,000 streamed deltas reach the window", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await watchFrames(app);
  await app.waitFor(() => app.execute(() => window.frameGaps.length), { until: (frames) => frames > 120, what: "frames at rest" });
  t.diagnostic(`at rest: ${JSON.stringify(await framesSeen(app))}`);

  await watchFrames(app);
  await send(app, "say 20000 tokens");
  await answered(app, "t19999", 120_000);
  await idle(app);
  const seen = await framesSeen(app);
  t.diagnostic(`20,000 deltas: ${JSON.stringify(seen)}`);
  assert.ok(seen.longest < STUCK, `the longest frame took ${seen.longest} ms`);
  const text = await app.text('article[aria-label="Assistant"]');
  assert.equal(text.trim().split(/\s+/).length, 20_000);
  assert.deepEqual(await model.violations(), []);
});

test("a command's 5 MB of output keep the window responsive", async (t) => {
  const { app } = await begin(t);
  await newConversation(app);
  const line = "0123456789 lorem ipsum dolor sit amet, consectetur adipiscing";
  await send(app, `call run_command with {"command":"yes '${line}' | head -c 5000000"} then say Flooded.`);
  await decide(app, "Approve");
  await watchFrames(app);
  await answered(app, "Flooded.", 60_000);
  const seen = await framesSeen(app);
  t.diagnostic(`5 MB of output: ${JSON.stringify(seen)}`);
  assert.ok(seen.longest < STUCK, `the longest frame took ${seen.longest} ms`);

  // The whole of it can be looked at, and the window still answers.
  await watchFrames(app);
  await app.click("button[aria-expanded]", { text: "yes '0123" });
  await app.find('[role="log"], [role="group"]', { text: "lorem ipsum" });
  t.diagnostic(`opening it: ${JSON.stringify(await framesSeen(app))}`);
  const { conversations } = await app.call("overview", {});
  const { events } = await app.call("open", { conversation: conversations[0].id });
  const result = events.find(({ kind }) => kind === "tool/result");
  assert.equal(result.output.bytes, 5_000_000);
  await app.screenshot("flood");
});
