// One turn of the invented engine: answers stream, calls are judged, asked about and run, in the order of the real one's events.
// It decides nothing about what is said; that is the script's.
import type { Answer, CallId, Cause, EndReason, Outcome, RequestId } from "../../protocol";
import { id, sha } from "./ids";
import type { FakeLog } from "./log";
import { cardOf, type FakeCall, type Step } from "./script";

export type Pace = {
  /** Waits; rejects when the turn is stopped meanwhile. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
};
export type Decision = { answer: Answer; note: string | null };
/** Lets a sub-agent work for a call; resolves with its last words when its turn is over. */
export type Dispatch = (call: CallId, task: string, steps: readonly Step[], signal: AbortSignal) => Promise<string>;
type Open = { call: CallId; made: FakeCall; state: "waiting" | "pending" | "cleared" | "done"; asked: boolean };

/** Characters of one piece of a stream, and how long it takes. */
const PIECE = 6;
const PIECE_MS = 18;

export class FakeTurn {
  readonly stopping = new AbortController();
  readonly pending = new Map<CallId, (decision: Decision) => void>();
  readonly asked = new Map<CallId, (answer: string) => void>();
  readonly #log: FakeLog;
  readonly #pace: Pace;
  readonly #dispatch: Dispatch;
  #since = 0;

  constructor(log: FakeLog, pace: Pace, dispatch: Dispatch) {
    this.#log = log;
    this.#pace = pace;
    this.#dispatch = dispatch;
  }

  /** Runs the steps to the turn's end. `beforeEach` may put messages in between two of them. */
  async run(steps: readonly Step[], beforeEach: () => void): Promise<void> {
    let reason: EndReason = "completed";
    let words: string | undefined;
    let isDear = false;
    for (const [index, step] of steps.entries()) {
      beforeEach();
      this.#since += 1;
      this.#log.append({ kind: "iteration/start", since_human: this.#since, in_turn: index + 1 });
      const end = await this.#step(step).catch(() => ({ reason: "stopped" as const, words: undefined }));
      if (end) {
        ({ reason, words } = end);
        break;
      }
      this.#log.append({ kind: "iteration/end", in_turn: index + 1 });
      if (step.finish && index >= 3) reason = "max-iterations";
      isDear = step.dear ?? false;
    }
    this.#log.enter({ is: "saving" });
    if (isDear) this.#log.append({ kind: "turn/end", reason: "blocked", message: "spent $0.52 of the $0.50 that this turn may cost", money: { spent_micros: 520_000, limit_micros: 500_000 } });
    else this.#log.append({ kind: "turn/end", reason, ...(words ? { message: words } : {}) });
    this.#log.enter({ is: "idle" });
  }

  /** A person's stop. */
  stop(): void {
    this.#log.append({ kind: "turn/stop" });
    this.stopping.abort();
  }

  get #purpose(): "chat" | "agent" {
    return this.#log.row.parent ? "agent" : "chat";
  }

  async #step(step: Step): Promise<{ reason: EndReason; words?: string } | null> {
    const request = await this.#send(step);
    if (request === null) return { reason: "error", words: "the server answered 503 three times" };
    const { breaks } = step;
    await this.#stream(request, step);
    if (breaks) {
      this.#log.append({ kind: "assistant/discarded", request, failure: breaks, message: "the connection was closed before the answer was complete", text: this.#log.said(request).text });
      return { reason: "error", words: "the connection was closed before the answer was complete" };
    }
    const open: Open[] = (step.calls ?? []).map((made) => ({ call: id(), made, state: "waiting", asked: false }));
    const said = this.#log.said(request);
    this.#log.append({
      kind: "assistant/message", message: id(), request, text: said.text, reasoning: said.reasoning, partial: false, finish: open.length > 0 ? "tool-calls" : (step.finish ?? "stop"),
      calls: open.map(({ call, made }, index) => ({ call, provider_id: `call_${index}`, name: made.name, arguments: JSON.stringify(made.arguments) })),
    });
    this.#log.append({ kind: "usage/recorded", request, purpose: this.#purpose, usage: { input: 3_840, output: 420, cache_read: 44_160, cache_write: 0, reasoning: null }, cost_micros: 21_000, coefficient: 1 });
    await this.#calls(open);
    return null;
  }

  async #send(step: Step): Promise<RequestId | null> {
    const of = 3;
    for (let attempt = 1; ; attempt += 1) {
      const request = id();
      this.#log.enter({ is: "connecting" });
      this.#log.append({ kind: "request/sent", request, attempt, purpose: this.#purpose, provider: "rehearsal", model: "rehearsal", protocol: "practice", builder: "1", tool_choice: "auto", digest: sha(request), bytes: 24_000, prefix: 22_000, stable: 23_998, characters: 24_000, estimate: 48_000 });
      await this.#wait(120);
      if (!step.fails) {
        this.#log.enter({ is: "first-token" });
        await this.#wait(200);
        return request;
      }
      const retry = attempt < of ? 3000 : null;
      this.#log.append({ kind: "request/failed", request, failure: step.fails, message: "503 Service Unavailable", attempt, retry_in_ms: retry });
      if (retry === null) return null;
      this.#log.enter({ is: "backing-off", until: Date.now() + retry, attempt: attempt + 1, of });
      await this.#wait(retry);
    }
  }

  async #stream(request: RequestId, step: Step): Promise<void> {
    try {
      if (step.reasoning) {
        this.#log.enter({ is: "thinking" });
        await this.#pieces(request, "reasoning", step.reasoning);
      }
      if (step.say) {
        this.#log.enter({ is: "writing" });
        await this.#pieces(request, "text", step.say);
      }
      for (const [index, { name, target, ask }] of (step.calls ?? []).entries()) {
        if (!ask) continue;
        for (const lines of [1, 40, 120, 240]) {
          this.#log.delta({ of: "writing", request, index, name, target: lines > 1 ? target : null, lines });
          await this.#wait(120);
        }
      }
    } catch (stopped) {
      const said = this.#log.said(request);
      this.#log.append({ kind: "assistant/message", message: id(), request, text: said.text, reasoning: said.reasoning, calls: [], finish: null, partial: true });
      throw stopped;
    }
  }

  async #pieces(request: RequestId, part: "text" | "reasoning", text: string): Promise<void> {
    let recorded = 0;
    const points = [...text];
    for (let at = 0; at < points.length; at += PIECE) {
      this.#log.say(request, part, points.slice(at, at + PIECE).join(""));
      const said = this.#log.said(request)[part];
      if (said.length - recorded > 90) {
        this.#log.append({ kind: "assistant/chunk", request, part, offset: new TextEncoder().encode(said.slice(0, recorded)).length, text: said.slice(recorded) });
        recorded = said.length;
      }
      await this.#wait(PIECE_MS);
    }
  }

  /** Judges all, asks for what needs it at once, and runs in the model's order. */
  async #calls(open: Open[]): Promise<void> {
    const stopped = new Promise<never>((_, reject) => this.stopping.signal.addEventListener("abort", () => reject(new Error("stopped"))));
    stopped.catch(() => undefined);
    try {
      for (const each of open) this.#judge(each, open);
      while (open.some(({ state }) => state !== "done")) {
        const first = open.find(({ state }) => state !== "done");
        // Sub-agents work side by side.
        if (first?.made.agent) await Promise.all(open.filter(({ state, made }) => state === "cleared" && made.agent).map((each) => this.#execute(each)));
        else if (first?.made.asks) await this.#ask(first, first.made.asks, stopped);
        else if (first?.state === "cleared") await this.#execute(first);
        else if (first?.state === "waiting") this.#judge(first, open);
        else {
          this.#log.enter({ is: "you", pending: this.pending.size });
          await Promise.race([stopped, this.#decided(open)]);
        }
      }
    } catch (reason) {
      for (const { call, made, state } of open) if (state !== "done") this.#result(call, made, "stopped", "stop");
      this.pending.clear();
      this.asked.clear();
      throw reason;
    }
  }

  async #ask(each: Open, { question, options }: { question: string; options: string[] }, stopped: Promise<never>): Promise<void> {
    const { call, made } = each;
    this.#log.append({ kind: "question/asked", call, question, options });
    this.#log.enter({ is: "you", pending: 1 });
    const answer = await Promise.race([stopped, new Promise<string>((resolve) => this.asked.set(call, resolve))]);
    this.asked.delete(call);
    this.#since = 0;
    each.state = "done";
    this.#log.append({ kind: "question/answered", call, answer });
    this.#result(call, { ...made, output: `The user answered: ${answer}` }, "ok", null);
  }

  #judge(each: Open, open: readonly Open[]): void {
    const { call, made } = each;
    const before = made.after === undefined ? undefined : open[made.after];
    const waits = before !== undefined && before.state !== "done";
    if (each.asked && waits) return;
    const verdict = waits ? ({ answer: "defer", after: before.call } as const) : made.ask ? ({ answer: "ask" } as const) : ({ answer: "run", by: "tool" } as const);
    this.#log.append({ kind: "tool/call", call, name: made.name, arguments: JSON.stringify(made.arguments), tier: made.tier, read_only: !made.ask, verdict, digest: sha(JSON.stringify(made.arguments)), paths: [made.target], target: made.target });
    each.asked = waits;
    if (waits) return;
    each.state = made.ask ? "pending" : "cleared";
    if (made.ask) this.#log.append({ kind: "approval/requested", call, card: cardOf(made) });
  }

  #decided(open: Open[]): Promise<void> {
    return new Promise((resolve) => {
      for (const each of open.filter(({ state }) => state === "pending")) {
        this.pending.set(each.call, (decision) => {
          this.pending.delete(each.call);
          this.#since = 0;
          this.#log.append({ kind: "approval/decided", call: each.call, card: cardOf(each.made).digest, answer: decision.answer, by: "user", scope: { reach: "once" }, ...(decision.note ? { note: decision.note } : {}) });
          if (decision.answer === "approved") each.state = "cleared";
          else {
            each.state = "done";
            this.#result(each.call, each.made, "rejected", "user");
          }
          resolve();
        });
      }
    });
  }

  async #execute(each: Open): Promise<void> {
    const { call, made } = each;
    this.#log.enter({ is: "tool", call, name: made.name, output_at: null });
    this.#log.append({ kind: "tool/started", call, attempt: 1, boot: "boot" });
    if (made.agent) {
      const output = await this.#dispatch(call, made.target, made.agent, this.stopping.signal);
      if (this.stopping.signal.aborted) throw new Error("stopped");
      each.state = "done";
      return this.#result(call, { ...made, output }, "ok", null);
    }
    const lines = made.ask ? (made.output ?? "").split(/(?<=\n)/) : [];
    for (const line of lines) {
      this.#log.print(call, line);
      await this.#wait(made.milliseconds / lines.length);
    }
    if (lines.length === 0) await this.#wait(made.milliseconds);
    each.state = "done";
    this.#result(call, made, "ok", null);
  }

  #result(call: CallId, made: FakeCall, outcome: Outcome, cause: Cause | null): void {
    const ran = outcome === "ok";
    const changed = ran && made.ask?.preview.form === "diff";
    this.#log.append({
      kind: "tool/result", call, outcome, ...(cause ? { cause } : {}), shown: ran ? (made.output ?? "Done.") : "It did not run.", brief: ran ? made.brief : { says: "done" }, duration_ms: ran ? made.milliseconds : 0,
      ...(changed ? { effects: [{ path: made.target, before: sha("before"), after: sha("after"), moved_to: null, added: made.ask?.added ?? 0, removed: made.ask?.removed ?? 0 }] } : {}),
    });
  }

  #wait(milliseconds: number): Promise<void> {
    return this.#pace.wait(milliseconds, this.stopping.signal);
  }
}
