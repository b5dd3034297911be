// Questions of the model in the real window: answered by what is on offer, in own words, in the inbox, and after a restart.

import assert from "node:assert/strict";
import { test } from "node:test";

import { launch } from "./app.js";
import { FIELD, answered, begin, idle, newConversation, open, openPanel, send } from "./chat.js";

const QUESTION = '[role="group"][aria-label^="Question"]';
const asks = (question, options, then) => `call ask_user with ${JSON.stringify({ question, options })} then say ${then}`;
const DATABASE = asks("Which database, 哪个数据库?", ["SQLite", "Postgres with a long name that needs more room than one line of a narrow window has"], "Good choice.");

/** What the model got as the result of its last call. */
const told = async (model) => (await model.bodies()).at(-1).messages.findLast(({ role }) => role === "tool").content;

test("a question is answered by an option, in own words, and in the composer, and the model gets exactly that", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, DATABASE);
  await app.find(QUESTION, { text: "Which database, 哪个数据库?" });
  await app.screenshot("question");
  assert.equal((await model.bodies()).length, 1, "the model waits");
  await app.click(`${QUESTION} button`, { text: "SQLite" });
  await answered(app, "Good choice.");
  assert.match(await told(model), /^The user answered:\n`+\nSQLite\n`+$/);
  await app.find(".call .meta", { text: "SQLite" });

  await send(app, asks("And the folder?", [], "So be it."));
  await app.type(`${QUESTION} textarea`, "数据/ below the root");
  await app.press("Enter");
  await answered(app, "So be it.");
  assert.match(await told(model), /\n数据\/ below the root\n/);

  await send(app, asks("One more?", ["No"], "Enough."));
  await app.find(QUESTION, { text: "One more?" });
  await send(app, "只有一个");
  await answered(app, "Enough.");
  await idle(app);
  assert.match(await told(model), /\n只有一个\n/);
  assert.equal(await app.execute((css) => document.querySelectorAll(css).length, QUESTION), 0);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});

test("a question waits over a restart, in its conversation and in the inbox, and is answered there", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, DATABASE);
  await app.find(QUESTION);
  await app.kill9();

  const again = await launch({ home: app.home });
  t.after(() => again.close());
  await open(again, "call ask_user");
  await again.find(`main ${QUESTION}`, { text: "Which database, 哪个数据库?" });
  assert.equal((await model.bodies()).length, 1, "a restart asks no model");
  await openPanel(again, "Inbox");
  await again.click("aside li", { text: "Which database" });
  await again.screenshot("question-inbox");
  await again.execute((css) => document.querySelector(`aside ${css}`).focus(), QUESTION);
  await again.press("1");
  await answered(again, "Good choice.");
  await idle(again);
  assert.match(await told(model), /\nSQLite\n/);
  await again.waitFor(() => again.execute((css) => document.querySelectorAll(css).length, QUESTION), { until: (count) => count === 0, what: "the question is gone from both places" });
  await again.find(FIELD);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(again.consoleErrors(), []);
});
