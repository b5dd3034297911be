import axe from "axe-core";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { editCard, pendingRow } from "../gallery/calls";
import { appWith, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import { language } from "../locales";
import type { QuestionRow } from "../protocol";
import { wearTheme } from "../theme/theme";
import InboxPanel from "./InboxPanel.svelte";
import QuestionCard from "./QuestionCard.svelte";

const OPTIONS = ["SQLite", "Postgres"];
const row = (call: string, since = 1000): QuestionRow => ({ call, conversation: "conversation-1", title: "Set it up", project: "atlas", question: "Which database?", options: OPTIONS, since });

async function show(answer: (text: string) => Promise<void>, options = OPTIONS): Promise<HTMLElement> {
  const { container } = await render(QuestionCard, { props: { question: "Which database?\nThere is room for one.", options, since: Date.now(), answer } });
  return container;
}

test("an answer on offer is one click, or its number while the card has the focus", async () => {
  const answer = vi.fn(() => Promise.resolve());
  const container = await show(answer);
  expect(container.textContent).toContain("There is room for one.");
  await page.getByRole("button", { name: /Postgres/ }).click();
  expect(answer.mock.calls).toEqual([["Postgres"]]);
  container.querySelector<HTMLElement>("[data-decision]")?.focus();
  await userEvent.keyboard("1");
  await userEvent.keyboard("7");
  expect(answer.mock.calls).toEqual([["Postgres"], ["SQLite"]]);
});

test("another answer is written; numbers in it are words, and an empty one isn't sent", async () => {
  const answer = vi.fn(() => Promise.resolve());
  await show(answer);
  const field = page.getByRole("textbox", { name: "Your answer" });
  await field.click();
  await userEvent.keyboard("{Enter}");
  expect(answer).not.toHaveBeenCalled();
  await field.fill("2 of them");
  await userEvent.keyboard("{Enter}");
  expect(answer.mock.calls).toEqual([["2 of them"]]);
});

test("who comes second is told, and nothing is left to click", async () => {
  const container = await show(() => Promise.reject(failure("not-pending") as unknown as Error));
  await page.getByRole("button", { name: /SQLite/ }).click();
  await expect.element(page.getByRole("alert")).toHaveTextContent("It was answered already");
  expect(container.querySelectorAll("button")).toHaveLength(0);
});

test("a failure is said and the answer can be sent again", async () => {
  const answer = vi.fn().mockRejectedValueOnce(failure("storage", "the disk is full")).mockResolvedValue(undefined);
  await show(answer, []);
  await page.getByRole("textbox", { name: "Your answer" }).fill("yes");
  await page.getByRole("button", { name: "Answer" }).click();
  await expect.element(page.getByRole("alert")).toHaveTextContent("the disk is full");
  await page.getByRole("button", { name: "Answer" }).click();
  expect(answer).toHaveBeenCalledTimes(2);
});

test("the inbox shows questions beside cards; its keys go to them, and A puts the focus where the answer is written", async () => {
  const { app, asked } = appWith({ answer_question: () => null });
  app.approvals.rows = [pendingRow(editCard(), "Retry", "atlas", 500), row("q1")];
  const { container } = await render(WithApp, { props: { app, component: InboxPanel as never, props: {} } });
  const panel = container.querySelector<HTMLElement>(".inbox") as HTMLElement;
  expect(container.textContent).toContain("Which database?");
  panel.focus();
  await userEvent.keyboard("jj");
  await tick();
  expect(app.approvals.focused).toBe("q1");
  await userEvent.keyboard("a");
  expect(document.activeElement?.tagName).toBe("TEXTAREA");
  await userEvent.keyboard("neither{Enter}");
  expect(asked).toEqual([{ method: "answer_question", params: { call: "q1", text: "neither" } }]);
});

test("what was asked and answered comes and goes by signal, and once fetched is the same", async () => {
  const { app } = appWith({ inbox: () => [], questions: () => [row("q1")] });
  await app.approvals.refresh();
  expect(app.approvals.rows.map(({ call }) => call)).toEqual(["q1"]);
  const event = { conversation: "conversation-1", seq: 3, at: 2000 };
  app.approvals.apply({ signal: "recorded", event: { ...event, kind: "question/asked", call: "q2", question: "And the name?" } });
  expect(app.approvals.rows.map((one) => "question" in one && one.question)).toEqual(["Which database?", "And the name?"]);
  app.approvals.apply({ signal: "recorded", event: { ...event, kind: "question/answered", call: "q1", answer: "SQLite" } });
  expect(app.approvals.rows.map(({ call }) => call)).toEqual(["q2"]);
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong in a question (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  await show(() => Promise.resolve());
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`)).toEqual([]);
});
