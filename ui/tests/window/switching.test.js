// Several conversations at once: each goes on while another is looked at, and no text is lost or doubled.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ANSWER, begin, newConversation, open, send } from "./chat.js";
import { streamed } from "./model.js";

/** As many words, each told from every other. */
const words = (name, count) => Array.from({ length: count }, (_, n) => `${name}${n} `);

/** The text of the one answer in view, with runs of white space as one space. */
const shown = (app) =>
  app.execute(
    (css) => [...document.querySelectorAll(css)].map((answer) => answer.innerText.replace(/\s+/g, " ").trim()).join(" | "),
    ANSWER,
  );

test("two conversations generate while the window switches between them ten times, and both texts are exact", async (t) => {
  const { app, model } = await begin(t);
  const [a, b] = [words("甲", 600), words("b", 500)];
  const whole = { alpha: a.join("").trim(), beta: b.join("").trim() };
  await model.play({
    rules: [
      { when: "alpha", reply: streamed([...a.slice(0, 500), { gate: "alpha" }, ...a.slice(500)], { pace_us: 8000 }) },
      { when: "beta", reply: streamed([...b.slice(0, 400), { gate: "beta" }, ...b.slice(400)], { pace_us: 8000 }) },
    ],
  });
  await newConversation(app);
  await send(app, "alpha");
  await app.find(ANSWER, { text: "甲3" });
  await newConversation(app);
  await send(app, "beta");
  await app.find(ANSWER, { text: "b3" });

  for (let round = 0; round < 10; round += 1) {
    const title = round % 2 === 0 ? "alpha" : "beta";
    await open(app, title);
    await app.find(`article[aria-label="You"]`, { text: title });
    // What is there already is shown at once, from its beginning and without a hole.
    const text = await app.waitFor(() => shown(app), { what: `the answer of ${title}` });
    assert.ok(whole[title].startsWith(text), `round ${round}: ${text.slice(0, 60)} … ${text.slice(-60)}`);
  }
  const running = (await app.call("overview", {})).conversations.filter(({ generating }) => generating);
  assert.equal(running.length, 2, "both were at work all the time");
  await model.release("alpha");
  await model.release("beta");

  for (const [title, expected] of Object.entries(whole)) {
    await open(app, title);
    const text = await app.waitFor(() => shown(app), { until: (text) => text.length >= expected.length, what: `all of ${title}` });
    assert.equal(text, expected);
    const row = (await app.call("overview", {})).conversations.find((row) => row.title.includes(title));
    const { events } = await app.call("open", { conversation: row.id });
    const recorded = events.filter(({ kind }) => kind === "assistant/message");
    assert.equal(recorded.length, 1);
    assert.equal(recorded[0].text.replace(/\s+/g, " ").trim(), expected);
  }
  assert.deepEqual(await model.violations(), []);
});
