// What a person does in the window, by what a person sees: names of buttons and fields, words on the page.
// Knows nothing of how the page is made beyond roles and names.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** Waits until no turn runs in the conversation that is looked at. */
export async function idle(app) {
  await app.waitFor(
    () => app.execute(() => ![...document.querySelectorAll("button")].some((button) => button.innerText.startsWith("Stop"))),
    { what: "nothing runs any more" },
  );
}

/** Waits until a card can be decided on, and presses its button. */
export async function decide(app, name) {
  const ready = await app.waitFor(
    () =>
      app.execute(
        (css, label) => {
          const card = document.querySelector(css);
          const button = [...(card?.querySelectorAll("button") ?? [])].find((button) => button.innerText.startsWith(label));
          return button && { live: button.getAttribute("aria-disabled") !== "true", hasFocus: document.hasFocus(), card: card.innerText };
        },
        CARD,
        name,
      ),
    { until: (seen) => seen?.live, what: `${name} can be pressed` },
  );
  await app.click(`${CARD} button`, { text: name });
  return ready;
}
