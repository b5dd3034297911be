// A window that hears nothing any more finds out by itself how things stand.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ANSWER, answered, begin, idle, newConversation, send } from "./chat.js";
import { streamed } from "./model.js";

/** The watchdog asks after 60 s of silence and looks every 5 s; a loaded machine takes its time. */
const PATIENCE = 100_000;

test("when no signal comes any more, the watchdog asks the engine and mends what is shown", async (t) => {
  const { app, model } = await begin(t);
  await model.play({ replies: [streamed(["one ", "two ", { gate: "rest" }, "three ", "four"])] });
  await newConversation(app);
  await send(app, "count");
  await app.find(ANSWER, { text: "two" });

  // All that the engine says goes elsewhere from now on, as when the page's channel breaks.
  await app.execute(() => {
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    return invoke("subscribe", { channel: `__CHANNEL__:${transformCallback(() => {})}` }).then(() => null);
  });
  await model.release("rest");
  await app.waitFor(() => app.call("overview", {}), { until: ({ conversations }) => !conversations[0].generating, what: "the turn has ended" });
  assert.doesNotMatch(await app.text(ANSWER), /three/, "the window doesn't know it yet");
  await app.find("button", { text: "Stop" });

  assert.equal((await answered(app, "four", PATIENCE)).trim(), "one two three four");
  await idle(app);
});

test("a model that says nothing is stopped without waiting for it", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, "hang after 3 tokens");
  await app.find(ANSWER, { text: "t2" });
  await app.find(".phase", { text: "Writing" });
  await app.press("Escape");
  await idle(app);
  await app.waitFor(() => model.state(), { until: ({ left_early }) => left_early === 1, what: "the connection is closed" });
  assert.match(await app.text(ANSWER), /t0 t1 t2/, "what had arrived is kept");
});
