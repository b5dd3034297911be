// What a person sees of providers: a wrong key, a wait with its countdown, a fallback, what it cost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, begin, idle, newConversation, send } from "./chat.js";
import { startModel } from "./model.js";

const PICKER = 'button[aria-label^="Model:"]';

/** Opens the list of models and picks the entry with this text, the last one where there are several. */
async function pick(app, text) {
  await app.click(PICKER);
  await app.find('[role^="menuitem"]', { text });
  const index = await app.execute(
    (part) => [...document.querySelectorAll('[role^="menuitem"]')].findLastIndex((entry) => entry.innerText.includes(part)),
    text,
  );
  await app.session.click((await app.session.elements('[role^="menuitem"]'))[index]);
}

/** A provider at another server, with one model. */
async function addProvider(app, model, id, name) {
  const provider = { id, name: id, base_url: model.baseUrl, protocol: "chat-completions", models: [name], key_variable: null, window: 128_000, echo_reasoning: false };
  await app.call("save_provider", { provider });
}

test("a wrong key is said in the provider's words, and the settings are a button away", async (t) => {
  const { app, model } = await begin(t);
  await model.play({ replies: [{ status: 401, body: '{"error":{"message":"Incorrect API key provided","type":"invalid_request_error"}}' }] });
  await newConversation(app);
  await send(app, "hello");
  await app.find("p", { text: "refuses the key" });
  await app.find("*", { text: "Incorrect API key provided" });
  await app.screenshot("wrong-key");
  await app.click("button", { text: "Settings" });
  await app.find('[role="dialog"]', { text: "Fake" });
  assert.equal((await model.bodies()).length, 1, "a key that is still the same isn't tried again");
});

test("a busy provider is waited for, with a countdown", async (t) => {
  const { app, model } = await begin(t);
  await model.play({ replies: [{ status: 429, headers: { "retry-after": "3" }, body: '{"error":{"message":"slow down"}}' }] });
  await newConversation(app);
  await send(app, "say here I am");
  const seen = new Set();
  await app.waitFor(
    async () => {
      const phase = await app.execute(() => document.querySelector(".phase")?.innerText ?? "");
      if (phase.startsWith("Trying again in")) seen.add(phase);
      return seen.size;
    },
    { until: (count) => count >= 2, what: "the countdown goes on" },
  );
  assert.match([...seen][0], /attempt 2 of 4/);
  await app.screenshot("waiting");
  await answered(app, "here I am");
  assert.equal((await model.bodies()).length, 2);
});

test("when a provider refuses, the model that was named for it answers, and that is said", async (t) => {
  const { app, model } = await begin(t);
  const second = await startModel();
  t.after(() => second.close());
  await addProvider(app, second, "other", "second-best");
  await model.play({ replies: [{ status: 403, body: '{"error":{"message":"not in your region"}}' }] });
  await newConversation(app);
  await pick(app, "second-best");
  const [row] = (await app.call("overview", {})).conversations;
  await app.waitFor(() => app.call("overview", {}), { until: ({ conversations }) => conversations[0].fallbacks.length === 1, what: "the fallback is kept" });
  assert.equal(row.model.model, "tiny", "the picked model stays");

  await send(app, "say from the other one");
  await answered(app, "from the other one");
  await app.find("p", { text: "second-best answers for the rest of this turn" });
  await app.screenshot("fallback");
  await idle(app);
  assert.equal((await second.bodies()).length, 1);
  assert.deepEqual(await second.violations(), []);

  await send(app, "say I am back");
  await answered(app, "I am back");
  assert.equal((await model.bodies()).length, 2, "the next turn begins with the picked model");
});

test("what a request cost is shown where the price is known, and is unknown where not", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, "say one");
  await answered(app, "one");
  await app.find("button", { text: "cost unknown" });

  const { settings } = await app.call("overview", {});
  const words = { tiny: { price: { input: 1000, output: 1000, cache_read: 1000 } } };
  const [provider] = settings.providers;
  await app.call("save_provider", { provider: { ...provider, words } });
  await useModelAgain(app);
  await newConversation(app);
  await send(app, "say two");
  await answered(app, "two");
  await app.find("button", { text: "$" });
  await app.screenshot("cost");
  assert.deepEqual(await model.violations(), []);
});

/** The model of new conversations, as it is known now. */
async function useModelAgain(app) {
  const { settings } = await app.call("overview", {});
  const { choice } = (await app.call("models", {})).find(({ choice }) => choice.provider === "fake");
  await app.call("save_settings", { settings: { ...settings, model: choice } });
}
