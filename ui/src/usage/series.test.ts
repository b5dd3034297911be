import { expect, test } from "vitest";
import type { UsageReport, UsageTotals } from "../protocol";
import { NOTHING } from "../state";
import { barsOf, boundsOf, labelOf, scale } from "./series";

const names = { unnamed: "unnamed", others: "others" };
const totals = (cost: number | null, input: number): UsageTotals => ({ ...NOTHING, requests: 1, unpriced: cost === null ? 1 : 0, usage: { ...NOTHING.usage, input }, cost_micros: cost });
const model = (name: string, provider = "p") => ({ provider, model: name });
const report = (rows: [day: number, name: string, cost: number | null, input: number][]): UsageReport => {
  const models = [...new Set(rows.map(([, name]) => name))];
  return {
    total: NOTHING, purposes: [], conversations: [], purged: NOTHING,
    days: rows.map(([day, name, cost, input]) => ({ day, model: model(name), totals: totals(cost, input) })),
    models: models.map((name) => {
      const own = rows.filter((row) => row[1] === name);
      const costs = own.flatMap(([, , cost]) => (cost === null ? [] : [cost]));
      return { model: model(name), totals: totals(costs.length > 0 ? costs.reduce((a, b) => a + b) : null, own.reduce((sum, row) => sum + row[3], 0)) };
    }),
  };
};

test("days are those of the calendar here, the last one today", () => {
  const now = new Date(2026, 10, 30, 13, 45).getTime();
  const bounds = boundsOf(7, now);
  expect(bounds.map((at) => new Date(at).getDate())).toEqual([24, 25, 26, 27, 28, 29, 30, 1]);
  expect(bounds.every((at) => new Date(at).getHours() === 0)).toBe(true);
  expect([bounds.at(0), bounds.at(-1)]).toEqual([new Date(2026, 10, 24).getTime(), new Date(2026, 11, 1).getTime()]);
});

test("bars are layered by model, the largest first, and unknown costs are counted and not drawn", () => {
  const bars = barsOf(report([[0, "small", 10, 900], [0, "large", 40, 1], [2, "large", 5, 1], [2, "local", null, 70]]), 3, "cost", names);
  expect(bars.series.map(({ label, values, total }) => [label, values, total])).toEqual([["large", [40, 0, 5], 45], ["small", [10, 0, 0], 10]]);
  expect([bars.days, bars.unknown, bars.requests]).toEqual([[50, 0, 5], [0, 0, 1], [2, 0, 2]]);
  const tokens = barsOf(report([[0, "small", 10, 900], [2, "local", null, 70]]), 3, "tokens", names);
  expect(tokens.series.map(({ label }) => label)).toEqual(["small", "local"]);
  expect(tokens.unknown).toEqual([0, 0, 0]);
});

test("more models than there are colours share the last one, and no value is lost", () => {
  const rows = Array.from({ length: 8 }, (_, index): [number, string, number, number] => [0, `m${index}`, 8 - index, 1]);
  const { series, days } = barsOf(report(rows), 1, "cost", names);
  expect(series.map(({ label, total }) => [label, total])).toEqual([["m0", 8], ["m1", 7], ["m2", 6], ["m3", 5], ["m4", 4], ["others", 6]]);
  expect(days).toEqual([36]);
  expect(series.at(-1)?.values).toEqual([6]);
});

test("a model is named with its provider only where the name alone says too little", () => {
  const both = { ...report([]), models: [{ model: model("m", "a"), totals: NOTHING }, { model: model("m", "b"), totals: NOTHING }, { model: model("n", "a"), totals: NOTHING }] };
  expect([labelOf(model("m", "a"), both, "?"), labelOf(model("n", "a"), both, "?"), labelOf(model("", "a"), both, "?")]).toEqual(["m · a", "n", "?"]);
});

test("the scale has round lines and holds the highest bar", () => {
  expect(scale(0)).toEqual({ top: 1, ticks: [] });
  expect(scale(50)).toEqual({ top: 60, ticks: [20, 40, 60] });
  expect(scale(3)).toEqual({ top: 3, ticks: [1, 2, 3] });
  for (const highest of [0.7, 1, 9, 11, 99, 12_345, 1e9]) {
    const { top, ticks } = scale(highest);
    expect(top).toBeGreaterThanOrEqual(highest);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(7);
  }
});
