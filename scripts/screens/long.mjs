// The scenes of long conversations: what fills the window, summaries, the palette, what waits, sub-agents, questions, steps, memory,
// trust and forks. How a window is started and how it is asked is the stage's.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { FILES } from "./content.mjs";
import { LONG } from "./long-content.mjs";
import { call, held, reading, usage } from "./replies.mjs";
import { FIELD } from "./stage.mjs";

const YOU = "article.user";
const QUESTION = "[data-decision].question";

/** A conversation of many messages in a small window, with some files read and one changed. */
async function talked(stage) {
  const { words } = stage;
  const long = LONG[stage.look.lang];
  await stage.provide("qwen3-coder", 24_000);
  stage.provided = true;
  const project = await stage.project();
  const id = await stage.begin(project, words.title);
  for (const [at, [asked, said]] of long.talk.entries()) {
    const first = at === 0 ? [{ calls: reading("src/stream.rs", "src/retry.rs", "tests/retry.rs", "Cargo.toml") }] : [];
    await stage.model.play({ replies: [...first, { say: said, usage: usage(3_000 + at * 120, 2_800 + at * 110) }], summary: { say: long.summary } });
    await stage.send(id, asked);
    await stage.row(id, ({ generating, queued }) => !generating && queued === 0);
  }
  return id;
}

async function summary(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const id = await talked(stage);
  await stage.panel("context");
  await app.find(".context");
  await stage.rest(600);
  await stage.picture("context");
  await app.type(".context textarea", long.wish);
  await app.click(".context .go button");
  await app.find(".cut button[aria-expanded]");
  await stage.rest(900);
  await stage.picture("summary");
  // In a narrow window the panel lies over the conversation.
  if (stage.look.size.width < 1000) await app.press("Ctrl+i");
  await app.click(".cut button[aria-expanded]");
  await stage.rest(700);
  await stage.picture("summary-open");
  await app.execute(() => location.reload());
  await stage.lookAt(words.title);
  await app.find(".cut button[aria-expanded]");
  await stage.rest(900);
  await stage.toTop();
  await stage.picture("summary-folded");
  await stage.row(id, ({ generating }) => !generating);
}

async function palette(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  await talked(stage);
  const project = await stage.project();
  for (const title of words.titles) {
    const { id } = await app.call("create_conversation", { project });
    await app.call("rename", { conversation: id, title });
  }
  await stage.rest(300);
  await app.press("Ctrl+k");
  await app.find('[role="dialog"] input');
  await stage.rest(500);
  await stage.picture("palette");
  await app.type('[role="dialog"] input', long.query);
  await app.find('[role="option"] mark');
  await stage.rest(400);
  await stage.picture("palette-found");
  await app.press("Enter");
  await stage.rest(900);
  await stage.picture("palette-led");
}

async function queue(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const id = await stage.begin(await stage.project(), words.title, [held(words.slow)]);
  await stage.say(words.titles[0]);
  await app.find("article.answer");
  for (const text of long.queue) await stage.send(id, text);
  await stage.send(id, long.steer, "next-step");
  await app.find("ol.line li:nth-child(4)");
  await stage.rest(500);
  await stage.picture("queue-line");
  await stage.pressOn("ol.line li:nth-child(2) [data-words]");
  await stage.rest(400);
  await stage.picture("queue-editor");
}

async function steering(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const files = { ...FILES, "AGENTS.md": long.rules, "tests/AGENTS.md": long.nested, ".claude/skills/review/SKILL.md": long.skill };
  const project = await stage.project("atlas", files);
  await stage.begin(project, words.title, [{ say: words.short }]);
  await app.find('[role="status"] .words');
  await stage.rest(500);
  await stage.picture("steering-bar");
  await app.click('[role="status"] button');
  await app.find('[role="dialog"] li');
  await stage.rest(600);
  await stage.picture("steering-dialog");
  await app.click('[role="dialog"] button.go');
  await stage.say(words.explain);
  await app.find("article.answer");
  writeFileSync(join(stage.folder, "atlas/AGENTS.md"), long.rulesChanged);
  await app.execute(() => window.dispatchEvent(new Event("focus")) && null);
  await app.click('[role="status"] button');
  await app.find('[role="dialog"] li');
  await stage.rest(600);
  await stage.picture("steering-changed");
  await app.press("Escape");
  await stage.rest(400);
  await settingsAt(stage, "trusted");
  await stage.picture("trusted");
}

/** The section of the settings that stands at this place. */
async function settingsAt(stage, section) {
  const { app } = stage;
  const at = ["providers", "model", "long", "concurrency", "memory", "trusted"].indexOf(section);
  await app.press("Ctrl+,");
  await app.find('[role="dialog"] nav button');
  await app.execute((place) => document.querySelectorAll('[role="dialog"] nav button')[place].click(), at);
  await stage.rest(700);
}

async function agents(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const project = await stage.project();
  const id = await stage.begin(project, words.title);
  const [first, second] = long.agents;
  await stage.model.play({
    replies: [{ calls: [call("dispatch_agent", { task: first }), call("dispatch_agent", { task: second })] }, { calls: [...reading("src/retry.rs", "src/stream.rs"), call("grep", { pattern: "stream(", fixed: true })] }, { calls: [...reading("tests/retry.rs"), call("list_directory", { path: "tests" })] }],
    rules: [{ when: first, reply: { gate: "first", say: long.agentSaid[0] } }, { when: second, reply: { gate: "second", say: long.agentSaid[1] } }, { when: long.agentAsk, reply: { say: long.agentDone } }],
  });
  await stage.say(long.agentAsk);
  await app.waitFor(() => stage.model.state(), { until: ({ waiting }) => waiting.length === 2, what: "both sub-agents are at their answers" });
  await stage.rest(1500);
  await stage.picture("agents-working");
  await stage.model.release("first");
  await stage.model.release("second");
  await stage.idle(id);
  await stage.rest(700);
  await stage.pressOn(".tools .call .line");
  await stage.rest(900);
  await stage.picture("agents-open");
}

async function question(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  await stage.begin(await stage.project(), words.title, [{ say: words.failing, calls: [call("ask_user", { question: long.question, options: long.options })] }]);
  await stage.say(long.questionAsk);
  await app.find(QUESTION);
  await stage.rest(1200);
  await stage.picture("question");
  await stage.panel("inbox");
  await app.click("aside .inbox li, .inbox li");
  await stage.rest(700);
  await stage.picture("question-inbox");
}

async function steps(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const items = long.steps.map((text, at) => ({ text, state: at < 2 ? "done" : at === 2 ? "active" : "pending" }));
  await stage.begin(await stage.project(), words.title, [{ calls: [call("todo", { items }), ...reading("src/stream.rs")] }, held(long.stepsSaid)]);
  await stage.say(long.stepsAsk);
  await app.find("article.answer");
  await stage.rest(700);
  await stage.picture("steps-line");
  await stage.panel("tasks");
  await stage.rest(600);
  await stage.picture("steps");
}

async function memory(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  const project = await stage.project();
  const file = join(stage.folder, "atlas/.assent/MEMORY.md");
  mkdirSync(dirname(file), { recursive: true });
  await app.call("save_memory", { project: null, text: long.memoryUser, before: null });
  await app.call("save_memory", { project, text: long.memoryProject, before: null });
  await stage.begin(project, words.title);
  await settingsAt(stage, "memory");
  await stage.picture("memory");
  await app.type('[role="dialog"] textarea', "- ");
  await stage.rest(300);
  await stage.picture("memory-unsaved");
  await app.execute(() => document.querySelectorAll('[role="dialog"] nav button')[2].click());
  await stage.rest(500);
  await stage.picture("long-settings");
}

async function fork(stage) {
  const { app, words } = stage;
  const long = LONG[stage.look.lang];
  await talked(stage);
  await stage.scrollTo(YOU, { at: -1, block: "center" });
  await app.execute((css) => [...document.querySelectorAll(css)].at(-1).querySelector("button").focus(), YOU);
  await stage.rest(300);
  await stage.picture("message-acts");
  await app.press("Enter");
  await app.find(`${YOU} textarea`);
  await app.execute((css) => document.querySelector(css).select(), `${YOU} textarea`);
  await app.type(`${YOU} textarea`, long.editing);
  await stage.rest(400);
  await stage.picture("fork-editor");
  await stage.model.play({ replies: [{ say: words.short }] });
  await app.press("Enter");
  await stage.rest(1800);
  await stage.picture("fork");
  await stage.pressOn("article.answer .acts button:last-child");
  await app.find('[role="dialog"] pre, [role="dialog"] code');
  await stage.rest(600);
  await stage.picture("what-the-model-saw");
  await app.press("Escape");
  await app.find(FIELD);
}

export const LONG_SCENES = { summary, palette, queue, steering, agents, question, steps, memory, fork };
