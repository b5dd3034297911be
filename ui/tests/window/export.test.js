// A conversation saved to a file in the real window: from the palette through the system's own dialog to the bytes on the disk.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { temporaryFolder } from "./app.js";
import { answered, begin, idle, newConversation, send } from "./chat.js";
import { systemDialog } from "./system.js";

const TITLE = "Save File";

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

  for (const [action, ending] of [["Save this conversation as Markdown", "md"], ["Save this conversation as HTML", "html"]]) {
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

  await choose(app, "Save this conversation as Markdown");
  const dialog = await systemDialog(app, TITLE);
  await dialog.press("Escape");
  await dialog.gone();
  await send(app, "say still here");
  await answered(app, "still here");
  assert.deepEqual(readdirSync(folder).sort(), ["talk.html", "talk.md"]);
  assert.equal(await app.execute(() => document.querySelector("[data-sonner-toast]") === null), true, "nothing is said to be saved");
  assert.deepEqual(await model.violations(), []);
  assert.deepEqual(app.consoleErrors(), []);
});
