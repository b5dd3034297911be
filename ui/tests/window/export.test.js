// A conversation saved to a file in the real window: from the palette through the system's own dialog to the bytes on the disk. And
// one that another machine saved.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { temporaryFolder } from "./app.js";
import { answered, begin, idle, newConversation, open, send } from "./chat.js";
import { systemDialog } from "./system.js";

const TITLE = "Save File";
const OPEN = "Open File";

/** Chooses an action of the palette. */
async function choose(app, action) {
  await app.press("Ctrl+K");
  await app.type('input[role="combobox"]', action);
  await app.find('[role="option"][aria-selected="true"]', { text: action });
  await app.press("Enter");
}

test("a conversation is saved where the person says, as Markdown and as a page, and nowhere when they don't", async (t) => {
  const { app, model } = await begin(t, { files: { "notes.txt": "牛奶\n" } });
  const folder = temporaryFolder("saved");
  await newConversation(app);
  await send(app, 'call read_file with {"path":"notes.txt"} then say Buy <b>牛奶</b> today.');
  await answered(app, "Buy <b>牛奶</b> today.");
  await idle(app);

  for (const [action, ending] of [["Save this conversation as Markdown", "md"], ["Save this conversation as HTML", "html"], ["Save this conversation as JSON", "json"]]) {
    await choose(app, action);
    const dialog = await systemDialog(app, TITLE);
    await app.screenshot(`save-${ending}`);
    await dialog.press("ctrl+a");
    await dialog.type(join(folder, `talk.${ending}`));
    await dialog.press("Return");
    await dialog.gone();
    await app.find("[data-sonner-toast]", { text: "Saved" });
    await app.waitFor(() => existsSync(join(folder, `talk.${ending}`)), { what: `talk.${ending} is there` });
    await app.waitFor(() => app.execute(() => document.querySelector("[data-sonner-toast]") === null), { what: "the notice is gone" });
  }
  const { conversations } = await app.call("overview", {});
  const [{ id }] = conversations;
  const exported = (format) => app.call("export", { conversation: id, format });
  assert.equal(readFileSync(join(folder, "talk.md"), "utf8"), await exported("markdown"));
  const page = readFileSync(join(folder, "talk.html"), "utf8");
  assert.equal(page, await exported("html"));
  assert.match(page, /Buy &lt;b&gt;牛奶&lt;\/b&gt; today\./, "what was said is text in the page");

  assert.equal(readFileSync(join(folder, "talk.json"), "utf8"), await exported("json"));

  await choose(app, "Save this conversation as Markdown");
  const dialog = await systemDialog(app, TITLE);
  await dialog.press("Escape");
  await dialog.gone();
  await send(app, "say still here");
  await answered(app, "still here");
  assert.deepEqual(readdirSync(folder).sort(), ["talk.html", "talk.json", "talk.md"]);
  assert.equal(await app.execute(() => document.querySelector("[data-sonner-toast]") === null), true, "nothing is said to be saved");
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});

test("what another machine saved goes on here; another text is told of, and no file is no matter", async (t) => {
  const there = await begin(t, { files: { "notes.txt": "牛奶\n" } });
  await newConversation(there.app);
  await send(there.app, 'call read_file with {"path":"notes.txt"} then say 买牛奶');
  await answered(there.app, "买牛奶");
  await idle(there.app);
  const { conversations } = await there.app.call("overview", {});
  const text = await there.app.call("export", { conversation: conversations[0].id, format: "json" });
  await there.app.quit();

  const { app, model, projectId } = await begin(t);
  await newConversation(app);
  await choose(app, "Import a conversation");
  // The field for a path loses letters that come while it opens, and nothing outside can see when it is open. So no path is typed here.
  const dialog = await systemDialog(app, OPEN);
  await dialog.press("Escape");
  await dialog.gone();
  await assert.rejects(app.call("import", { project: projectId, text: "[1, 2]" }), /can't be read/);
  assert.equal((await app.call("overview", {})).conversations.length, 1);
  const { title } = await app.call("import", { project: projectId, text });
  await open(app, title);
  await answered(app, "买牛奶");
  await app.find("p", { text: "Imported from a file" });
  await app.screenshot("imported");
  await send(app, "say 好的");
  await answered(app, "好的");
  await idle(app);
  const words = (await model.bodies()).at(-1).messages.filter(({ role }) => role !== "system").map(({ content }) => content);
  assert.deepEqual([words[0], words.at(-2), words.at(-1)], ['call read_file with {"path":"notes.txt"} then say 买牛奶', "买牛奶", "say 好的"]);
  assert.equal((await app.call("overview", {})).conversations.length, 2);
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
