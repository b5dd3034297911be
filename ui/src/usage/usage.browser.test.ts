import axe from "axe-core";
import { tick } from "svelte";
import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation, failure } from "../gallery/host";
import { report } from "../gallery/usage";
import WithApp from "../gallery/WithApp.svelte";
import { language } from "../locales";
import { NOTHING } from "../state";
import { wearTheme } from "../theme/theme";
import UsagePage from "./UsagePage.svelte";

type Answers = NonNullable<Parameters<typeof appWith>[0]>;

afterEach(() => {
  language.set("en");
  wearTheme("light");
});

async function show(answers: Answers = { usage: ({ bounds }) => report(bounds.length - 1) }): Promise<ReturnType<typeof appWith> & { container: HTMLElement; onopen: ReturnType<typeof vi.fn>; onclose: ReturnType<typeof vi.fn> }> {
  const given = appWith(answers);
  const [onopen, onclose] = [vi.fn(), vi.fn()];
  const { container } = await render(WithApp, { props: { app: given.app, component: UsagePage as never, props: { onopen, onclose } } });
  return { ...given, container, onopen, onclose };
}

const cells = (container: HTMLElement, table: string): string[][] =>
  [...container.querySelectorAll(`[role=region][aria-label="${table}"] tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent?.trim().replace(/\s+/g, " ") ?? ""));

test("totals and tables say what is known and write unknown where nobody told", async () => {
  const { container } = await show();
  await expect.element(page.getByRole("heading", { name: "Usage and cost" })).toBeVisible();
  expect(cells(container, "By model")).toEqual([
    ["sonnet", "$2.10", "40", "160k", "20k", "800k", "40k", "80%"],
    ["haiku", "$0.0400 + 2 unknown", "12", "30k", "4k", "unknown", "unknown", "unknown"],
    ["qwen3:14b", "unknown", "8", "90k", "9k", "unknown", "unknown", "unknown"],
    ["Unnamed model", "unknown", "1", "unknown", "unknown", "unknown", "unknown", "unknown"],
  ]);
  expect(cells(container, "By conversation").map((row) => [row[0], row[1]])).toEqual([["Retry only before the first byte", "$2.10"], ["整理六月的访谈 deleted", "$0.0400 + 2 unknown"], ["Deleted conversations", "unknown"]]);
  expect(container.querySelector(".cost")?.textContent?.replace(/\s+/g, " ")).toMatch(/\$2\.14 61 requests ?11 of unknown cost/);
});

test("another span is asked for in days of this time zone", async () => {
  const { asked } = await show();
  await expect.element(page.getByRole("radio", { name: "30 days" })).toBeChecked();
  await page.getByRole("radio", { name: "30 days" }).click();
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(page.getByRole("radio", { name: "90 days" })).toHaveFocus();
  await vi.waitFor(() => expect(asked.map(({ params }) => (params as { bounds: number[] }).bounds.length)).toEqual([31, 91]));
});

test("an answer that comes late is not shown over a newer one", async () => {
  const late: ((value: ReturnType<typeof report>) => void)[] = [];
  const { container } = await show({ usage: ({ bounds }) => (bounds.length === 31 ? new Promise((resolve) => late.push(resolve)) : report(7)) });
  await page.getByRole("radio", { name: "7 days" }).click();
  await vi.waitFor(() => expect(container.querySelectorAll(".day").length).toBe(7));
  late[0]?.({ ...report(30), total: NOTHING });
  await tick();
  expect(container.querySelectorAll(".day").length).toBe(7);
});

test("arrow keys go from day to day, and the day's figures stand in the legend", async () => {
  const { container } = await show();
  await vi.waitFor(() => expect(container.querySelectorAll(".day").length).toBe(30));
  const days = container.querySelectorAll<SVGElement>(".day");
  expect([...days].filter((day) => day.getAttribute("tabindex") === "0").length).toBe(1);
  days[29]?.focus();
  await userEvent.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(document.activeElement).toBe(days[27]);
  await userEvent.keyboard("{End}");
  expect(document.activeElement?.getAttribute("aria-label")).toMatch(/: \$1\.62, sonnet \$1\.60, haiku \$0\.0200, 5 of unknown cost$/);
  await vi.waitFor(() => expect(container.querySelector("ul")?.textContent).toContain("sonnet$1.60"));
  await page.getByRole("radio", { name: "Tokens" }).click();
  await vi.waitFor(() => expect(container.querySelector(".said")?.textContent).toContain("1.15M"));
});

test("a conversation of the table is opened, a deleted one can't be; Escape leaves the page", async () => {
  const { onopen, onclose } = await show();
  await page.getByRole("button", { name: "Retry only before the first byte" }).click();
  expect(onopen).toHaveBeenCalledExactlyOnceWith("c1");
  await expect.element(page.getByText("整理六月的访谈")).toBeVisible();
  expect(page.getByRole("button", { name: "整理六月的访谈" }).query()).toBeNull();
  await userEvent.keyboard("{Escape}");
  expect(onclose).toHaveBeenCalledTimes(1);
});

test("a span without a request says so, and a failure can be tried again", async () => {
  const empty = { total: NOTHING, days: [], models: [], purposes: [], conversations: [], purged: NOTHING };
  let fails = true;
  await show({ usage: () => { if (fails) throw failure("storage", "the disk is gone"); return empty; } });
  await expect.element(page.getByText("the disk is gone")).toBeVisible();
  fails = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.element(page.getByText("Nothing was used in this span")).toBeVisible();
});

test("it is asked anew when a turn ends anywhere", async () => {
  const { app, asked } = await show();
  await vi.waitFor(() => expect(asked.length).toBe(1));
  const { row } = conversation();
  app.conversations.put(row);
  await vi.waitFor(() => expect(asked.length).toBe(2));
  app.conversations.put({ ...row, seq: 2, generating: false });
  await vi.waitFor(() => expect(asked.length).toBe(3));
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  const { container } = await show();
  await vi.waitFor(() => expect(container.querySelectorAll(".day").length).toBe(30));
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`)).toEqual([]);
});
