import { expect, test, vi } from "vitest";
import { render } from "vitest-browser-svelte";
import { long, retry, several } from "../gallery/samples";
import DiffView from "./DiffView.svelte";
import type { DiffFile } from "./model";

const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));

test("it reports what has not been shown, and nothing is left when the fold was opened", async () => {
  const onshown = vi.fn();
  const screen = await render(DiffView, { files: [retry], limit: 6, onshown });
  expect(onshown).toHaveBeenLastCalledWith(3);
  await screen.getByRole("button", { name: "1 more change below: lines 57 to 58" }).click();
  expect(onshown).toHaveBeenLastCalledWith(0);
  expect(screen.container.textContent).toContain("Err(last)");
});

test("a folded file counts until it is opened, an unchanged run does not", async () => {
  const onshown = vi.fn();
  const screen = await render(DiffView, { files: several, openFiles: 1, onshown });
  expect(onshown).toHaveBeenLastCalledWith(8);
  await screen.getByRole("button", { name: "访谈/六月 整理.md" }).click();
  expect(onshown).toHaveBeenLastCalledWith(4);
  await screen.getByRole("button", { name: "old\\name.ts" }).click();
  expect(onshown).toHaveBeenLastCalledWith(0);
  await expect.element(screen.getByRole("button", { name: "25 unchanged lines" })).toBeVisible();
});

test("5,000 lines stay a few rows of the page, and count as shown when they were scrolled through", async () => {
  const onshown = vi.fn();
  const started = performance.now();
  const screen = await render(DiffView, { files: [long], limit: 100_000, onshown });
  await settled();
  console.info(`5,000 changed lines: first picture after ${(performance.now() - started).toFixed(0)} ms`);
  expect(screen.container.querySelectorAll(".line").length).toBeLessThan(150);
  await vi.waitFor(() => expect(onshown.mock.lastCall?.[0]).toBeLessThan(5000));
  expect(onshown.mock.lastCall?.[0]).toBeGreaterThan(4800);
  const scroller = screen.container.querySelector<HTMLElement>(".scroller");
  if (!scroller) throw new Error("there is nothing to scroll");
  await vi.waitFor(() => {
    scroller.scrollTop = scroller.scrollHeight;
    expect(onshown).toHaveBeenLastCalledWith(0);
  });
});

test("p60_hidden_characters_and_padding_stay_visible_and_on_the_card", async () => {
  const nasty: DiffFile = { path: "a\u202eb\u200b.rs", kind: "changed", hunks: [{ lines: [
    { old: 1, mark: "-", text: `let a = 1;${" ".repeat(2000)}hidden()` },
    { new: 1, mark: "+", text: `let a = "\u202e\u2066x\u2069";${"\t".repeat(300)}evil() \u001b[2K` },
  ] }] };
  for (const layout of ["unified", "split"] as const) {
    const screen = await render(DiffView, { files: [nasty], headers: true, layout });
    await settled();
    const box = screen.container.querySelector(".diff")?.getBoundingClientRect();
    for (const escape of ["⟨U+202E⟩", "⟨U+200B⟩", "⟨U+2066⟩", "⟨U+001B⟩"]) expect(screen.container.textContent).toContain(escape);
    for (const word of ["hidden()", "evil()"]) {
      const walker = document.createTreeWalker(screen.container, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode();
      while (node && !node.textContent?.includes(word)) node = walker.nextNode();
      if (!node) throw new Error(`${word} is not there`);
      const range = document.createRange();
      const at = (node.textContent ?? "").indexOf(word);
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      const place = range.getBoundingClientRect();
      expect(place.right, `${word}, ${layout}`).toBeLessThanOrEqual((box?.right ?? 0) + 1);
      expect(place.left).toBeGreaterThanOrEqual(box?.left ?? 0);
      expect(place.bottom).toBeLessThanOrEqual((box?.bottom ?? 0) + 1);
    }
    await screen.unmount();
  }
});

test("lines take their colours without a change of their text", async () => {
  const screen = await render(DiffView, { files: [retry] });
  const text = screen.container.textContent;
  await vi.waitFor(() => expect(screen.container.querySelector(".hl-keyword")).not.toBeNull(), { timeout: 40_000 });
  expect(screen.container.textContent).toBe(text);
});
