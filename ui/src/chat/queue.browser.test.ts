import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { Delivery, Event, QueueEdit } from "../protocol";
import type { Conversation } from "../state";
import Composer from "./Composer.svelte";

/** An open conversation at work with these messages waiting. */
async function waiting(...texts: readonly (string | [string, Delivery])[]) {
  const shown = conversation();
  shown.row = { ...shown.row, pending: 0 };
  shown.loaded = true;
  texts.forEach((each, index) => {
    const [text, delivery] = typeof each === "string" ? [each, "next-turn" as const] : each;
    edit(shown, `i${index + 1}`, { edit: "added", text, delivery });
  });
  const given = appWith({ edit_queued: () => null, move_queued: () => null, redeliver_queued: () => null, withdraw_queued: () => null, save_draft: () => null, save_draft_attachments: () => null, send: () => null });
  const onsent = vi.fn();
  await render(WithApp, { props: { app: given.app, component: Composer as never, props: { conversation: shown, onsent, onstop: vi.fn() } } });
  return { ...given, shown };
}

/** The engine's word. */
function edit(shown: Conversation, item: string, change: QueueEdit): void {
  const event: Event = { conversation: shown.id, seq: shown.seq + 1, at: 0, kind: "queue/edited", item, edit: change };
  shown.apply({ signal: "recorded", event });
}

const line = () => page.getByRole("list", { name: "Waiting to be sent" });
const rows = () => line().element().querySelectorAll("[data-words]");
const words = () => [...rows()].map((row) => row.textContent.trim());
const focusOn = (index: number) => (rows()[index] as HTMLElement).focus();

test("each item says what it is, and Alt with an arrow moves it and keeps the focus", async () => {
  const { asked, shown } = await waiting("one", ["two", "next-step"], "three");
  await expect.element(page.getByRole("button", { name: "Follow-up: one" })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Steer: two" })).toBeVisible();
  focusOn(2);
  await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(asked.at(-1)).toEqual({ method: "move_queued", params: { conversation: shown.id, item: "i3", before: "i2" } });
  expect(words(), "the order is the engine's").toEqual(["one", "two", "three"]);
  edit(shown, "i3", { edit: "moved", before: "i2" });
  await expect.poll(words).toEqual(["one", "three", "two"]);
  expect(document.activeElement?.textContent.trim()).toBe("three");
  await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(asked.at(-1)?.params).toMatchObject({ item: "i3", before: null });
  focusOn(0);
  const before = asked.length;
  await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(asked.length, "it is the first already").toBe(before);
});

test("an item is made to steer, to follow, and taken back", async () => {
  const { asked, shown } = await waiting("one", "two");
  await page.getByRole("button", { name: "Follow-up: one" }).click();
  expect(asked.at(-1)).toEqual({ method: "redeliver_queued", params: { conversation: shown.id, item: "i1", delivery: "next-step" } });
  edit(shown, "i1", { edit: "delivery", delivery: "next-step" });
  await page.getByRole("button", { name: "Steer: one" }).click();
  expect(asked.at(-1)?.params).toMatchObject({ item: "i1", delivery: "next-turn" });
  focusOn(1);
  await userEvent.keyboard("{Delete}");
  expect(asked.at(-1)).toEqual({ method: "withdraw_queued", params: { conversation: shown.id, item: "i2" } });
  await expect.element(page.getByRole("textbox", { name: "Message" })).toHaveFocus();
});

test("words are changed in their place; an input method's Enter keeps nothing, Escape leaves them", async () => {
  const { asked } = await waiting("one", "two");
  await page.getByRole("textbox", { name: "Message" }).click();
  await userEvent.keyboard("{ArrowUp}");
  const field = page.getByRole("textbox", { name: "Change what is queued" });
  await expect.element(field).toHaveFocus();
  await expect.element(field).toHaveValue("two");
  await field.fill("二");
  const element = field.element();
  element.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  element.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "二" }));
  element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }));
  expect(asked.filter(({ method }) => method === "edit_queued")).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  expect(asked.filter(({ method }) => method === "edit_queued").map(({ params }) => params)).toMatchObject([{ item: "i2", text: "二" }]);
  await expect.element(page.getByRole("textbox", { name: "Message" })).toHaveFocus();
  await page.getByTitle("Change what is queued").first().click();
  await page.getByRole("textbox", { name: "Change what is queued" }).fill("never mind");
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("textbox", { name: "Change what is queued" })).not.toBeInTheDocument();
  expect(asked.filter(({ method }) => method === "edit_queued")).toHaveLength(1);
});

test("what was taken while its words were changed leaves them in the message field", async () => {
  const { shown } = await waiting("one");
  await page.getByTitle("Change what is queued").click();
  await page.getByRole("textbox", { name: "Change what is queued" }).fill("one, and more");
  shown.apply({ signal: "recorded", event: { conversation: shown.id, seq: shown.seq + 1, at: 0, kind: "queue/taken", item: "i1", message: "m1" } });
  await expect.element(page.getByRole("textbox", { name: "Message" })).toHaveValue("one, and more");
});

test("dragging shows the new place, and letting go asks for it", async () => {
  const { asked } = await waiting("one", "two", "three");
  const grip = line().element().querySelectorAll(".grip")[0] as HTMLElement;
  const at = (index: number) => { const box = line().element().children[index]!.getBoundingClientRect(); return { x: box.left + 10, y: box.top + box.height / 2 }; };
  const pointer = (type: string, { x, y }: { x: number; y: number }) => grip.dispatchEvent(new PointerEvent(type, { pointerId: 1, button: 0, buttons: 1, clientX: x, clientY: y, bubbles: true, cancelable: true }));
  grip.setPointerCapture = () => undefined;
  pointer("pointerdown", at(0));
  pointer("pointermove", { ...at(2), y: at(2).y + 4 });
  await expect.poll(words).toEqual(["two", "three", "one"]);
  pointer("pointerup", at(2));
  expect(asked.at(-1)).toMatchObject({ method: "move_queued", params: { item: "i1", before: null } });
  await expect.poll(words, { message: "until the engine says so nothing moved" }).toEqual(["one", "two", "three"]);
});

test("a long text is clipped to its line", async () => {
  await waiting("long ".repeat(400), "short");
  const [long, short] = [...line().element().children].map((row) => row.getBoundingClientRect().height);
  expect(long).toBe(short);
});

test("Enter queues and Ctrl+Enter steers while a turn runs; a failure keeps the words", async () => {
  const { app, asked, shown } = await waiting();
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("after that");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => asked.find(({ method }) => method === "send")?.params).toMatchObject({ text: "after that", delivery: "next-turn" });
  await field.fill("right away");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.poll(() => asked.filter(({ method }) => method === "send").at(-1)?.params).toMatchObject({ text: "right away", delivery: "next-step" });
  const host = app.host as { call: unknown };
  host.call = () => Promise.reject(failure("storage"));
  await field.fill("kept");
  await userEvent.keyboard("{Enter}");
  await expect.element(field).toHaveValue("kept");
  expect(shown.draft).toBe("kept");
});
