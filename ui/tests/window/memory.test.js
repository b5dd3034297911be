// What is remembered, in the real window: edited in the settings, saved to its files, and told in the next conversation.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { answered, begin, decide, idle, newConversation, openSettings, send } from "./chat.js";

const TEXT = (label) => `[role="dialog"] textarea[aria-label="${label}"]`;
const system = async (model) => (await model.bodies()).at(-1).messages.filter(({ role }) => role === "system").map(({ content }) => content).join("\n");

/** The button of one of the texts. */
const press = (app, label, name) => app.click(`[role="dialog"] section[aria-label="${label}"] button`, { text: name });

test("what a person writes is saved to both files and goes ahead of the next conversation", async (t) => {
  const { app, model, project } = await begin(t);
  const about = `About ${project.split("/").at(-1)}`;
  await openSettings(app, "Memory");
  await app.type(TEXT("About you"), "- 喜欢简短的回答");
  await app.find('[role="dialog"]', { text: "Not saved" });
  await press(app, "About you", "Save");
  await app.type(TEXT(about), "- The tests run with `make check`");
  await press(app, about, "Save");
  await app.waitFor(() => app.execute(() => document.querySelector('[role="dialog"]').innerText.includes("Not saved")), { until: (unsaved) => !unsaved, what: "both are saved" });
  await app.screenshot("memory");
  assert.equal(readFileSync(join(app.home, "USER.md"), "utf8"), "- 喜欢简短的回答");
  const file = join(project, ".assent/MEMORY.md");
  assert.equal(readFileSync(file, "utf8"), "- The tests run with `make check`");

  // Another program is faster: what stands in the field isn't written over its text.
  writeFileSync(file, "- The tests run with `make all`\n");
  await app.type(TEXT(about), " and more");
  await press(app, about, "Save");
  await app.find('[role="dialog"] [role="alert"]', { text: "changed meanwhile" });
  assert.equal(readFileSync(file, "utf8"), "- The tests run with `make all`\n");
  await press(app, about, "Load anew");
  await app.waitFor(() => app.execute((css) => document.querySelector(css).value, TEXT(about)), { until: (text) => text.includes("make all"), what: "the file's text is in the field" });
  await app.type(TEXT(about), "- and quickly");
  await press(app, about, "Save");
  await app.waitFor(() => readFileSync(file, "utf8"), { until: (text) => text.includes("quickly"), what: "it is saved" });
  await app.press("Escape");

  await newConversation(app);
  await send(app, "say first");
  await answered(app, "first");
  await idle(app);
  const told = JSON.stringify((await model.bodies()).at(-1).messages);
  assert.match(told, /喜欢简短的回答/);
  assert.match(told, /make all[^]*and quickly/, "what a person wrote counts at once");
  assert.doesNotMatch(await system(model), /left out/);

  // The model's own fact waits at a card, and the next conversation has it.
  await send(app, 'call memory with {"action":"add","scope":"user","text":"uses 深色 theme"} then say Noted.');
  await decide(app, "Approve");
  await answered(app, "Noted.");
  await idle(app);
  assert.match(readFileSync(join(app.home, "USER.md"), "utf8"), /uses 深色 theme/);
  await newConversation(app);
  await send(app, "say second");
  await answered(app, "second");
  await idle(app);
  assert.match(JSON.stringify((await model.bodies()).at(-1).messages), /uses 深色 theme/);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
