// Sums of what the invented conversations used, and an invented past, so that there is something to look at. It knows no day of its own:
// the bounds are given.
import type { Event, UsageOfRequest, UsageReport, UsageTotals, UsedModel } from "../../protocol";
import type { FakeLog } from "./log";

const NOTHING: UsageTotals = { requests: 0, uncounted: 0, unpriced: 0, usage: { input: null, output: null, cache_read: null, cache_write: null, reasoning: null }, cost_micros: null };
const COUNTS = ["input", "output", "cache_read", "cache_write", "reasoning"] as const;

/** A past that looks lived in; the days are counted back from the last. */
const PAST: ReadonlyArray<{ model: UsedModel; input: number; price: number | null; from: number }> = [
  { model: { provider: "Example", model: "claude-sonnet" }, input: 1_900_000, price: 4.1, from: 90 },
  { model: { provider: "Example", model: "claude-haiku" }, input: 700_000, price: 1.2, from: 60 },
  { model: { provider: "Other", model: "gpt-large" }, input: 500_000, price: 3.4, from: 21 },
  { model: { provider: "local server", model: "qwen3:14b" }, input: 900_000, price: null, from: 12 },
];

export function requestsOf(log: FakeLog): UsageOfRequest[] {
  const found: UsageOfRequest[] = [];
  for (const event of log.events) {
    const sent = "request" in event ? log.events.find((one): one is Extract<Event, { kind: "request/sent" }> => one.kind === "request/sent" && one.request === event.request) : undefined;
    if (!sent) continue;
    const model = { provider: sent.provider, model: sent.model };
    if (event.kind === "usage/recorded") {
      const at = found.findIndex(({ request }) => request === event.request);
      found.splice(at < 0 ? found.length : at, 1, { request: event.request, purpose: event.purpose, model, ended_at: event.at, usage: event.usage, cost_micros: event.cost_micros });
    } else if (event.kind === "request/failed" || event.kind === "assistant/message" || event.kind === "assistant/discarded") {
      if (!found.some(({ request }) => request === event.request)) found.push({ request: event.request, purpose: "chat", model, ended_at: event.at, usage: NOTHING.usage, cost_micros: null });
    }
  }
  return found.reverse();
}

export function totalsOf(log: FakeLog): UsageTotals {
  return requestsOf(log).map(one).reduce(add, NOTHING);
}

export function reportOf(logs: readonly FakeLog[], bounds: readonly number[]): UsageReport {
  const report: UsageReport = { total: NOTHING, days: [], models: [], purposes: [], conversations: [], purged: NOTHING };
  const put = (at: number, model: UsedModel, totals: UsageTotals): void => {
    const day = bounds.findLastIndex((bound) => bound <= at);
    const isSame = (other: UsedModel): boolean => other.model === model.model && other.provider === model.provider;
    const ofDay = report.days.find((row) => row.day === day && isSame(row.model));
    if (ofDay) ofDay.totals = add(ofDay.totals, totals);
    else report.days.push({ day, model, totals });
    const ofModel = report.models.find((row) => isSame(row.model));
    if (ofModel) ofModel.totals = add(ofModel.totals, totals);
    else report.models.push({ model, totals });
    report.total = add(report.total, totals);
  };
  const within = (at: number): boolean => at >= (bounds[0] ?? Infinity) && at < (bounds.at(-1) ?? 0);
  for (const log of logs) {
    let sum = NOTHING;
    for (const request of requestsOf(log).filter(({ ended_at }) => within(ended_at))) {
      put(request.ended_at, request.model, one(request));
      sum = add(sum, one(request));
    }
    if (sum.requests > 0) report.conversations.push({ conversation: log.row.id, title: log.row.title, deleted: log.deleted, totals: sum });
  }
  const days = bounds.length - 1;
  for (let day = 0; day < days - 1; day += 1) {
    const back = days - 1 - day;
    for (const [index, { model, input, price, from }] of PAST.entries()) {
      const wave = Math.abs(Math.sin(back * (1.7 + index) + index));
      if (back > from || wave < 0.25 || back % 7 > 4) continue;
      const all = Math.round(input * wave);
      const requests = 3 + Math.round(wave * 40);
      const totals: UsageTotals = {
        requests,
        uncounted: back % 5 === 0 ? 1 : 0,
        unpriced: price === null ? requests : back % 5 === 0 ? 1 : 0,
        usage: { input: Math.round(all * 0.16), output: Math.round(all * 0.02), cache_read: price === null ? null : Math.round(all * 0.8), cache_write: price === null ? null : Math.round(all * 0.04), reasoning: null },
        cost_micros: price === null ? null : Math.round(all * 0.3 * price),
      };
      put(bounds[day] ?? 0, model, totals);
      report.purged = add(report.purged, totals);
    }
  }
  const dearest = (a: { totals: UsageTotals }, b: { totals: UsageTotals }): number => (b.totals.cost_micros ?? -1) - (a.totals.cost_micros ?? -1);
  report.days.sort((a, b) => a.day - b.day);
  report.models.sort(dearest);
  report.conversations.sort(dearest);
  if (report.total.requests > 0) report.purposes.push({ purpose: "chat", totals: report.total });
  return report;
}

function one({ usage, cost_micros }: UsageOfRequest): UsageTotals {
  return { requests: 1, uncounted: COUNTS.some((name) => usage[name] !== null) ? 0 : 1, unpriced: cost_micros === null ? 1 : 0, usage, cost_micros };
}

function add(a: UsageTotals, b: UsageTotals): UsageTotals {
  const sum = (x: number | null, y: number | null): number | null => (x === null ? y : y === null ? x : x + y);
  const usage = { ...a.usage };
  for (const name of COUNTS) usage[name] = sum(a.usage[name], b.usage[name]);
  return { requests: a.requests + b.requests, uncounted: a.uncounted + b.uncounted, unpriced: a.unpriced + b.unpriced, usage, cost_micros: sum(a.cost_micros, b.cost_micros) };
}
