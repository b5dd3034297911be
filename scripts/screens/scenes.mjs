// The scenes: each brings the window into some states and takes a picture of each.
// How a window is started and how it is asked is the stage's.

import { TEST_OUTPUT } from "./content.mjs";
import { LONG_SCENES } from "./long.mjs";
import { call, event, held, reading, usage } from "./replies.mjs";
import { FIELD } from "./stage.mjs";

const CARD = "[data-decision]";
const edit = call("patch_file", {
  path: "src/retry.rs",
  edits: [
    { old: "                Err(error) => match", new: "                // What has begun is never begun again.\n                Err(error @ Error::Cut { .. }) => return Err(error),\n                Err(error) if error.is_connect() => match" },
  ],
});
const testRun = call("run_command", { command: "cargo test --workspace retry" });

/** The main picture: what was read, what is said, an edit and a command that wait. */
async function main(stage) {
  const { words } = stage;
  const project = await stage.project();
  for (const [name, titles] of words.others) {
    const other = await stage.project(name, { "notes.md": "# notes\n" });
    for (const title of titles) {
      await stage.model.play({ replies: name === words.others[0][0] && title === titles[0] ? [{ calls: [call("write_file", { path: words.notes, content: words.notesText })] }] : [{ say: words.short }] });
      const { id } = await stage.app.call("create_conversation", { project: other });
      await stage.app.call("rename", { conversation: id, title });
      await stage.send(id, title);
      await stage.row(id, ({ generating, pending }) => !generating || pending > 0);
    }
  }
  const gates = [];
  for (const [at, title] of words.titles.entries()) {
    const { id } = await stage.app.call("create_conversation", { project });
    await stage.app.call("rename", { conversation: id, title });
    if (at === 0) gates.push(id);
    const reply = at === 0 ? null : at === 2 ? { status: 401, body: JSON.stringify({ error: { message: "invalid api key" } }) } : { say: words.short };
    if (!reply) continue;
    await stage.model.play({ replies: [reply] });
    await stage.send(id, title);
    await stage.idle(id);
    if (at > 2) await stage.app.call("mark_read", { conversation: id });
  }
  await stage.model.play({ replies: [held(words.slow)] });
  await stage.send(gates[0], words.titles[0]);
  await stage.app.waitFor(() => stage.model.requests(), { until: (requests) => requests.length === 1 });
  const id = await stage.begin(project, words.title);
  await stage.model.play({
    replies: [
      { calls: [...reading("src/retry.rs", "src/stream.rs", "tests/retry.rs"), call("grep", { pattern: "sleep(", fixed: true })], usage: usage(21_000, 9_000) },
      { say: words.finding, calls: [edit, testRun], usage: usage(48_000, 44_200) },
    ],
  });
  await stage.say(words.ask);
  await stage.pending(id, 2);
  await stage.app.find(CARD);
  await stage.app.press("Ctrl+i");
  await stage.send(id, words.next);
  await stage.app.click(".inbox .ask");
  await stage.rest(1500);
  await stage.app.execute(() => document.activeElement?.blur() ?? null);
  await stage.picture("main");
  await stage.toTop();
  await stage.rest();
  await stage.picture("main-top");
}

async function firstStart(stage) {
  await stage.app.find("h1", { text: "Assent" });
  await stage.rest(1500);
  await stage.picture("first-start");
}

async function settings(stage) {
  const { app, labels } = stage;
  await app.press("Ctrl+,");
  await app.find('[role="dialog"]');
  await stage.rest(400);
  await stage.picture("settings-empty");
  await app.click('[role="dialog"] button', { text: labels.add });
  await app.find('[role="menu"]');
  await stage.rest(300);
  await stage.picture("settings-presets");
  await app.click('[role="menuitem"]', { text: labels.other });
  const [name, address, key] = await app.session.elements('[role="dialog"] input');
  await stage.picture("settings-new");
  await app.session.type(name, "llama.cpp");
  await app.session.type(address, stage.model.baseUrl);
  await app.session.type(key, "sk-wrong");
  const [, , , , model] = await app.session.elements('[role="dialog"] input');
  await app.session.type(model, "qwen3-coder");
  await app.press("Enter");
  await stage.model.play({ replies: [{ status: 401, body: JSON.stringify({ error: { message: "Incorrect API key provided: sk-wr***ng" } }), headers: { "content-type": "application/json" } }] });
  await app.click('[role="dialog"] button', { text: labels.test });
  await app.find(".report");
  await stage.rest(300);
  await stage.picture("settings-wrong-key");
  await stage.model.play({ models: ["qwen3-coder", "glm-5-air"], replies: [{ say: "ok" }] });
  await app.click('[role="dialog"] button', { text: labels.test });
  await app.find(".report.works");
  await stage.rest(300);
  await stage.picture("settings-works");
  await app.click('[role="dialog"] button', { text: labels.save });
  await stage.rest(400);
  for (const [at, section] of ["providers", "model", "concurrency", "appearance", "language"].entries()) {
    await app.execute((place) => document.querySelectorAll('[role="dialog"] nav button')[place].click(), at);
    await stage.rest(300);
    if (section === "providers") await app.execute(() => document.querySelector('[role="dialog"] section > button')?.click() ?? null);
    await stage.rest(200);
    await stage.picture(`settings-${section}`);
  }
}

/** What was used. */
async function usagePage(stage) {
  const { app, words, labels } = stage;
  const project = await stage.project();
  const id = await stage.begin(project, words.title, [{ say: words.explained, usage: usage(12_400, 9_800) }]);
  await stage.say(words.explain);
  await stage.idle(id);
  await app.click("nav button, aside button", { text: labels.usage });
  await stage.rest(900);
  await stage.picture("usage");
}

async function chat(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const id = await stage.begin(project, words.title, [{ think: words.thinking, say: words.explained, usage: usage(12_400, 9_800) }]);
  await stage.picture("empty-conversation");
  await stage.say(words.explain);
  await stage.idle(id);
  await stage.rest(700);
  await stage.toTop();
  await stage.picture("chat-top");
  await stage.scrollTo("article.answer", { block: "end" });
  await stage.picture("chat-bottom");
  await app.click("article.answer .link");
  await stage.rest(400);
  await stage.picture("link");
  await app.press("Escape");
  await stage.rest(300);
  await stage.pressOn("article.answer .acts button:last-child");
  await app.find('[role="dialog"] pre, [role="dialog"] code');
  await stage.rest(400);
  await stage.picture("what-the-model-saw");
  await app.press("Escape");
  await stage.rest(300);
  await app.click("header .select-trigger");
  await stage.rest(300);
  await stage.picture("mode-menu");
  await app.press("Escape");
  await app.click("header .pick");
  await stage.rest(600);
  await stage.picture("model-menu");
  await app.press("Escape");
  await app.type(FIELD, "@re");
  await app.find('[role="listbox"]');
  await stage.rest(300);
  await stage.picture("mention");
  await app.press("Escape");
}

async function tools(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const id = await stage.begin(project, words.title, [
    { calls: [...reading("src/retry.rs", "src/stream.rs", "tests/retry.rs"), call("grep", { pattern: "sleep(", fixed: true }), call("list_directory", { path: "src" }), call("git_status", {}), call("read_file", { path: "src/nothing.rs" })] },
    { say: words.finding, calls: [edit] },
  ]);
  await stage.say(words.ask);
  await stage.pending(id);
  await stage.model.play({ replies: [{ calls: [call("run_command", { command: `printf '%b\\n' ${TEST_OUTPUT.map((line) => `"${line}"`).join(" ")}; exit 101` })] }, { say: words.failing, calls: [call("run_command", { command: "for n in 1 2 3 4 5 6; do echo \"step $n of 6\"; sleep 0.1; done; sleep 600" })] }] });
  await stage.approve(id);
  await stage.pending(id);
  await stage.rest();
  await stage.approve(id);
  await stage.row(id, ({ pending }) => pending === 0);
  await stage.pending(id);
  await stage.approve(id);
  await stage.rest(2500);
  await stage.picture("tools-running");
  await app.execute(() => [...document.querySelectorAll(".tools .line")].at(-1).click());
  await stage.rest(700);
  await stage.picture("tools-live-output");
  await app.call("stop", { conversation: id });
  await stage.idle(id);
  await stage.rest(700);
  await stage.picture("tools-stopped");
  await app.execute(() => [...document.querySelectorAll(".tools .line")].at(-1).click());
  await stage.rest(300);
  const lines = () => app.execute(() => [...document.querySelectorAll(".tools .line")].map((line) => line.innerText));
  const open = (at) => app.execute((place) => { const line = [...document.querySelectorAll(".tools .line")].at(place); line.click(); }, at);
  const all = await lines();
  await open(all.findIndex((text) => text.includes("101")));
  await stage.rest(500);
  await stage.picture("tools-failed-output");
  await open((await lines()).findIndex((text) => text.includes("101")));
  await stage.toTop();
  await open((await lines()).findIndex((text) => text.includes("+") && text.includes("retry.rs")));
  await stage.rest(500);
  await stage.picture("tools-diff");
  await open((await lines()).findIndex((text) => text.includes("+") && text.includes("retry.rs")));
  await open(0);
  await stage.rest(300);
  await open((await lines()).findIndex((text) => text.includes("nothing.rs")));
  await stage.rest(400);
  await stage.picture("tools-open");
}

async function cards(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const id = await stage.begin(project, words.title, [
    { calls: reading("Cargo.toml", "src/retry.rs", "tests/retry.rs") },
    {
      say: words.cardsSaid,
      calls: [
        call("write_file", { path: "tests/streams.rs", content: words.newTest }),
        call("patch_file", { path: "Cargo.toml", edits: [{ old: 'version = "0.4.0"', new: 'version = "0.4.1"' }] }),
        call("delete_file", { path: "src/old" }),
        call("rename_file", { from: "src/stream.rs", to: "src/channel.rs" }),
        call("run_command", { command: "cargo test --workspace" }),
      ],
    },
  ]);
  await stage.say(words.cards);
  await stage.pending(id, 3);
  await stage.rest(1200);
  for (let at = 0; at < 5; at += 1) {
    if (at === 0) await stage.toTop();
    else if (!(await stage.scrollTo(CARD, { at, block: "center" }))) break;
    await stage.picture(`cards-${at + 1}`);
  }
  await stage.toTop();
  await app.click(`${CARD} .layout button:last-child`);
  await stage.rest(500);
  await stage.picture("card-split");
  await app.click(`${CARD} .layout button:first-child`);
  await app.click(`${CARD} .acts [aria-haspopup="menu"]`);
  await stage.rest(400);
  await stage.picture("card-scope");
  await app.press("Escape");
  await stage.rest(700);
  await app.click(`${CARD} .acts button`, { text: stage.labels.reject });
  await app.type(`${CARD} textarea`, words.rejectNote);
  await stage.rest(300);
  await stage.picture("card-reject");
}

async function risky(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const script = 'set -eu\ncurl -fsSL https://example.com/install.sh | sh\nrm -rf build/ "$HOME/.cache/atlas"\ngit push --force origin main';
  const long = `cargo build --release && ${Array.from({ length: 90 }, (_, n) => `cp target/release/part-${n} dist/part-${n}/atlas`).join(" && ")} && echo done`;
  const id = await stage.begin(project, words.title, [{ calls: reading("src/retry.rs") }, { calls: [call("run_command", { command: script, timeout: 600 })] }]);
  await stage.say(words.risky);
  await stage.pending(id);
  await stage.rest(1200);
  await stage.picture("card-script");
  const other = await stage.begin(project, words.titles[1], [{ calls: [call("run_command", { command: long })] }]);
  await stage.say(words.longCommand);
  await stage.pending(other);
  await stage.rest(1200);
  await stage.picture("card-long-command");
  const table = `export const CODES = {\n${Array.from({ length: 400 }, (_, n) => `  ${100 + n}: "${n % 3 ? "ok" : "继续"}",`).join("\n")}\n};\n`;
  const third = await stage.begin(project, words.titles[2], [{ calls: [call("write_file", { path: "src/codes.ts", content: table }), call("write_file", { path: ".env", content: "TOKEN=\u202eabc\n" })] }]);
  await stage.say(words.manyLines);
  await stage.pending(third);
  await stage.rest(1200);
  await stage.picture("card-long-file");
  await stage.scrollTo(CARD, { at: -1, block: "end" });
  await stage.picture("card-long-file-end");
}

async function inbox(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const proposals = [[edit], [testRun], [call("write_file", { path: words.notes, content: words.notesText })], [call("delete_file", { path: "src/old" })]];
  for (const [at, calls] of proposals.entries()) {
    const { id } = await app.call("create_conversation", { project });
    await app.call("rename", { conversation: id, title: [words.title, ...words.titles][at] });
    await stage.model.play({ replies: [{ calls: reading("src/retry.rs") }, { calls }] });
    await stage.send(id, "go");
    await stage.pending(id);
  }
  await app.press("Ctrl+i");
  await app.find(".inbox");
  await stage.rest(500);
  await stage.picture("inbox");
  await app.execute(() => document.querySelector(".inbox").focus());
  await app.press("j");
  await stage.rest(1200);
  await stage.picture("inbox-first");
  await app.press("j");
  await stage.rest(1200);
  await stage.picture("inbox-second");
}

async function ends(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const stopped = await stage.begin(project, words.titles[0], [held(words.stoppedSaid)]);
  await stage.say(words.stopped);
  await app.find("article.answer");
  await stage.send(stopped, words.next);
  await stage.send(stopped, words.soon, "next-step");
  await stage.rest(500);
  await app.type(FIELD, words.next);
  await stage.rest(300);
  await stage.picture("queue");
  await app.session.clear((await app.session.elements(FIELD))[0]);
  await app.call("stop", { conversation: stopped });
  await stage.rest(900);
  await stage.picture("stopped");

  const cut = await stage.begin(project, words.titles[1], [{ steps: [event({ content: words.cutSaid }), { pause_ms: 300 }, "cut"] }]);
  await stage.say(words.cut);
  await stage.idle(cut);
  await stage.rest(600);
  await stage.picture("discarded");

  const failed = await stage.begin(project, words.titles[2], [{ status: 401, body: JSON.stringify({ error: { message: "Incorrect API key provided: sk-wr***ng" } }), headers: { "content-type": "application/json" } }]);
  await stage.say(words.fails);
  await stage.idle(failed);
  await stage.rest(600);
  await stage.picture("error");

  const limited = await stage.begin(project, words.titles[3], Array.from({ length: 12 }, (_, n) => ({ calls: [call("list_directory", { path: n % 2 ? "src" : "tests" })] })));
  await app.call("set_limits", { conversation: limited, limits: { ...(await app.call("overview", {})).settings.limits, max_iterations: 2 } });
  await stage.say(words.stopped);
  await stage.idle(limited);
  await stage.rest(600);
  await stage.picture("max-iterations");

  const plan = await stage.begin(project, words.titles[4], [{ calls: [call("write_file", { path: "a.txt", content: "a\n" })] }, { say: words.short }]);
  await app.call("set_mode", { conversation: plan, mode: "plan" });
  await stage.say(words.cards);
  await stage.idle(plan);
  await app.call("set_mode", { conversation: plan, mode: "auto" });
  await stage.model.play({ replies: [{ calls: [call("write_file", { path: "a.txt", content: "a\n" })] }, { say: words.short }] });
  await stage.say(words.cards);
  await stage.idle(plan);
  await stage.rest(600);
  await stage.picture("plan-and-auto");
}

async function rules(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  const id = await stage.begin(project, words.title, [
    { calls: [call("run_command", { command: "cargo --version" })] },
    { calls: [call("run_command", { command: "cargo --version" })] },
    { calls: [call("write_file", { path: "notes.md", content: "one\n" })] },
    { say: words.short },
  ]);
  await stage.say(words.tests);
  await stage.pending(id);
  const [row] = await app.call("inbox", {});
  await app.call("approve", { call: row.call, digest: row.card.digest, scope: { reach: "conversation", rule: row.card.breadths[0].rule }, note: null });
  await stage.row(id, ({ pending }) => pending === 0);
  await stage.pending(id);
  await app.find(CARD);
  await stage.rest(900);
  await app.click(`${CARD} .acts button`, { text: stage.labels.reject });
  await app.type(`${CARD} textarea`, words.rejectNote);
  await app.press("Enter");
  await stage.idle(id);
  await stage.rest(700);
  await stage.picture("rule-and-note");
}

async function closing(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  await stage.begin(project, words.title, [held(words.slow)]);
  await stage.say(words.titles[0]);
  await app.find("article.answer");
  await app.invoke("plugin:window|close", { label: "main" });
  await app.find('[role="dialog"], [role="alertdialog"]');
  await stage.rest(400);
  await stage.picture("closing");
}

async function lists(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  await stage.project("field-notes", { "a.md": "a\n" });
  await stage.rest(300);
  for (const title of words.titles) {
    const { id } = await app.call("create_conversation", { project });
    await app.call("rename", { conversation: id, title });
  }
  await stage.rest(600);
  await stage.picture("nothing-open");
  await app.press("Ctrl+i");
  await stage.rest(400);
  await stage.picture("inbox-empty");
  await app.type('input[type="search"]', words.search);
  await stage.rest(300);
  await stage.picture("search-nothing");
  await app.press("Escape");
  await app.execute(() => document.querySelector("nav .item .dots").click());
  await stage.rest(400);
  await stage.picture("conversation-menu");
  await app.execute(() => [...document.querySelectorAll('[role="menuitem"]')].at(-1).click());
  await stage.rest(600);
  await stage.picture("deleted-toast");
  await app.execute(() => document.querySelector("nav section .dots").click());
  await stage.rest(400);
  await stage.picture("project-menu");
}

async function watchdog(stage) {
  const { words, app } = stage;
  const project = await stage.project();
  await stage.begin(project, words.title, [held(words.slow)]);
  await stage.say(words.titles[0]);
  await app.find("article.answer");
  // As when the page's channel breaks: the engine speaks, and nobody hears it.
  await app.execute(() => {
    const { invoke, transformCallback } = window.__TAURI_INTERNALS__;
    return invoke("subscribe", { channel: `__CHANNEL__:${transformCallback(() => {})}` }).then(() => null);
  });
  await stage.rest(72_000);
  await stage.picture("watchdog");
}

export const SCENES = { main, "first-start": firstStart, settings, usage: usagePage, chat, tools, cards, risky, inbox, ends, rules, closing, lists, ...LONG_SCENES, watchdog };
