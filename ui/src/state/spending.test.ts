import { expect, test } from "vitest";
import type { Event, Usage, UsageTotals } from "../protocol";
import { hitRate, NOTHING, Spending } from "./spending.svelte";

let seq = 0;
const event = (payload: Record<string, unknown>): Event => ({ conversation: "c", seq: (seq += 1), at: seq, ...payload }) as unknown as Event;
const sent = (request: string): Event => event({ kind: "request/sent", request, purpose: "chat", estimate: 900 });
const answered = (request: string): Event => event({ kind: "assistant/message", request });
const failed = (request: string): Event => event({ kind: "request/failed", request });
const counts = (usage: Partial<Usage>): Usage => ({ ...NOTHING.usage, ...usage });
const used = (request: string, usage: Partial<Usage>, cost_micros: number | null): Event => event({ kind: "usage/recorded", request, purpose: "chat", usage: counts(usage), cost_micros });

function after(...events: Event[]): UsageTotals {
  const spending = new Spending();
  events.forEach((each) => spending.event(each));
  return spending.totals;
}

test("a request counts when it has ended, and is unknown until somebody tells", () => {
  expect(after(sent("1"))).toEqual(NOTHING);
  expect(after(sent("1"), answered("1"))).toEqual({ ...NOTHING, requests: 1, uncounted: 1, unpriced: 1 });
  expect(after(sent("1"), answered("1"), used("1", { input: 5, output: 2 }, null))).toEqual({ requests: 1, uncounted: 0, unpriced: 1, usage: counts({ input: 5, output: 2 }), cost_micros: null });
  expect(after(sent("1"), answered("1"), used("1", { input: 5 }, 7), sent("2"), failed("2"))).toEqual({ requests: 2, uncounted: 1, unpriced: 1, usage: counts({ input: 5 }), cost_micros: 7 });
});

test("what was told twice counts once, what was never sent doesn't, and a kept answer is no second request", () => {
  expect(after(sent("1"), answered("1"), used("1", { input: 5 }, 7), used("1", { input: 5 }, 7)).cost_micros).toBe(7);
  expect(after(failed("never"))).toEqual(NOTHING);
  expect(after(sent("1"), event({ kind: "assistant/discarded", request: "1" }), answered("1")).requests).toBe(1);
  expect(after(used("title", { input: 3 }, null))).toEqual({ requests: 1, uncounted: 0, unpriced: 1, usage: counts({ input: 3 }), cost_micros: null });
});

test("the sums of a picture hold, and events after it are added", () => {
  const spending = new Spending();
  for (const each of [sent("1"), answered("1"), used("1", { input: 5 }, 7)]) spending.event(each);
  spending.restart({ ...NOTHING, requests: 40, unpriced: 2, cost_micros: 100 });
  for (const each of [sent("2"), answered("2"), used("2", { input: 50, output: 1, cache_read: 150 }, 20)]) spending.event(each);
  expect([spending.totals.requests, spending.totals.unpriced, spending.totals.cost_micros]).toEqual([41, 2, 120]);
  expect([spending.tokens, spending.cached]).toEqual([200, 0.75]);
});

test("a hit rate is a share of all input, and unknown where nobody tells of caches", () => {
  expect(hitRate(counts({ input: 10, cache_read: 80, cache_write: 10 }))).toBe(0.8);
  expect(hitRate(counts({ input: 10, cache_read: 0 }))).toBe(0);
  expect(hitRate(counts({ input: 10 }))).toBeNull();
  expect(hitRate(counts({ cache_read: 10 }))).toBeNull();
  expect(hitRate(counts({ input: 0, cache_read: 0 }))).toBeNull();
});
