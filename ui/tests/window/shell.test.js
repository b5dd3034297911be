// The window around the page: keys, a data folder in use, closing while something runs, being killed in the middle.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { commands, launch, program } from "./app.js";
import { ANSWER, begin, decide, newConversation, send } from "./chat.js";

const KEY = "sk-canary-31b0d6";

/** The files beneath a folder that hold `text`. */
function filesWith(folder, text) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test("without a keychain a key lies in one file that only the owner can read, and is sent to its host alone", async (t) => {
  const { app, model } = await begin(t);
  assert.equal(await app.call("key_place", { provider: "fake" }), "not-needed");
  assert.equal(await app.call("set_key", { provider: "fake", key: KEY }), "file");
  assert.equal(await app.call("key_place", { provider: "fake" }), "file");
  await newConversation(app);
  await send(app, "say hello");
  await app.find(ANSWER, { text: "hello" });
  const [request] = await model.requests();
  assert.equal(request.authorization, `Bearer ${KEY}`);

  const [file, ...others] = filesWith(app.home, KEY);
  assert.deepEqual(others, []);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!app.output().includes(KEY));
  assert.ok(!(await app.execute(() => document.documentElement.outerHTML)).includes(KEY));

  assert.equal(await app.call("set_key", { provider: "fake", key: "" }), "nowhere");
  assert.deepEqual(filesWith(app.home, KEY), []);
});

test("a second program on the same data folder says so and ends with code 1", async (t) => {
  const app = await launch();
  t.after(() => app.close());
  const second = spawn(program(), [], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ASSENT_HOME: app.home, DISPLAY: app.display, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent", NO_AT_BRIDGE: "1" },
  });
  t.after(() => second.kill("SIGKILL"));
  let said = "";
  second.stderr.on("data", (bytes) => (said += bytes));
  await app.waitFor(() => /already open with this data folder \(assent-desktop \(process \d+\)\)/.test(said), { what: "it says why" });
  await app.screenshot("in-use");
  assert.equal(second.exitCode, null, "it waits until the dialog is read");
});

test("closing while a conversation works asks, and then stops it", async (t) => {
  const { app } = await begin(t);
  await newConversation(app);
  await send(app, "say 1000000 tokens every 5 ms");
  await app.find(ANSWER, { text: "t3" });
  await app.invoke("plugin:window|close", { label: "main" });
  const dialog = await app.text('[role="dialog"], [role="alertdialog"]');
  assert.match(dialog, /1 conversation/);
  await app.screenshot("closing");
  assert.ok(commands().some((command) => command.startsWith(program())), "it is still there");
});

test("killed during a command, the program leaves no process behind", async (t) => {
  const { app } = await begin(t);
  await newConversation(app);
  await send(app, 'call run_command with {"command":"sleep 5711 & (sleep 5712; true) & sleep 5713"}');
  await decide(app, "Approve");
  const sleepers = () => commands().filter((command) => /^sleep 571[123]$/.test(command));
  await app.waitFor(sleepers, { until: (found) => found.length === 3, what: "the command runs" });
  await app.kill9();
  await app.waitFor(sleepers, { until: (found) => found.length === 0, what: "no child is left" });
});
