import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import type { Summary } from "../state";
import SummaryLine from "./SummaryLine.svelte";

const made: Summary = { id: "k", seq: 9, until: 7, cause: "long", messages: 124, before: 41_200, parts: 1, made: { text: "## Goal\nTo go on.", kept: "- Changed: a.rs", after: 6_300 }, failed: null };

test("it says how many messages it stands for and what that saved, and opens to the summary's words", async () => {
  await render(SummaryLine, { props: { summary: made, folds: false, onunfold: vi.fn() } });
  const line = page.getByRole("button", { name: /124 earlier messages, summarised/ });
  await expect.element(line).toHaveTextContent("41.2k → 6.3k tokens");
  expect(page.getByText("To go on.").elements()).toHaveLength(0);
  await line.click();
  await expect.element(page.getByText("To go on.")).toBeVisible();
  await expect.element(page.getByText("Changed: a.rs")).toBeVisible();
});

test("what is folded behind it comes back by a button", async () => {
  const onunfold = vi.fn();
  await render(SummaryLine, { props: { summary: made, folds: true, onunfold } });
  await page.getByRole("button", { name: "Show the messages" }).click();
  expect(onunfold).toHaveBeenCalledTimes(1);
});

test("one that is being made says so, and one that was not made says why", async () => {
  const { rerender } = await render(SummaryLine, { props: { summary: { ...made, parts: 2, made: null }, folds: false, onunfold: vi.fn() } });
  await expect.element(page.getByRole("status")).toHaveTextContent("Summarising earlier messages, 2 parts done");
  await rerender({ summary: { ...made, made: null, failed: { cause: "model", message: "busy" } } });
  await expect.element(page.getByText("There is no summary, so the messages stay: busy")).toBeVisible();
});
