// Messages that wait in the real window: queued with Enter, steered with Ctrl+Enter, put into another order, changed, taken back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FIELD, answered, begin, idle, newConversation, send } from "./chat.js";
import { streamed } from "./model.js";

const LINE = 'ol[aria-label="Waiting to be sent"]';

/** The words of the lines, in their order. */
const waiting = (app) => app.execute((css) => [...document.querySelectorAll(`${css} [data-words]`)].map((line) => line.innerText.trim()), LINE);

const becomes = (app, expected) => app.waitFor(async () => JSON.stringify(await waiting(app)), { until: (seen) => seen === JSON.stringify(expected), what: `the line is ${expected}` });

/** Gives the focus to a line's words. */
const focus = (app, words) =>
  app.execute((css, text) => [...document.querySelectorAll(`${css} [data-words]`)].find((line) => line.innerText.trim() === text).focus(), LINE, words);

test("what waits is ordered, changed, made to steer and taken back, and the model gets it in that order", async (t) => {
  const { app, model } = await begin(t);
  await model.play({
    rules: [
      { when: "begin", reply: streamed(["At ", "work ", { gate: "work" }, "and done."]) },
      { when: "right away", reply: streamed(["Steered."]) },
      { when: "third", reply: streamed(["Third."]) },
      { when: "first, changed", reply: streamed(["First."]) },
    ],
  });
  await newConversation(app);
  await send(app, "begin");
  await answered(app, "work");
  for (const text of ["first", "second", "third"]) {
    await send(app, text);
    await app.find(`${LINE} [data-words]`, { text });
  }
  await app.type(FIELD, "right away");
  await app.press("Ctrl+Enter");
  await becomes(app, ["first", "second", "third", "right away"]);

  await focus(app, "third");
  await app.press("Alt+ArrowUp");
  await becomes(app, ["first", "third", "second", "right away"]);
  await app.press("Alt+ArrowUp");
  await becomes(app, ["third", "first", "second", "right away"]);
  await focus(app, "second");
  await app.press("Delete");
  await becomes(app, ["third", "first", "right away"]);
  await app.click(`${LINE} [data-words]`, { text: "first" });
  await app.type(`${LINE} textarea`, ", changed");
  await app.press("Enter");
  await becomes(app, ["third", "first, changed", "right away"]);
  await app.screenshot("queue");

  await model.release("work");
  await answered(app, "First.");
  await idle(app);
  const asked = (await model.bodies()).map(({ messages }) => messages.filter(({ role }) => role === "user").at(-1).content);
  assert.deepEqual(asked, ["begin", "right away", "third", "first, changed"]);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
