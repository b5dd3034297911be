import axe from "axe-core";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { CONVERSATION, everyState, makeCall, NASTY, read } from "../gallery/calls";
import { appWith, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import { language } from "../locales";
import type { ToolCall } from "../state";
import { wearTheme } from "../theme/theme";
import ToolGroup from "./ToolGroup.svelte";

async function show(calls: ToolCall[], answers: Parameters<typeof appWith>[0] = {}): Promise<ReturnType<typeof appWith> & { container: HTMLElement }> {
  const given = appWith(answers);
  const { container } = await render(WithApp, { props: { app: given.app, component: ToolGroup as never, props: { calls } } });
  return { ...given, container };
}

const line = (container: HTMLElement, words: RegExp): HTMLButtonElement => {
  const found = [...container.querySelectorAll<HTMLButtonElement>("button.line")].find((one) => words.test(one.textContent ?? ""));
  if (!found) throw new Error(`there is no row ${words}`);
  return found;
};

test("a finished call is one row of 30 pixels, and every state has its words", async () => {
  const { container } = await show(everyState());
  for (const one of container.querySelectorAll("button.line")) expect(one.getBoundingClientRect().height).toBeLessThanOrEqual(31);
  const text = container.textContent ?? "";
  for (const words of ["Read 3 files", "7 matches in 3 files", "+4 −3", "exit 0", "exit 101", "Running", "failed", "rejected by you", "“Use the module that is there already.”", "refused by the mode", "stopped", "reverted", "found done after a crash", "outcome unknown", "marked not done by you", "waits for the call above"]) expect(text).toContain(words);
});

test("reads open to one row each, a row to its arguments and what the model got", async () => {
  const { container } = await show([read("src/a.rs", 10), read("src/b.rs", 20, 90)]);
  line(container, /Read 2 files/).click();
  await tick();
  const row = line(container, /src\/b\.rs.*lines 1–20 of 90/);
  row.click();
  await tick();
  expect(row.getAttribute("aria-expanded")).toBe("true");
  expect(container.querySelector("dl")?.textContent).toContain("pathsrc/b.rs");
  await page.getByRole("button", { name: "What the model got" }).click();
  expect(container.textContent).toContain("line of src/b.rs");
});

test("an edit opens to its diff, an error to its text", async () => {
  const { container } = await show(everyState());
  line(container, /Edited/).click();
  line(container, /Edit.*src\/stream\.rs/).click();
  await tick();
  expect(container.querySelector(".diff")?.textContent).toContain("match self.open(request).await {");
  expect(container.querySelector(".wrong")?.textContent).toContain("Nearest match at line 12");
});

test("Revert asks nothing; a file that changed since is said in words and stays", async () => {
  const effects = [{ path: "a.rs", before: null, after: null, moved_to: null, added: 1, removed: 0 }];
  const call = makeCall("write_file", "a.rs", { read_only: false, result: { outcome: "ok", effects } });
  let answer = (): null => { throw failure("file-changed", "a.rs is not as it was left"); };
  const { container, asked } = await show([call], { revert: () => answer() });
  const revert = page.getByRole("button", { name: "Revert a.rs" });
  await revert.click();
  await vi.waitFor(() => expect(container.querySelector("[role=alert]")?.textContent).toBe("Not reverted: the file was changed after this call. It stays as it is."));
  answer = () => null;
  await revert.click();
  expect(asked).toEqual([{ method: "revert", params: { call: call.call } }, { method: "revert", params: { call: call.call } }]);
  call.apply({ conversation: CONVERSATION, seq: 3, at: 0, kind: "effect/reverted", call: call.call, effects: [] });
  await tick();
  expect(container.textContent).toContain("reverted");
  expect(container.querySelector("[role=alert]")).toBeNull();
  expect([...container.querySelectorAll("button")].some((one) => /Revert/.test(one.getAttribute("aria-label") ?? ""))).toBe(false);
});

test("an unknown outcome is settled by a person, and the buttons go when the log says so", async () => {
  const call = makeCall("run_command", "./deploy.sh", { read_only: false, result: { outcome: "unknown" } });
  const { container, asked } = await show([call], { check_again: () => false, resolve: () => null });
  await page.getByRole("button", { name: "Check again" }).click();
  await vi.waitFor(() => expect(container.textContent).toContain("Still unknown"));
  await page.getByRole("button", { name: "Mark not done" }).click();
  expect(asked.at(-1)).toEqual({ method: "resolve", params: { call: call.call, done: false } });
  call.apply({ conversation: CONVERSATION, seq: 3, at: 0, kind: "tool/resolved", call: call.call, mark: "not-done" });
  await tick();
  expect(container.textContent).toContain("marked not done by you");
  expect([...container.querySelectorAll("button")].some((one) => /Mark|Check/.test(one.textContent ?? ""))).toBe(false);
});

test("output is live while a command runs, coloured, and never a control of the page", async () => {
  const call = makeCall("run_command", "cargo test", { read_only: false, events: [{ kind: "tool/started", attempt: 1, boot: "b", at: Date.now() } as never] });
  const { container } = await show([call]);
  const add = (offset: number, text: string): void => call.add({ of: "output", call: call.call, offset, text });
  add(0, "\u001b[32mok\u001b[0m one\n");
  await tick();
  expect(container.querySelector(".tail")?.textContent).toBe("ok one");
  line(container, /Running/).click();
  await tick();
  expect(container.querySelector(".ansi-fg-2")?.textContent).toBe("ok");
  add(16, "<img src=x onerror=alert(1)>\u001b[2K\n");
  await tick();
  expect(container.querySelector("[role=log]")?.textContent).toContain("<img src=x onerror=alert(1)>⟨U+001B⟩[2K");
  expect(container.querySelector("img")).toBeNull();
});

test("5 MB of stored output stay a few rows of the page and are loaded as far as somebody looks", async () => {
  const encoded = new TextEncoder().encode(Array.from({ length: 90_000 }, (_, n) => `line ${n} of a long output that goes on and on\n`).join(""));
  const ranges: number[] = [];
  const call = makeCall("run_command", "yes", { read_only: false, result: { outcome: "ok", brief: { says: "exit", code: 0, signal: null }, output: { hash: "h", bytes: encoded.length } as never } });
  const { container } = await show([call], {
    output: ({ offset, length }) => {
      ranges.push(offset);
      return { text: new TextDecoder().decode(encoded.slice(offset, offset + length)), offset, total: encoded.length };
    },
  });
  line(container, /Ran/).click();
  await vi.waitFor(() => expect(container.querySelectorAll(".window .line").length).toBeGreaterThan(5));
  expect(container.querySelectorAll(".window .line").length).toBeLessThan(100);
  expect(ranges).toEqual([0]);
  await page.getByRole("button", { name: "Load the rest" }).click();
  await vi.waitFor(() => expect(container.textContent).not.toContain("Load the rest"), { timeout: 20_000 });
  const scroller = container.querySelector<HTMLElement>(".scroller") as HTMLElement;
  await vi.waitFor(() => {
    scroller.scrollTop = scroller.scrollHeight;
    expect(scroller.textContent).toContain("line 89999 of");
  });
});

test("p60_hidden_characters_in_a_row_are_visible_and_push_nothing_out_of_it", async () => {
  const calls = [makeCall(NASTY.tool, NASTY.command, { arguments: JSON.stringify({ [NASTY.path]: NASTY.command }), result: { outcome: "error", shown: NASTY.command, note: NASTY.path } }), makeCall("write_file", NASTY.path, { result: { outcome: "ok", effects: [{ path: NASTY.path, before: null, after: null, moved_to: NASTY.path, added: 0, removed: 0 }] } })];
  const { container } = await show(calls);
  for (const one of container.querySelectorAll<HTMLButtonElement>("button.line")) one.click();
  await tick();
  for (const fold of container.querySelectorAll<HTMLButtonElement>(".fold button[aria-expanded=false]")) fold.click();
  await tick();
  // JSON spells most of them out already; nothing may be left that can't be seen.
  expect(container.textContent).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
  const box = (container.querySelector(".tools") as HTMLElement).getBoundingClientRect();
  for (const one of container.querySelectorAll(".meta, .line, .detail, dd")) expect(one.getBoundingClientRect().right).toBeLessThanOrEqual(box.right + 1);
});

test("rows are opened by the keyboard", async () => {
  const { container } = await show([read("src/a.rs", 10)]);
  line(container, /Read/).focus();
  await userEvent.keyboard("{Enter}");
  expect(container.querySelector(".detail")).not.toBeNull();
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong in rows, closed and open (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  const { container } = await show(everyState());
  for (const one of container.querySelectorAll<HTMLButtonElement>("button.line")) one.click();
  await vi.waitFor(() => expect(container.querySelectorAll(".detail").length).toBeGreaterThan(10));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`)).toEqual([]);
});
