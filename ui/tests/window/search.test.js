// What was said is found again from the keyboard, in Chinese, and the window goes to it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { FIELD, answered, begin, newConversation, send } from "./chat.js";

const OPTION = '[role="option"]';

/** The entry that Enter would take. */
const chosen = (app) => app.execute(() => document.querySelector('[role="option"][aria-selected="true"]')?.innerText ?? "");

test("Ctrl+K finds a Chinese word in an old answer and goes to it, past what was loaded", async (t) => {
  const { app, model, projectId } = await begin(t);
  const said = "先把数据库连接池调大，再看超时。";
  await model.play({ rules: [{ when: "超时", reply: { say: said } }, { when: "", reply: { say: "Noted." } }] });
  const old = await app.call("create_conversation", { project: projectId });
  const ask = async (text) => {
    await app.call("send", { conversation: old.id, text, delivery: "next-turn", reject: false, attachments: [] });
    const ended = () => app.call("open", { conversation: old.id });
    await app.waitFor(ended, { until: ({ row }) => !row.generating && row.queued === 0, what: `"${text}" is answered` });
  };
  await ask("为什么会超时?");
  for (let number = 0; number < 35; number += 1) await ask(`note ${number}`);
  await newConversation(app);
  await send(app, "something else");
  await answered(app, "Noted.");

  await app.press("Ctrl+K");
  await app.find('input[role="combobox"]');
  await app.type('input[role="combobox"]', "连接池");
  await app.find(`${OPTION} mark`, { text: "连接池" });
  await app.screenshot("palette-chinese");
  assert.match(await chosen(app), /数据库连接池调大/);
  await app.press("Enter");

  // The answer stands among the oldest, which weren't loaded; it has the focus and is on the screen.
  const place = () =>
    app.execute((text) => {
      const row = document.activeElement?.closest(".col");
      if (!row?.innerText.includes(text)) return null;
      const { top, bottom } = row.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }, said);
  await app.waitFor(place, { what: "the answer that was found has the focus, in view" });
  await app.screenshot("palette-led");
  assert.equal((await app.call("overview", {})).conversations.find(({ id }) => id === old.id).archived, false);

  // The sidebar's field finds it as well, and a word that nobody said is told as such.
  await app.press("Ctrl+K");
  await app.type('input[role="combobox"]', "没有人说过");
  await app.find("p", { text: "Nothing fits" });
  await app.press("Escape");
  await app.type('nav input[type="search"]', "连接池");
  await app.find("nav .found button", { text: "数据库连接池" });
  await app.screenshot("sidebar-search");
  await app.find(FIELD);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
