// Sub-agents in the real window: what each does stands under its call while it works and after, and a stop reaches all of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FIELD, answered, begin, idle, newConversation, send } from "./chat.js";

const AGENT = '[role="group"][aria-label^="Sub-agent"]';
const FILES = { "alpha.md": "Alpha is first.\n", "beta.md": "Beta is second.\n" };

/** A message that sends out two sub-agents, which read a file each and then wait at a gate of its name. */
function both(then) {
  const task = (name) => JSON.stringify({ task: `call read_file with {"path":"${name}.md"} then wait at ${name}` });
  return `call dispatch_agent with ${task("alpha")} and call dispatch_agent with ${task("beta")} then ${then}`;
}

/** How many requests of the model wait for an answer. */
const waiting = async (model) => (await model.state()).waiting.length;

test("two sub-agents work side by side, are watched, and give back their answers alone", async (t) => {
  const { app, model } = await begin(t, { files: FILES });
  await newConversation(app);
  await send(app, both("say Both looked."));
  await app.waitFor(() => waiting(model), { until: (count) => count === 2, what: "both wait for their second answer" });
  for (const name of ["alpha", "beta"]) {
    await app.find(`${AGENT} .line`, { text: `${name}.md` });
    await app.find(AGENT, { text: "working" });
  }
  await app.screenshot("agents-working");

  await model.release("beta");
  await model.release("alpha");
  await answered(app, "Both looked.");
  await idle(app);
  const bodies = await model.bodies();
  const results = bodies.at(-1).messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  assert.equal(results.length, 2);
  assert.match(results[0], /Went through alpha\./, "in the order of the calls");
  assert.match(results[1], /Went through beta\./);
  assert.doesNotMatch(JSON.stringify(bodies.at(-1)), /Alpha is first/, "what a sub-agent read stays with it");

  assert.equal(await app.execute((css) => document.querySelectorAll(css).length, AGENT), 0, "what is done is folded");
  await app.click(".call .line", { text: "Agent looked" });
  await app.find(AGENT, { text: "Went through alpha." });
  await app.find(`${AGENT} .line`, { text: "alpha.md" });
  await app.screenshot("agents-done");
  const { conversations } = await app.call("overview", {});
  assert.equal(conversations.length, 1, "no list has them");
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});

test("a stop reaches every sub-agent, and nothing of them goes on", async (t) => {
  const { app, model } = await begin(t, { files: FILES });
  await newConversation(app);
  await send(app, both("say never"));
  await app.waitFor(() => waiting(model), { until: (count) => count === 2, what: "both wait for their second answer" });
  await app.find(AGENT, { text: "working" });
  await app.click(FIELD);
  await app.press("Escape");
  await idle(app);
  await app.waitFor(() => waiting(model), { until: (count) => count === 0, what: "no request waits any more" });
  const asked = (await model.bodies()).length;
  assert.equal(asked, 5, "one of the conversation, two of each sub-agent");
  await app.find(".call .meta", { text: "stopped" });
  await app.screenshot("agents-stopped");

  await send(app, "say still here");
  await answered(app, "still here");
  await idle(app);
  assert.equal((await model.bodies()).length, asked + 1);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
