// A conversation that becomes long in the real window: named by the model, summarised on a wish, folded behind its summary when it is
// opened again, and what fills the window told beside it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ANSWER, answered, begin, idle, newConversation, open, send } from "./chat.js";

/**
 * Scrolls the messages to their beginning, as a person does, until this is seen there: what is out of sight doesn't exist. While rows
 * are still being measured the list may hold its end against the first press.
 */
async function toTop(app, css, text) {
  await app.waitFor(
    async () => {
      await app.execute(() => document.querySelector('[aria-label="Messages"]').focus());
      await app.press("Home");
      return app.execute((selector, part) => [...document.querySelectorAll(selector)].some((found) => found.innerText.includes(part)), css, text);
    },
    { what: `"${text}" at the beginning` },
  );
}

const SUMMARY = 'button[aria-expanded]';

test("a long conversation gets a title and a summary that opens to its words and to the messages", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, "say 第一个回答");
  await answered(app, "第一个回答");
  await app.find("nav button", { text: "About say 第一个回答" });
  for (const number of [2, 3, 4, 5, 6]) {
    await send(app, `say Answer number ${number}. ${"It goes on for a while. ".repeat(12)}`);
    await answered(app, `Answer number ${number}`);
  }
  await idle(app);

  await app.press("Ctrl+I");
  await app.click('[role="tab"]', { text: "Context" });
  await app.find('section[aria-label="What fills the window"]', { text: "Instructions and rules" });
  await app.type('textarea[aria-label="What the summary must keep"]', "每个数字");
  await app.click("button", { text: "Summarise now" });
  await app.find(SUMMARY, { text: "earlier messages, summarised" });
  await app.find('section[aria-label="What fills the window"]', { text: "Summary" });
  const [summarised] = (await model.asides()).filter(({ messages }) => messages[0].content.startsWith("You summarise"));
  assert.match(summarised.messages[1].content, /The user wants this of the summary: 每个数字/);
  assert.match(summarised.messages[1].content, /User: say 第一个回答/);
  await app.screenshot("summary");

  // What was there stays in sight until the conversation is opened anew.
  await toTop(app, ANSWER, "第一个回答");
  await send(app, "say after it");
  await answered(app, "after it");
  const last = (await model.bodies()).at(-1).messages;
  assert.match(last[1].content, /^\[The conversation up to here was summarised/);
  assert.equal(last.filter(({ content }) => content?.includes("第一个回答")).length, 0);

  await app.execute(() => location.reload());
  await open(app, "About say 第一个回答");
  await answered(app, "after it");
  await toTop(app, "button", "Show the messages");
  // The summary stands before the messages that the model still sees: those stay in sight, what it stands for doesn't.
  await app.find("button", { text: "Show the messages" });
  await app.find(ANSWER, { text: "Answer number 4" });
  const above = () =>
    app.execute(
      (answers, line) => {
        const place = document.querySelector(line).getBoundingClientRect().top;
        return [...document.querySelectorAll(answers)].filter((answer) => answer.getBoundingClientRect().top < place).length;
      },
      ANSWER,
      SUMMARY,
    );
  assert.equal(await above(), 0);
  await app.screenshot("summary-folded");
  await app.click("button", { text: "Show the messages" });
  await toTop(app, ANSWER, "第一个回答");
  await app.find(ANSWER, { text: "Answer number 2" });
  assert.deepEqual(await model.violations(), []);
});
