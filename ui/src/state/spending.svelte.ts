// What one conversation's requests used and cost, from a picture of it and every event after. Unknown is counted, never taken for zero.
import type { Event, RequestId, Usage, UsageTotals } from "../protocol";

export const NOTHING: UsageTotals = { requests: 0, uncounted: 0, unpriced: 0, usage: { input: null, output: null, cache_read: null, cache_write: null, reasoning: null }, cost_micros: null };

const COUNTS = ["input", "output", "cache_read", "cache_write", "reasoning"] as const;

export class Spending {
  /** Tokens that the last request filled of the window: as counted, else as estimated. */
  tokens = $state(0);
  /** The share of the last counted request's input that came from a cache; null: nobody told. */
  cached = $state<number | null>(null);
  /** Everything so far; requests on their way aren't in it. */
  totals = $state.raw<UsageTotals>(NOTHING);
  /** Requests on their way. */
  readonly #sent = new Set<RequestId>();
  /** Requests that ended and whose usage nobody told yet. */
  readonly #silent = new Set<RequestId>();
  readonly #counted = new Set<RequestId>();

  event(event: Event): void {
    switch (event.kind) {
      case "request/sent":
        this.#sent.add(event.request);
        if (event.purpose === "chat") this.tokens = event.estimate;
        return;
      case "request/failed":
      case "assistant/message":
      case "assistant/discarded":
        return this.#ended(event.request);
      case "usage/recorded":
        if (!this.#counted.has(event.request)) this.#used(event);
    }
  }

  /** Takes the sums of a picture, after the events that it shows were applied. */
  restart(totals: UsageTotals): void {
    this.totals = totals;
  }

  /** Until somebody tells, what it used is unknown. A request that was never sent is none. */
  #ended(request: RequestId): void {
    if (!this.#sent.delete(request)) return;
    this.#silent.add(request);
    const { requests, uncounted, unpriced } = this.totals;
    this.totals = { ...this.totals, requests: requests + 1, uncounted: uncounted + 1, unpriced: unpriced + 1 };
  }

  #used({ request, purpose, usage, cost_micros }: Extract<Event, { kind: "usage/recorded" }>): void {
    this.#counted.add(request);
    this.#sent.delete(request);
    const isNew = !this.#silent.delete(request);
    const told = COUNTS.some((name) => usage[name] !== null);
    const { totals } = this;
    this.totals = {
      requests: totals.requests + (isNew ? 1 : 0),
      uncounted: totals.uncounted + (isNew ? 1 : 0) - (told ? 1 : 0),
      unpriced: totals.unpriced + (isNew ? 1 : 0) - (cost_micros !== null ? 1 : 0),
      usage: Object.fromEntries(COUNTS.map((name) => [name, sum(totals.usage[name], usage[name])])) as Usage,
      cost_micros: sum(totals.cost_micros, cost_micros),
    };
    if (purpose !== "chat") return;
    this.tokens = filled(usage) ?? this.tokens;
    this.cached = hitRate(usage);
  }
}

/** All input of a request or a sum: read from a cache, written to one, and neither. Null: nobody told. */
export function filled({ input, cache_read, cache_write }: Usage): number | null {
  return input === null ? null : input + (cache_read ?? 0) + (cache_write ?? 0);
}

/** The share of the input that came from a cache, 0 to 1. Null: nobody told of caches, or there was no input. */
export function hitRate(usage: Usage): number | null {
  const all = filled(usage);
  return all && usage.cache_read !== null ? usage.cache_read / all : null;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
