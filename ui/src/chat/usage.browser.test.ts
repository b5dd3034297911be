import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation } from "../gallery/host";
import { requests } from "../gallery/usage";
import WithApp from "../gallery/WithApp.svelte";
import type { Event, UsageTotals } from "../protocol";
import { NOTHING, type Conversation } from "../state";
import EndNote from "./EndNote.svelte";
import UsageInfo from "./UsageInfo.svelte";

function spent(totals: Partial<UsageTotals>): Conversation {
  const shown = conversation();
  shown.spent.restart({ ...NOTHING, ...totals });
  return shown;
}

async function show(shown: Conversation): Promise<ReturnType<typeof appWith>> {
  const given = appWith({ usage_requests: () => [...requests] });
  await render(WithApp, { props: { app: given.app, component: UsageInfo as never, props: { conversation: shown } } });
  return given;
}

const used = (request: string, cost_micros: number | null): Event =>
  ({ kind: "usage/recorded", conversation: "c", seq: 9, at: 9, request, purpose: "chat", usage: { input: 4_000, output: 500, cache_read: 46_000, cache_write: 0, reasoning: null }, cost_micros, coefficient: 1 });

test("the line says the share from the cache and the cost, and follows each answer", async () => {
  const shown = spent({ requests: 3, cost_micros: 200_000 });
  await show(shown);
  const line = page.getByRole("button", { name: /Usage of this conversation/ });
  await expect.element(line).toHaveTextContent("$0.20");
  shown.spent.event(used("r9", 10_000));
  await expect.element(line).toHaveTextContent("92% cached · $0.21");
  shown.spent.event(used("r10", null));
  await expect.element(line).toHaveTextContent("92% cached · $0.21+");
});

test("a cost of which nothing is known is called unknown, never nothing", async () => {
  await show(spent({ requests: 2, unpriced: 2 }));
  await expect.element(page.getByRole("button", { name: /Usage of this conversation: cost unknown/ })).toBeVisible();
});

test("it opens to the sums and the latest requests", async () => {
  const { asked } = await show(spent({ requests: 2, uncounted: 1, unpriced: 1, usage: { ...NOTHING.usage, input: 4_000, output: 500, cache_read: 44_000 }, cost_micros: 32_700 }));
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: /Usage of this conversation/ }).click();
  const dialog = page.getByRole("dialog", { name: "Usage of this conversation" });
  await expect.element(dialog).toHaveTextContent(/Cost\s*\$0\.0327 \+ 1 unknown/);
  await expect.element(dialog).toHaveTextContent(/Cache write\s*unknown/);
  await expect.element(dialog).toHaveTextContent(/48k in · 500 out\s*\$0\.0327/);
  await expect.element(dialog).toHaveTextContent(/unknown\s*unknown$/);
  expect(asked.map(({ method }) => method)).toEqual(["usage_requests"]);
  await userEvent.keyboard("{Escape}");
});

test("a turn whose money is used up says what was spent, in the window's words, and goes on by one click", async () => {
  const oncontinue = vi.fn(() => Promise.resolve());
  const props = { reason: "blocked" as const, failure: null, message: "spent $0.52 of the $0.50 that this turn may cost", money: { spent_micros: 520_000, limit_micros: 500_000 }, isLast: true, oncontinue, onsettings: vi.fn() };
  const { container } = await render(EndNote, { props });
  expect(container.textContent).toContain("Spent $0.52 of the $0.50 for this turn.");
  expect(container.textContent).not.toContain("may cost");
  await page.getByRole("button", { name: "Continue" }).click();
  expect(oncontinue).toHaveBeenCalledTimes(1);
});
