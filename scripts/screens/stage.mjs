// The window that a scene plays in, with a model that says what it is told to. Knows no scene.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { launch, temporaryFolder } from "../../ui/tests/window/app.js";
import { startModel } from "../../ui/tests/window/model.js";
import { FILES, WORDS } from "./content.mjs";

const FIELD = 'textarea[aria-label="Message"], textarea[aria-label="消息"]';

/** The few words of the window that scenes click on. */
const LABELS = {
  en: { fresh: "New conversation", approve: "Approve", reject: "Reject", stop: "Stop", settings: "Settings", add: "Add a provider", other: "Another server", test: "Test", save: "Save", inbox: "Inbox", usage: "Usage" },
  "zh-CN": { fresh: "新对话", approve: "批准", reject: "拒绝", stop: "停止", settings: "设置", add: "添加提供方", other: "其他服务器", test: "测试", save: "保存", inbox: "待办", usage: "用量" },
};

export class Stage {
  /**
   * @param {{ theme: string, lang: string, sharp: boolean, size: { width: number, height: number } }} look
   * @param {{ folder?: string, makeProject: (folder: string, files: Record<string, string>) => void }} place
   */
  static async open(look, { folder, makeProject }) {
    const { theme, lang, sharp, size } = look;
    const factor = sharp ? 2 : 1;
    const screen = { width: size.width * factor, height: size.height * factor };
    const model = await startModel();
    const env = sharp ? { GDK_SCALE: "2", GDK_DPI_SCALE: "1" } : {};
    try {
      const app = await launch({ theme, lang, size: screen, env, resize: false });
      await app.session.resize(size.width, size.height);
      return new Stage(look, app, model, folder ?? temporaryFolder("code"), makeProject);
    } catch (cause) {
      await model.close();
      throw cause;
    }
  }

  constructor(look, app, model, folder, makeProject) {
    Object.assign(this, { look, app, model, folder, makeProject });
    this.words = WORDS[look.lang];
    this.labels = LABELS[look.lang];
    this.mark = `${look.lang === "en" ? "en" : "zh"}-${look.theme}${look.size.width === 1280 ? "" : `-${look.size.width}`}`;
  }

  picture(name) {
    return this.app.screenshot(`${name}-${this.mark}`);
  }

  async close() {
    await this.app.close();
    await this.model.close();
  }

  /** Makes the fake server a provider and its model the usual one. */
  async provide(model = "qwen3-coder", window = 128_000) {
    const provider = { id: "home", name: "llama.cpp", base_url: this.model.baseUrl, protocol: "chat-completions", models: [model], key_variable: null, window, echo_reasoning: false };
    await this.app.call("save_provider", { provider });
    const { settings } = await this.app.call("overview", {});
    const { choice } = (await this.app.call("models", {})).find(({ choice }) => choice.provider === "home");
    await this.app.call("save_settings", { settings: { ...settings, model: choice } });
  }

  /** A project of this name, with the model provided; returns its id. */
  async project(name = "atlas", files = FILES) {
    if (!this.provided) await this.provide();
    this.provided = true;
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    this.makeProject(path, files);
    return (await this.app.call("open_folder", { path, allow_home: false })).id;
  }

  /** Begins a conversation and looks at it. Sets the replies to come. */
  async begin(project, title, replies) {
    const row = await this.app.call("create_conversation", { project });
    if (title) await this.app.call("rename", { conversation: row.id, title });
    await this.lookAt(title ?? this.labels.fresh);
    if (replies) await this.model.play({ replies });
    return row.id;
  }

  lookAt(title) {
    return this.app.click("button[data-row]", { text: title });
  }

  /** Shows a part of the side panel. */
  async panel(tab) {
    const isOpen = await this.app.execute(() => document.querySelector('[role="tab"]') !== null);
    if (!isOpen) await this.app.press("Ctrl+i");
    await this.app.find('[role="tab"]');
    await this.app.execute((at) => document.querySelectorAll('[role="tab"]')[at].click(), ["inbox", "tasks", "context"].indexOf(tab));
  }

  async say(text) {
    await this.app.find(FIELD);
    await this.app.type(FIELD, text);
    await this.app.press("Enter");
  }

  /** Says it without the window looking on. */
  send(conversation, text, delivery = "next-turn") {
    return this.app.call("send", { conversation, text, delivery, reject: false, attachments: [] });
  }

  /** Waits until a conversation is as `until` wants its row. */
  row(id, until) {
    return this.app.waitFor(async () => (await this.app.call("overview", {})).conversations.find((row) => row.id === id), { until: (row) => row && until(row), what: `row ${id}`, within: 30_000 });
  }

  idle(id) {
    return this.row(id, ({ generating }) => !generating);
  }

  pending(id, count = 1) {
    return this.row(id, ({ pending }) => pending >= count);
  }

  /** Approves every card of a conversation, one after the other, without the window. */
  async approve(conversation, reach = { reach: "once" }) {
    const inbox = await this.app.call("inbox", {});
    for (const { call, card } of inbox.filter((row) => row.conversation === conversation)) {
      await this.app.call("approve", { call, digest: card.digest, scope: reach, note: null });
    }
  }

  /** A moment for what settles by itself: cards become live after half a second. */
  rest(milliseconds = 900) {
    return new Promise((done) => setTimeout(done, milliseconds));
  }

  /** Clicks the first element that matches, by script: works on what only shows under the pointer. */
  pressOn(selector) {
    return this.app.execute((css) => document.querySelector(css)?.click() ?? null, selector);
  }

  /** Scrolls to what matches, as a person does: a list that holds its end lets go. Says whether there is such a thing. */
  async scrollTo(selector, { at = 0, block = "start" } = {}) {
    const found = await this.app.execute(
      (css, place, where) => {
        const wanted = [...document.querySelectorAll(css)].at(place);
        wanted?.closest(".scroller")?.dispatchEvent(new WheelEvent("wheel"));
        wanted?.scrollIntoView({ block: where });
        return wanted !== undefined;
      },
      selector,
      at,
      block,
    );
    await this.rest();
    return found;
  }

  /** To the very beginning of the conversation, whose first rows may not exist yet. */
  async toTop() {
    await this.app.execute(() => {
      const scroller = document.querySelector("main .scroller");
      scroller?.dispatchEvent(new WheelEvent("wheel"));
      scroller?.scrollTo({ top: 0 });
      return null;
    });
    await this.rest();
  }
}

export { FIELD };
