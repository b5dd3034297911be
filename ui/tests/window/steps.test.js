// The steps of the work in the real window: in one line above the composer, as a list beside it, kept up to date and over a restart.

import assert from "node:assert/strict";
import { test } from "node:test";

import { launch } from "./app.js";
import { answered, begin, idle, newConversation, openPanel, send } from "./chat.js";

const STEPS = 'section[aria-label="Steps of the work"]';
const TEXTS = ["Read the sources", "改写重试循环", "Run the tests"];
const list = (...states) => `call todo with ${JSON.stringify({ items: states.map((state, at) => ({ text: TEXTS[at], state })) })}`;

/** Each step with its state, as it is read out. */
const steps = (app) => app.execute((css) => [...document.querySelectorAll(`${css} li`)].map((step) => step.textContent.trim().replace(/\s+/g, " ")), STEPS);
const become = (app, expected) => app.waitFor(async () => JSON.stringify(await steps(app)), { until: (seen) => seen === JSON.stringify(expected), what: `the steps are ${expected}` });

test("the model's steps are seen as it goes through them, and stay", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, `${list("done", "active", "pending")} then wait at half`);
  await app.waitFor(() => model.state(), { until: ({ waiting }) => waiting.includes("half"), what: "the model works on" });
  await app.click("button.line", { text: "2 of 3:" });
  await become(app, [`done${TEXTS[0]}`, `in progress${TEXTS[1]}`, `to do${TEXTS[2]}`]);
  await app.find(STEPS, { text: "1 of 3 done" });
  await app.screenshot("steps");
  await model.release("half");
  await answered(app, "Went through half.");

  await send(app, `${list("done", "done", "active")} then ${list("done", "done", "done")} then say All done.`);
  await answered(app, "All done.");
  await idle(app);
  await become(app, TEXTS.map((text) => `done${text}`));
  await send(app, `call todo with ${JSON.stringify({ items: [{ text: "", state: "active" }] })} then say It was refused.`);
  await answered(app, "It was refused.");
  await idle(app);
  await become(app, TEXTS.map((text) => `done${text}`));
  await app.quit();

  const again = await launch({ home: app.home });
  t.after(() => again.close());
  // The window goes back to what was looked at last.
  await answered(again, "It was refused.");
  await openPanel(again, "Tasks");
  await become(again, TEXTS.map((text) => `done${text}`));
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(again.consoleErrors(), []);
});
