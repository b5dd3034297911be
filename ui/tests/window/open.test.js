// The window opens, under its content policy, and reaches the backend.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

import { launch, program, temporaryFolder } from "./app.js";
import { FIELD, begin } from "./chat.js";
import { openBus } from "./display.js";

test("the window opens under its content policy and the backend answers", async (t) => {
  const app = await launch();
  t.after(() => app.close());

  assert.equal(await app.session.title(), "Assent");
  assert.match(await app.session.address(), /^tauri:\/\/localhost\/?/);
  assert.match(await app.invoke("ping"), /^\d+\.\d+\.\d+/);
  assert.ok((await app.text("#app")).length > 0, "the page shows something");
  assert.deepEqual(app.consoleErrors(), []);

  assert.ok(statSync(await app.screenshot("open")).size > 0);
});

test("the content policy holds: no inline script, no foreign address, no global Tauri", async (t) => {
  const app = await launch();
  t.after(() => app.close());

  const refused = await app.execute(async () => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.ranInline = true";
    document.head.append(script);
    const image = document.createElement("img");
    image.src = "http://127.0.0.1:9/pixel.png";
    document.body.append(image);
    await fetch("http://127.0.0.1:9/").catch(() => {});
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return { violations, ranInline: window.ranInline ?? null, globalTauri: "__TAURI__" in window };
  });
  assert.equal(refused.ranInline, null);
  assert.equal(refused.globalTauri, false);
  for (const directive of ["script-src-elem", "img-src", "connect-src"]) {
    assert.ok(refused.violations.includes(directive), `${directive} in ${refused.violations}`);
  }
  // What the policy refuses is printed; so an empty list in the test above means something.
  await app.waitFor(() => app.consoleErrors().length, { what: "the refusals are printed" });
});

test("a command that isn't in the table is refused", async (t) => {
  const app = await launch();
  t.after(() => app.close());
  await assert.rejects(app.invoke("plugin:fs|read_text_file", { path: "/etc/hostname" }), /not (allowed|found)/);
  await assert.rejects(app.invoke("no_such_command"), /not (allowed|found)/);
});

test("the folder of the command line is opened as a project, once", async (t) => {
  const folder = temporaryFolder("项目 一");
  const app = await launch({ folder });
  t.after(() => app.close());
  await projectOf(app, folder);
  assert.equal(await app.invoke("launch_folder"), null, "nothing is left to hand over");
});

test("the program leaves in good order when it is asked to, and comes back as large as it was", async (t) => {
  const home = temporaryFolder();
  const first = await launch({ home, size: { width: 1000, height: 700 } });
  t.after(() => first.close());
  await first.quit();

  const second = await launch({ home, resize: false });
  t.after(() => second.close());
  assert.deepEqual(await second.execute(() => [innerWidth, innerHeight]), [1000, 700]);
});

test("a killed program starts again on the same data folder", async (t) => {
  const home = temporaryFolder();
  const first = await launch({ home });
  t.after(() => first.close());
  await first.kill9();

  const second = await launch({ home });
  t.after(() => second.close());
  assert.notEqual(second.pid, first.pid);
  assert.equal(await second.session.title(), "Assent");
});

test("p58_a second start hands its folder to the first window and ends", async (t) => {
  const bus = await openBus();
  t.after(() => bus.close());
  const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
  const app = await launch({ env });
  t.after(() => app.close());
  const parent = temporaryFolder("上级 目录");
  mkdirSync(join(parent, "项目 二"));

  const second = spawn(program(), ["项目 二"], {
    cwd: parent,
    stdio: "ignore",
    env: { ...process.env, ...env, ASSENT_HOME: app.home, DISPLAY: app.display },
  });
  const [code] = await once(second, "exit");

  assert.equal(code, 0);
  await projectOf(app, join(parent, "项目 二"));
});

test("another data folder is another program", async (t) => {
  const bus = await openBus();
  t.after(() => bus.close());
  const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
  const one = await launch({ env });
  t.after(() => one.close());
  const two = await launch({ env });
  t.after(() => two.close());
  assert.equal(await one.session.title(), await two.session.title());
});

test("theme and language of the desktop reach the page", async (t) => {
  const app = await launch({ theme: "dark", lang: "zh-CN", size: { width: 900, height: 640 } });
  t.after(() => app.close());
  const seen = await app.execute(() => ({
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    language: navigator.language,
    width: innerWidth,
    height: innerHeight,
  }));
  assert.deepEqual(seen, { isDark: true, language: "zh-CN", width: 900, height: 640 });
  await app.screenshot("open-dark-zh");
});

test("a Chinese window without an input method is still drawn when a text field has the focus", async (t) => {
  const { app } = await begin(t, { lang: "zh-CN" });
  await app.click("button", { text: "新对话" });
  await app.find(FIELD);
  const pixels = async (name) => readFileSync(await app.screenshot(name));
  const before = await pixels("field-zh");
  await app.type(FIELD, "写一点东西，看看有没有画出来");
  await app.waitFor(async () => !before.equals(await pixels("typed-zh")), { what: "the text is drawn" });
});

/** Waits until a folder is a project, in the backend and in the sidebar. */
async function projectOf(app, folder) {
  await app.waitFor(() => app.call("overview", {}), {
    until: ({ projects }) => projects.some((project) => project.folder === folder),
    what: `${folder} is a project`,
  });
  await app.find("#app", { text: basename(folder) });
}
