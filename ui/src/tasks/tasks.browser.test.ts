import axe from "axe-core";
import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { language } from "../locales";
import type { TodoItem } from "../protocol";
import { wearTheme } from "../theme/theme";
import { progress } from "./steps";
import TaskLine from "./TaskLine.svelte";
import TasksPanel from "./TasksPanel.svelte";

const items: TodoItem[] = [{ text: "Read the retry loop", state: "done" }, { text: "写测试", state: "active" }, { text: "Run all tests", state: "pending" }];

test("the present step is the active one, else the first that isn't done", () => {
  expect(progress(items)).toMatchObject({ done: 1, total: 3, number: 2 });
  expect(progress(items.map((item) => ({ ...item, state: item.state === "active" ? "pending" : item.state }))).now?.text).toBe("写测试");
  expect(progress(items.map((item) => ({ ...item, state: "done" }))).now).toBeNull();
  expect(progress([]).now).toBeNull();
});

test("the panel lists the steps with how far each is", async () => {
  const { container } = await render(TasksPanel, { props: { items } });
  expect(container.textContent).toContain("1 of 3 done");
  const rows = [...container.querySelectorAll("li")].map((one) => one.textContent);
  expect(rows).toEqual(["doneRead the retry loop", "in progress写测试", "to doRun all tests"]);
  expect(container.querySelector("[aria-current=step]")?.textContent).toContain("写测试");
});

test("without steps it says what they are for", async () => {
  const { container } = await render(TasksPanel, { props: { items: [] } });
  expect(container.textContent).toContain("No steps yet");
});

test("the line says where the work is and opens the list; when all is done it is gone", async () => {
  const onopen = vi.fn();
  const { container, rerender } = await render(TaskLine, { props: { items, onopen } });
  await page.getByRole("button", { name: /2 of 3:\s*写测试/ }).click();
  expect(onopen).toHaveBeenCalledOnce();
  await rerender({ items: items.map((item) => ({ ...item, state: "done" as const })), onopen });
  expect(container.querySelector("button")).toBeNull();
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong in the steps (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  await render(TasksPanel, { props: { items } });
  await render(TaskLine, { props: { items, onopen: () => undefined } });
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`)).toEqual([]);
});
