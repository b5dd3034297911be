// The main job in the real window: read, write with approval, reject, go on after a restart, stop.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { commands, launch } from "./app.js";
import { CARD, answered, begin, decide, idle, newConversation, open, send } from "./chat.js";

const WRITE = 'call read_file with {"path":"notes.txt"} then call write_file with {"path":"greeting.txt","content":"你好, world\\n"} then say Written and done.';

test("a message is answered, a file read, a write shown, approved and done", async (t) => {
  const { app, model, project } = await begin(t, { files: { "notes.txt": "remember the milk\n" } });
  await newConversation(app);
  await send(app, WRITE);

  const card = await app.text(CARD);
  assert.match(card, /greeting\.txt/);
  assert.match(card, /你好, world/, "the diff shows what would be written");
  assert.equal(existsSync(join(project, "greeting.txt")), false);
  await app.screenshot("approval");

  await decide(app, "Approve");
  await answered(app, "Written and done.");
  await idle(app);
  assert.equal(readFileSync(join(project, "greeting.txt"), "utf8"), "你好, world\n");
  const bodies = await model.bodies();
  assert.equal(bodies.length, 3);
  assert.match(JSON.stringify(bodies[1].messages), /remember the milk/, "the model saw what was read");
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
  await app.screenshot("written");
});

test("a rejection with a note reaches the model, and nothing is written", async (t) => {
  const { app, model, project } = await begin(t);
  await newConversation(app);
  await send(app, 'call write_file with {"path":"a.txt","content":"no"} then say As you wish.');
  await decide(app, "Reject");
  await app.type(`${CARD} textarea`, "not in this folder, 请换一个");
  await app.press("Enter");
  await answered(app, "As you wish.");
  assert.equal(existsSync(join(project, "a.txt")), false);
  const [, second] = await model.bodies();
  const result = second.messages.find(({ role }) => role === "tool");
  assert.match(result.content, /not in this folder, 请换一个/);
  assert.match(result.content, /did not run/i);
  assert.deepEqual(await model.violations(), []);
});

test("a card that waits is there again after a restart, and can still be approved", async (t) => {
  const { app, model, project } = await begin(t);
  await newConversation(app);
  await send(app, 'call write_file with {"path":"later.txt","content":"after the restart"} then say Back again.');
  await app.find(CARD);
  await app.quit();

  const again = await launch({ home: app.home });
  t.after(() => again.close());
  await open(again, "later.txt");
  assert.match(await again.text(CARD), /later\.txt/);
  assert.equal(existsSync(join(project, "later.txt")), false);
  assert.equal((await model.bodies()).length, 1, "a restart alone asks no model");
  await decide(again, "Approve");
  await answered(again, "Back again.");
  assert.equal(readFileSync(join(project, "later.txt"), "utf8"), "after the restart");
  assert.deepEqual(await model.violations(), []);
});

test("stopping a command leaves no process behind and keeps what was said", async (t) => {
  const { app, model } = await begin(t);
  await newConversation(app);
  await send(app, 'call run_command with {"command":"sleep 4711 & (sleep 4712; true) & echo begun; sleep 4713"} then say never');
  await decide(app, "Approve");
  const sleepers = () => commands().filter((command) => /^sleep 471[123]$/.test(command)).sort();
  await app.waitFor(sleepers, { until: (found) => found.length === 3, what: "the command and its children run" });
  await app.find('[role="list"], ul', { text: "begun" });

  await app.click("button", { text: "Stop" });
  await app.waitFor(sleepers, { until: (found) => found.length === 0, what: "no child is left" });
  await idle(app);
  assert.equal((await model.bodies()).length, 1, "nothing goes on after a stop");
  const [row] = (await app.call("overview", {})).conversations;
  assert.equal(row.ended, "stopped");
});
