// Days of the calendar, and what a chart draws of a report. It asks for nothing and knows no colour.
import { filled } from "../state";
import type { UsageReport, UsageTotals, UsedModel } from "../protocol";

export type Measure = "cost" | "tokens";
/** One layer of the bars: a model, or all the small ones together (null). */
export type Series = { model: UsedModel | null; label: string; values: number[]; total: number };
export type Bars = {
  series: Series[];
  /** Sum of each day. */
  days: number[];
  /** Requests of each day whose value is unknown. */
  unknown: number[];
  /** Requests of each day. */
  requests: number[];
  /** Where the scale ends, and its lines. */
  top: number;
  ticks: number[];
};

/** Models that have a colour of their own. */
const SHOWN = 5;

/** The beginnings of the last `count` days in this machine's time zone, and the end of today. */
export function boundsOf(count: number, now: number): number[] {
  const today = new Date(now);
  return Array.from({ length: count + 1 }, (_, index) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - count + 1 + index).getTime());
}

/** All tokens of a sum; unknown ones are left out. */
export function tokensOf({ usage }: UsageTotals): number {
  return (filled(usage) ?? 0) + (usage.output ?? 0);
}

export function barsOf(report: UsageReport, count: number, measure: Measure, names: { unnamed: string; others: string }): Bars {
  const value = (totals: UsageTotals): number => (measure === "cost" ? (totals.cost_micros ?? 0) : tokensOf(totals));
  const unknownOf = (totals: UsageTotals): number => (measure === "cost" ? totals.unpriced : totals.uncounted);
  const zeros = (): number[] => Array.from({ length: count }, () => 0);
  const ranked = report.models.map(({ model, totals }) => ({ model, total: value(totals) })).filter(({ total }) => total > 0).sort((a, b) => b.total - a.total);
  const own = ranked.slice(0, SHOWN);
  const series: Series[] = own.map(({ model, total }) => ({ model, label: labelOf(model, report, names.unnamed), values: zeros(), total }));
  const rest = ranked.slice(SHOWN);
  if (rest.length > 0) series.push({ model: null, label: names.others, values: zeros(), total: rest.reduce((sum, { total }) => sum + total, 0) });
  const [days, unknown, requests] = [zeros(), zeros(), zeros()];
  const add = (to: number[], day: number, by: number): void => {
    to[day] = (to[day] ?? 0) + by;
  };
  for (const { day, model, totals } of report.days) {
    if (day >= count) continue;
    const layer = series.find((one) => one.model !== null && isSame(one.model, model)) ?? series.find((one) => one.model === null);
    const amount = value(totals);
    if (layer && amount > 0) add(layer.values, day, amount);
    add(days, day, amount);
    add(unknown, day, unknownOf(totals));
    add(requests, day, totals.requests);
  }
  return { series, days, unknown, requests, ...scale(Math.max(0, ...days)) };
}

/** A model's name, with its provider's where another provider has one of the same name. */
export function labelOf(model: UsedModel, report: UsageReport, unnamed: string): string {
  if (model.model === "") return unnamed;
  const isShared = report.models.some((one) => one.model.model === model.model && one.model.provider !== model.provider);
  return isShared && model.provider !== "" && model.provider !== model.model ? `${model.model} · ${model.provider}` : model.model;
}

/** Round steps of 1, 2 or 5, three or four of them. */
export function scale(highest: number): { top: number; ticks: number[] } {
  if (highest <= 0) return { top: 1, ticks: [] };
  const rough = highest / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const steps = Math.ceil(highest / step - 1e-9);
  return { top: steps * step, ticks: Array.from({ length: steps }, (_, index) => (index + 1) * step) };
}

function isSame(a: UsedModel, b: UsedModel): boolean {
  return a.model === b.model && a.provider === b.provider;
}
