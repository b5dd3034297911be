// A picture goes from a file to the model, through the real window.

import assert from "node:assert/strict";
import { test } from "node:test";

import { launch } from "./app.js";
import { answered, begin, newConversation, send } from "./chat.js";

/** One red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==";

test("a picture is pasted beside a message, is still there after a restart, and goes to the model, once", async (t) => {
  const { app: first, model } = await begin(t);
  let app = first;
  const [provider] = (await app.call("overview", {})).settings.providers;
  await app.call("save_provider", { provider: { ...provider, words: { tiny: { images: true } } } });
  const { choice } = (await app.call("models", {})).find(({ choice }) => choice.provider === provider.id);
  await app.call("save_settings", { settings: { ...(await app.call("overview", {})).settings, model: choice } });
  await model.play({ replies: [{ say: "red" }] });
  await newConversation(app);
  await app.execute(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const files = new DataTransfer();
    files.items.add(new File([bytes], "红.png", { type: "image/png" }));
    document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }));
  }, PIXEL);
  await app.find('img[alt="红.png"]');
  await app.screenshot("attachment");
  const [{ id }] = (await app.call("overview", {})).conversations;
  await app.waitFor(() => app.call("open", { conversation: id }), { until: ({ attached }) => attached.length === 1, what: "the picture is kept with the draft" });
  await app.quit();
  app = await launch({ home: first.home });
  t.after(() => app.close());
  await app.find('img[alt="红.png"]');
  await send(app, "what colour is this?");
  await answered(app, "red");
  const sent = () => app.execute(() => document.querySelector('img[alt="红.png"]')?.naturalWidth ?? 0);
  await app.waitFor(sent, { until: (width) => width === 1, what: "the sent picture is shown, under the content policy" });
  const [body] = await model.bodies();
  const parts = body.messages.at(-1).content;
  assert.ok(parts.some(({ type, image_url }) => type === "image_url" && image_url.url === `data:image/png;base64,${PIXEL}`), JSON.stringify(parts));
  assert.deepEqual(app.consoleErrors(), []);
  await app.screenshot("attachment-sent");
});
