// What a person does in the window, by what a person sees: names of buttons and fields, words on the page.
// Knows nothing of how the page is made beyond roles and names.

import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { launch, temporaryFolder } from "./app.js";
import { startModel, useModel } from "./model.js";

export const FIELD = 'textarea[aria-label="Message"], textarea[aria-label="消息"]';
export const CARD = '[role="group"][aria-label^="Decision needed"]';
export const ANSWER = 'article[aria-label="Assistant"]';

/**
 * Starts the fake model and a window with a project open in it; both end with the test.
 * @param {object} [options] as for `launch`, and `files` of the project by name
 */
export async function begin(t, { files = {}, settings, ...options } = {}) {
  const model = await startModel();
  t.after(() => model.close());
  const project = temporaryFolder("项目 atlas");
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  const app = await launch(options);
  t.after(() => app.close());
  await useModel(app, model, settings);
  const { id } = await app.call("open_folder", { path: project, allow_home: false });
  // A person begins a conversation in a project that is seen.
  await app.find("nav", { text: basename(project) });
  return { app, model, project, projectId: id };
}

/** Begins a conversation with the button in the sidebar and waits until it can be written in. */
export async function newConversation(app) {
  await app.click("button", { text: "New conversation" });
  await app.find(FIELD);
}

/** Opens a conversation of the sidebar. */
export function open(app, title) {
  return app.click("button[data-row]", { text: title });
}

/** Writes a message and sends it with Enter. */
export async function send(app, text) {
  await app.type(FIELD, text);
  await app.press("Enter");
}

/** Waits until an answer in view contains `text`, and returns all of that answer's text. */
export async function answered(app, text, within) {
  return app.text(ANSWER, { text, within });
}

/** Opens a section of the settings from the keyboard. */
export async function openSettings(app, section) {
  await app.press("Ctrl+,");
  await app.click('[role="dialog"] nav button', { text: section });
}

/** Shows a part of the side panel, which is opened where it isn't. */
export async function openPanel(app, tab) {
  const isOpen = await app.execute(() => document.querySelector('[role="tab"]') !== null);
  if (!isOpen) await app.press("Ctrl+I");
  await app.click('[role="tab"]', { text: tab });
}

/** Waits until no turn runs in the conversation that is looked at. */
export async function idle(app) {
  await app.waitFor(
    () => app.execute(() => ![...document.querySelectorAll("button")].some((button) => button.innerText.startsWith("Stop"))),
    { what: "nothing runs any more" },
  );
}

/**
 * Looks at a card from its beginning to its end, as a person does, waits until it can be decided on, and presses its button.
 * @param {string} name of the button
 * @param {string} [text] that the card contains, where there are several
 */
export async function decide(app, name, text = "") {
  await app.find(CARD, { text });
  await app.waitFor(
    () =>
      app.execute(
        (css, label, part) => {
          const card = [...document.querySelectorAll(css)].find((card) => card.innerText.includes(part));
          const button = [...(card?.querySelectorAll("button") ?? [])].find((button) => button.innerText.startsWith(label));
          if (!button) return null;
          if (button.getAttribute("aria-disabled") !== "true") return { live: true };
          // In turns, and seldom enough that the card stands still in between.
          window.looks = (window.looks ?? 0) + 1;
          if (window.looks % 40 === 10) card.scrollIntoView({ block: "start" });
          if (window.looks % 40 === 20) card.scrollIntoView({ block: "end" });
          return { live: false, hasFocus: document.hasFocus(), card: card.innerText.slice(-200) };
        },
        CARD,
        name,
        text,
      ),
    { until: (seen) => seen?.live, what: `${name} can be pressed` },
  );
  const index = await app.execute(
    (css, label, part) => {
      const card = [...document.querySelectorAll(css)].find((card) => card.innerText.includes(part));
      return [...document.querySelectorAll(`${css} button`)].findIndex((button) => card.contains(button) && button.innerText.startsWith(label));
    },
    CARD,
    name,
    text,
  );
  await app.session.click((await app.session.elements(`${CARD} button`))[index]);
}
