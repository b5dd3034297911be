import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation, failure } from "../gallery/host";
import { choice } from "../gallery/setup";
import WithApp from "../gallery/WithApp.svelte";
import type { Attachment, ModelChoice } from "../protocol";
import type { Conversation } from "../state";
import Composer from "./Composer.svelte";
import UserMessage from "./UserMessage.svelte";

/** A picture of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture: Attachment = { name: "screen.png", media_type: "image/png", content: { hash: "aa", bytes: 70 } };
const paper: Attachment = { name: "paper.pdf", media_type: "application/pdf", content: { hash: "bb", bytes: 20_000 } };

const file = (name: string, type: string): File => new File([Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0))], name, { type });

/** A conversation at rest with a model that takes these. */
function quiet(takes: Partial<ModelChoice>): Conversation {
  const shown = conversation();
  shown.row = { ...shown.row, pending: 0, generating: false, model: choice("glance", "", takes) };
  shown.generating = false;
  return shown;
}

async function compose(takes: Partial<ModelChoice>, stored: Attachment = picture) {
  const shown = quiet(takes);
  const given = appWith({ attach: () => stored, attachment: () => PIXEL, send: () => null, save_draft: () => null, save_draft_attachments: () => null });
  await render(WithApp, { props: { app: given.app, component: Composer as never, props: { conversation: shown, onsent: vi.fn(), onstop: vi.fn() } } });
  return { ...given, shown };
}

const sent = (asked: Awaited<ReturnType<typeof compose>>["asked"]) => asked.filter(({ method }) => method === "send").map(({ params }) => params);

test("a picked image is stored, shown, and goes with the message", async () => {
  const { asked, shown } = await compose({ images: true });
  await page.getByTestId("chooser").upload(file("screen.png", "image/png"));
  await expect.element(page.getByRole("img", { name: "screen.png" })).toBeVisible();
  expect(asked.find(({ method }) => method === "attach")?.params).toEqual({ conversation: shown.id, name: "screen.png", data: PIXEL });
  await page.getByRole("textbox", { name: "Message" }).fill("what is this?");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => sent(asked)).toEqual([{ conversation: shown.id, text: "what is this?", delivery: "next-turn", reject: false, attachments: [picture] }]);
  await expect.element(page.getByRole("list", { name: "Attachments" })).not.toBeInTheDocument();
});

test("what is attached is kept with the draft until it is removed or sent", async () => {
  const { asked, shown } = await compose({ images: true });
  const kept = () => asked.filter(({ method }) => method === "save_draft_attachments").map(({ params }) => params);
  const attach = () => page.getByTestId("chooser").upload(file("screen.png", "image/png"));
  await attach();
  await expect.poll(kept).toEqual([{ conversation: shown.id, attachments: [picture] }]);
  await page.getByRole("button", { name: "Remove screen.png" }).click();
  expect(kept().at(-1)).toEqual({ conversation: shown.id, attachments: [] });
  await attach();
  await expect.poll(() => kept().length).toBe(3);
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => kept().at(-1)).toEqual({ conversation: shown.id, attachments: [] });
  expect(kept()).toHaveLength(4);
});

test("an image without a word is a message; without either there is nothing to send", async () => {
  const { asked } = await compose({ images: true });
  const send = page.getByRole("button", { name: "Send" });
  await expect.element(send).toBeDisabled();
  await page.getByTestId("chooser").upload(file("screen.png", "image/png"));
  await expect.element(send).toBeEnabled();
  await page.getByRole("button", { name: "Remove screen.png" }).click();
  await expect.element(send).toBeDisabled();
  await page.getByTestId("chooser").upload(file("screen.png", "image/png"));
  await send.click();
  await expect.poll(() => sent(asked)).toHaveLength(1);
});

test("a pasted or dropped image is attached, pasted text is not", async () => {
  const { asked } = await compose({ images: true });
  const field = page.getByRole("textbox", { name: "Message" }).element();
  const stored = () => asked.filter(({ method }) => method === "attach").length;
  const withWords = new DataTransfer();
  withWords.items.add(file("cell.png", "image/png"));
  withWords.setData("text/plain", "a cell");
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: withWords, bubbles: true, cancelable: true }));
  expect(stored()).toBe(0);
  const copied = new DataTransfer();
  copied.items.add(file("screen.png", "image/png"));
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: copied, bubbles: true, cancelable: true }));
  await expect.poll(stored).toBe(1);
  const dropped = new DragEvent("drop", { dataTransfer: copied, bubbles: true, cancelable: true });
  window.dispatchEvent(dropped);
  expect(dropped.defaultPrevented).toBe(true);
  await expect.poll(stored).toBe(2);
});

test("a model that takes none says so at the button, and nothing is stored", async () => {
  const { asked } = await compose({});
  await expect.element(page.getByRole("button", { name: "glance takes no images and no PDFs" })).toHaveAttribute("aria-disabled", "true");
  await page.getByTestId("chooser").upload(file("screen.png", "image/png"));
  expect(asked.map(({ method }) => method)).not.toContain("attach");
});

test("a PDF is not kept for a model that takes images alone", async () => {
  const { asked, shown } = await compose({ images: true }, paper);
  await page.getByTestId("chooser").upload(file("paper.pdf", "application/pdf"));
  await expect.poll(() => asked.map(({ method }) => method)).toContain("attach");
  expect(shown.attached).toEqual([]);
});

test("in a message an image opens larger, a PDF has its name and size, and what is gone has a sign", async () => {
  const gone: Attachment = { ...picture, name: "gone.png", content: { hash: "cc", bytes: 1 } };
  const { app } = appWith({
    attachment: ({ hash }) => {
      if (hash === "cc") throw failure("not-found");
      return PIXEL;
    },
  });
  const message = { id: "m", text: "look", at: 0, delivery: "next-turn" as const, attachments: [picture, paper, gone], skills: [] };
  await render(WithApp, { props: { app, component: UserMessage as never, props: { conversation: "c", message } } });
  await expect.element(page.getByRole("list", { name: "Attachments" })).toHaveTextContent(/paper\.pdf\s*20 kB/);
  await expect.element(page.getByRole("button", { name: "Show gone.png larger" })).toBeVisible();
  await expect.element(page.getByRole("img", { name: "gone.png" })).not.toBeInTheDocument();
  await page.getByRole("button", { name: "Show screen.png larger" }).click();
  await expect.element(page.getByRole("dialog", { name: "screen.png" }).getByRole("img", { name: "screen.png" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
});
