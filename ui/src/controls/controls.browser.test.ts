import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import ListFixture from "./ListFixture.svelte";
import MenuFixture from "./MenuFixture.svelte";
import SplitFixture from "./SplitFixture.svelte";
import TextArea from "./TextArea.svelte";
import TextField from "./TextField.svelte";

const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));

function key(target: Element, init: KeyboardEventInit & { keyCode?: number }): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...init });
  if (init.keyCode !== undefined) Object.defineProperty(event, "keyCode", { value: init.keyCode });
  target.dispatchEvent(event);
  return event;
}

test("Enter submits, Shift+Enter does not, and a handler can keep a key for itself", async () => {
  const onsubmit = vi.fn();
  const onkey = vi.fn((event: KeyboardEvent) => { if (event.altKey) event.preventDefault(); });
  const screen = await render(TextArea, { label: "Message", value: "hello", onsubmit, onkey });
  const area = screen.getByRole("textbox", { name: "Message" }).element();
  expect(key(area, {}).defaultPrevented).toBe(true);
  expect(onsubmit).toHaveBeenCalledExactlyOnceWith("hello");
  expect(key(area, { shiftKey: true }).defaultPrevented).toBe(false);
  key(area, { ctrlKey: true });
  key(area, { altKey: true });
  expect(onsubmit).toHaveBeenCalledTimes(1);
  expect(onkey).toHaveBeenCalledTimes(4);
});

test("Enter of an input method never submits, in either order of events, in a text area and in a field", async () => {
  const onsubmit = vi.fn();
  const area = (await render(TextArea, { label: "Message", value: "你", onsubmit, onkey: onsubmit })).getByRole("textbox", { name: "Message" }).element();
  const field = (await render(TextField, { label: "Name", value: "你", onenter: onsubmit })).getByRole("textbox", { name: "Name" }).element();
  for (const target of [area, field]) {
    target.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    key(target, { isComposing: true, keyCode: 229 });
    key(target, { keyCode: 13 });
    target.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "你" }));
    key(target, { keyCode: 229 });
    key(target, { keyCode: 13 });
  }
  expect(onsubmit).not.toHaveBeenCalled();
  for (const target of [area, field]) {
    target.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    target.dispatchEvent(new FocusEvent("blur"));
    key(target, { keyCode: 13 });
  }
  // The area tells both its listeners, the field its one.
  expect(onsubmit).toHaveBeenCalledTimes(3);
});

test("a text area grows with its text up to its most, then scrolls", async () => {
  const screen = await render(TextArea, { label: "Message", value: "one", maxRows: 4 });
  const area = screen.getByRole("textbox").element() as HTMLTextAreaElement;
  const one = area.offsetHeight;
  await screen.rerender({ value: "one\ntwo\nthree" });
  await settled();
  const three = area.offsetHeight;
  expect(three).toBeGreaterThan(one * 1.8);
  await screen.rerender({ value: "x\n".repeat(30) });
  await settled();
  expect(area.offsetHeight).toBeLessThan(three * 1.6);
  expect(area.scrollHeight).toBeGreaterThan(area.clientHeight);
  await screen.rerender({ value: "one" });
  await settled();
  expect(area.offsetHeight).toBe(one);
});

test("a menu is opened, walked and used by the keyboard, and focus goes back", async () => {
  const ran = vi.fn();
  const screen = await render(MenuFixture, { ran });
  const button = screen.getByRole("button", { name: "Open" });
  (button.element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() => expect(document.activeElement?.textContent).toContain("First"));
  await userEvent.keyboard("{ArrowDown}");
  await vi.waitFor(() => expect(document.activeElement?.textContent, "the disabled entry is passed over").toContain("Third"));
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() => expect(ran).toHaveBeenCalledTimes(1));
  await vi.waitFor(() => expect(document.activeElement).toBe(button.element()));
});

test("a list stays at its end while it grows, lets go when the person scrolls, and holds again at the end", async () => {
  const onstick = vi.fn();
  const screen = await render(ListFixture, { items: Array.from({ length: 200 }, (_, n) => n), tall: 30, onstick });
  const log = screen.getByRole("log").element() as HTMLElement;
  const left = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  await vi.waitFor(() => expect(left()).toBeLessThan(2));
  await screen.rerender({ items: Array.from({ length: 230 }, (_, n) => n) });
  await vi.waitFor(() => { expect(log.textContent).toContain("row 229."); expect(left()).toBeLessThan(2); });
  // The last row grows, as a streamed message does.
  await screen.rerender({ tall: 300 });
  await vi.waitFor(() => expect(left()).toBeLessThan(2));
  expect(log.querySelectorAll("p").length).toBeLessThan(80);

  log.dispatchEvent(new WheelEvent("wheel", { deltaY: -600 }));
  log.scrollTop -= 600;
  await vi.waitFor(() => expect(onstick).toHaveBeenLastCalledWith(false));
  await settled();
  const before = log.scrollTop;
  await screen.rerender({ items: Array.from({ length: 260 }, (_, n) => n) });
  await settled();
  expect(Math.abs(log.scrollTop - before)).toBeLessThan(2);

  await screen.getByRole("button", { name: "Jump to the latest" }).click();
  await vi.waitFor(() => { expect(left()).toBeLessThan(2); expect(onstick).toHaveBeenLastCalledWith(true); });
});

test("a pane is resized by keyboard and pointer within its bounds", async () => {
  const onresize = vi.fn();
  const screen = await render(SplitFixture, { onresize });
  const handle = screen.getByRole("separator", { name: "Side" }).element() as HTMLElement;
  handle.focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(onresize).toHaveBeenLastCalledWith(252);
  await userEvent.keyboard("{End}");
  expect(onresize).toHaveBeenLastCalledWith(400);
  await userEvent.keyboard("{Home}{ArrowLeft}");
  expect(onresize).toHaveBeenLastCalledWith(180);
  await tick();
  expect(handle.getAttribute("aria-valuenow")).toBe("180");
  const pointer = (type: string, x: number) => handle.dispatchEvent(new PointerEvent(type, { clientX: x, button: 0, pointerId: 1, bubbles: true }));
  vi.spyOn(handle, "setPointerCapture").mockImplementation(() => undefined);
  pointer("pointerdown", 180);
  pointer("pointermove", 260);
  pointer("pointerup", 260);
  expect(onresize).toHaveBeenLastCalledWith(260);
});
