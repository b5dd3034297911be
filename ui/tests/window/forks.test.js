// An edited message and a fork, in the real window: the origin stays as it is, and nothing of it is said twice.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, begin, idle, newConversation, open, send } from "./chat.js";

const YOU = 'article[aria-label="You"]';
const said = (app) => app.execute((css) => [...document.querySelectorAll(css)].map((article) => article.innerText.trim()), YOU);

/** Presses a button of a message by its name. It is seen once the pointer is on the message. */
async function act(app, css, text, name) {
  await app.waitFor(
    () =>
      app.execute(
        (selector, part, label) => {
          const article = [...document.querySelectorAll(selector)].find((article) => article.innerText.includes(part));
          const button = article?.querySelector(`button[aria-label="${label}"]`);
          button?.focus();
          button?.click();
          return Boolean(button);
        },
        css,
        text,
        name,
      ),
    { what: `${name} of "${text}"` },
  );
}

test("a message is edited and sent again in a fork, and an answer is gone on from", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, "say 一");
  await answered(app, "一");
  await idle(app);
  await send(app, "say 二");
  await answered(app, "二");
  await idle(app);

  await act(app, YOU, "say 二", "Edit and send again");
  const editor = 'textarea[aria-label="Edit and send again"]';
  await app.find(editor);
  await app.execute((css) => document.querySelector(css).select(), editor);
  await app.type(editor, "say 三");
  await app.screenshot("fork-editor");
  await app.press("Enter");
  await answered(app, "三");
  await idle(app);
  assert.deepEqual(await said(app), ["say 一", "say 三"]);
  await app.find("p", { text: "Forked from" });
  await app.screenshot("fork");

  await act(app, 'article[aria-label="Assistant"]', "一", "Fork from here");
  await app.waitFor(() => said(app), { until: (texts) => texts.length === 1, what: "the fork ends behind the first answer" });
  await send(app, "say 四");
  await answered(app, "四");
  await idle(app);

  const { conversations } = await app.call("overview", {});
  assert.equal(conversations.length, 3);
  assert.equal(conversations.filter(({ fork }) => fork !== null).length, 2);
  const bodies = await model.bodies();
  const words = bodies.map(({ messages }) => messages.filter(({ role }) => role !== "system").map(({ content }) => content));
  assert.deepEqual(words.slice(2), [
    ["say 一", "一", "say 三"],
    ["say 一", "一", "say 四"],
  ]);
  const origin = conversations.find(({ fork }) => fork === null);
  await app.call("delete", { conversation: origin.id });
  const left = conversations.find(({ fork }) => fork !== null);
  const { events } = await app.call("open", { conversation: left.id });
  assert.ok(events.some((event) => event.kind === "user/message" && event.text === "say 一"), "what is deleted is still the fork's beginning");
  await open(app, "say 一");
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});

test("a conversation leaves as a file and comes back as another one, with all that was said and nothing that waited", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, "say 出发");
  await answered(app, "出发");
  await idle(app);
  const before = await app.call("overview", {});
  const [{ id, project }] = before.conversations;
  const text = await app.call("export", { conversation: id, format: "json" });
  await app.call("delete", { conversation: id });
  const row = await app.call("import", { project, text });
  assert.equal(row.fork.conversation, id, "what is here already is not taken in twice");
  await open(app, "say 出发");
  await app.find("p", { text: "Forked from a conversation that was deleted" });
  await send(app, "say 到达");
  await answered(app, "到达");
  await idle(app);
  assert.deepEqual(await said(app), ["say 出发", "say 到达"]);
  const words = (await model.bodies()).at(-1).messages.filter(({ role }) => role !== "system").map(({ content }) => content);
  assert.deepEqual(words, ["say 出发", "出发", "say 到达"]);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
