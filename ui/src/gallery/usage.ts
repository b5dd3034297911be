// Invented sums: priced, partly priced and unpriced models, a deleted conversation, and requests that nobody counted.
import type { UsageOfRequest, UsageReport, UsageTotals } from "../protocol";

type Figures = { requests: number; uncounted?: number; unpriced?: number; input?: number; output?: number; read?: number; write?: number; cost?: number };
const totals = ({ requests, uncounted = 0, unpriced = 0, input, output, read, write, cost }: Figures): UsageTotals => ({
  requests, uncounted, unpriced,
  usage: { input: input ?? null, output: output ?? null, cache_read: read ?? null, cache_write: write ?? null, reasoning: null },
  cost_micros: cost ?? null,
});

const sonnet = { provider: "Example", model: "sonnet" };
const haiku = { provider: "Example", model: "haiku" };
const local = { provider: "local server", model: "qwen3:14b" };
const unnamed = { provider: "", model: "" };

/** What was used in so many days, on the last two of them. */
export function report(days: number): UsageReport {
  const dear = totals({ requests: 40, input: 160_000, output: 20_000, read: 800_000, write: 40_000, cost: 2_100_000 });
  const partly = totals({ requests: 12, unpriced: 2, input: 30_000, output: 4_000, cost: 40_000 });
  const unpriced = totals({ requests: 8, unpriced: 8, input: 90_000, output: 9_000 });
  const untold = totals({ requests: 1, uncounted: 1, unpriced: 1 });
  const total = totals({ requests: 61, uncounted: 1, unpriced: 11, input: 280_000, output: 33_000, read: 800_000, write: 40_000, cost: 2_140_000 });
  return {
    total,
    days: [
      { day: days - 2, model: sonnet, totals: totals({ requests: 10, input: 40_000, output: 5_000, read: 200_000, write: 10_000, cost: 500_000 }) },
      { day: days - 2, model: haiku, totals: totals({ requests: 6, unpriced: 1, input: 15_000, output: 2_000, cost: 20_000 }) },
      { day: days - 2, model: local, totals: totals({ requests: 4, unpriced: 4, input: 45_000, output: 4_500 }) },
      { day: days - 2, model: unnamed, totals: untold },
      { day: days - 1, model: haiku, totals: totals({ requests: 6, unpriced: 1, input: 15_000, output: 2_000, cost: 20_000 }) },
      { day: days - 1, model: local, totals: totals({ requests: 4, unpriced: 4, input: 45_000, output: 4_500 }) },
      { day: days - 1, model: sonnet, totals: totals({ requests: 30, input: 120_000, output: 15_000, read: 600_000, write: 30_000, cost: 1_600_000 }) },
    ],
    models: [{ model: sonnet, totals: dear }, { model: haiku, totals: partly }, { model: local, totals: unpriced }, { model: unnamed, totals: untold }],
    purposes: [{ purpose: "chat", totals: total }],
    conversations: [
      { conversation: "c1", title: "Retry only before the first byte", deleted: false, totals: dear },
      { conversation: "c2", title: "整理六月的访谈", deleted: true, totals: partly },
    ],
    purged: totals({ requests: 9, uncounted: 1, unpriced: 9, input: 90_000, output: 9_000 }),
  };
}

export const requests: readonly UsageOfRequest[] = [
  { request: "r2", purpose: "chat", model: sonnet, ended_at: 1_764_500_000_000, usage: { input: 4_000, output: 500, cache_read: 44_000, cache_write: 0, reasoning: null }, cost_micros: 32_700 },
  { request: "r1", purpose: "chat", model: local, ended_at: 1_764_400_000_000, usage: { input: null, output: null, cache_read: null, cache_write: null, reasoning: null }, cost_micros: null },
];
