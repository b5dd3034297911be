// One conversation of the invented engine: its queue, its running turn, and what a person may do to it.
import type { Attachment, CallId, Delivery, ItemId, RequestId } from "../../protocol";
import { id } from "./ids";
import type { FakeLog } from "./log";
import { summary } from "./samples";
import { script, type Step } from "./script";
import { FakeTurn, type Dispatch, type Pace } from "./turn";

type Queued = { item: ItemId; text: string; delivery: Delivery; attachments: Attachment[] };

export class FakeConversation {
  readonly log: FakeLog;
  turn: FakeTurn | null = null;
  /** Settled when nothing runs. */
  idle: Promise<void> = Promise.resolve();
  #queue: Queued[] = [];
  readonly #pace: Pace;
  readonly #dispatch: Dispatch;
  #lastText = "";

  constructor(log: FakeLog, pace: Pace, dispatch: Dispatch) {
    this.log = log;
    this.#pace = pace;
    this.#dispatch = dispatch;
  }

  send(text: string, delivery: Delivery, reject: boolean, attachments: Attachment[] = []): void {
    const pending = this.turn?.pending;
    if (reject && pending && pending.size > 0) {
      for (const decide of [...pending.values()]) decide({ answer: "rejected", note: text });
      return;
    }
    const item = id();
    this.log.append({ kind: "queue/edited", item, edit: { edit: "added", text, delivery, ...(attachments.length > 0 ? { attachments } : {}) } });
    this.#queue.push({ item, text, delivery, attachments });
    if (!this.turn) this.#next();
  }

  edit(item: ItemId, text: string): boolean {
    const queued = this.#queue.find((each) => each.item === item);
    if (!queued) return false;
    queued.text = text;
    this.log.append({ kind: "queue/edited", item, edit: { edit: "changed", text } });
    return true;
  }

  move(item: ItemId, before: ItemId | null): boolean {
    const one = this.#queue.find((each) => each.item === item);
    if (!one || (before !== null && !this.#queue.some((each) => each.item === before))) return false;
    const others = this.#queue.filter((each) => each !== one);
    const place = before === null ? others.length : others.findIndex((each) => each.item === before);
    this.#queue = [...others.slice(0, place), one, ...others.slice(place)];
    this.log.append({ kind: "queue/edited", item, edit: { edit: "moved", before } });
    return true;
  }

  redeliver(item: ItemId, delivery: Delivery): boolean {
    const queued = this.#queue.find((each) => each.item === item);
    if (!queued) return false;
    queued.delivery = delivery;
    this.log.append({ kind: "queue/edited", item, edit: { edit: "delivery", delivery } });
    return true;
  }

  withdraw(item: ItemId): boolean {
    if (!this.#queue.some((each) => each.item === item)) return false;
    this.#queue = this.#queue.filter((each) => each.item !== item);
    this.log.append({ kind: "queue/edited", item, edit: { edit: "withdrawn" } });
    return true;
  }

  decide(call: CallId, answer: "approved" | "rejected", note: string | null): boolean {
    const decide = this.turn?.pending.get(call);
    decide?.({ answer, note });
    return decide !== undefined;
  }

  answer(call: CallId, text: string): boolean {
    const answer = this.turn?.asked.get(call);
    answer?.(text);
    return answer !== undefined;
  }

  /** A sub-agent's one turn. */
  async work(task: string, steps: readonly Step[]): Promise<void> {
    this.log.append({ kind: "user/message", message: id(), text: task, delivery: "next-turn" });
    this.#begin("message", steps);
    await this.idle;
  }

  /** Continue, or Retry. */
  goOn(): void {
    if (this.turn) return;
    this.#begin("continue", /\b(fail|cut)\b|出错|断开/i.test(this.#lastText) ? script("") : [{ say: "The rest holds nothing that touches the retry loop either." }]);
  }

  /** A summary of all but the newest messages. */
  compact(instructions: string | null): boolean {
    const spoken = this.log.events.filter(({ kind }) => kind === "user/message" || kind === "assistant/message");
    const first = spoken.at(-4);
    if (this.turn || !first || spoken.length < 6) return false;
    const compaction = id();
    this.log.append({ kind: "compaction/start", compaction, cause: "person", until: first.seq, messages: spoken.length - 4, piece: 40_000, tokens_before: 41_200, ...(instructions === null ? {} : { instructions }) });
    this.log.append({ kind: "compaction/part", compaction, text: summary });
    this.log.append({ kind: "compaction/end", compaction, summary, kept: "- Changed in this conversation: src/retry.rs (+4 −3)", tokens_before: 41_200, tokens_after: 6_350 });
    return true;
  }

  keep(request: RequestId): boolean {
    const discarded = this.log.events.find((event) => event.kind === "assistant/discarded" && event.request === request);
    if (discarded?.kind !== "assistant/discarded") return false;
    this.log.append({ kind: "assistant/message", message: id(), request, text: discarded.text, reasoning: "", calls: [], finish: "stop", partial: true });
    return true;
  }

  #next(): void {
    const index = this.#queue.findIndex(({ delivery }) => delivery !== "inject");
    const taken = this.#queue[index];
    if (!taken) return;
    this.#take(taken);
    this.#lastText = taken.text;
    this.#begin("message", script(taken.text));
  }

  #take(queued: Queued): void {
    this.#queue = this.#queue.filter((each) => each !== queued);
    const message = id();
    this.log.append({ kind: "queue/taken", item: queued.item, message });
    this.log.append({ kind: "user/message", message, text: queued.text, delivery: queued.delivery, ...(queued.attachments.length > 0 ? { attachments: queued.attachments } : {}) });
  }

  #begin(cause: "message" | "continue", steps: readonly Step[]): void {
    this.log.append({ kind: "turn/start", cause });
    const turn = new FakeTurn(this.log, this.#pace, this.#dispatch);
    this.turn = turn;
    this.idle = turn
      .run(steps, () => {
        for (const queued of this.#queue.filter(({ delivery }) => delivery !== "next-turn")) this.#take(queued);
      })
      .then(() => {
        this.turn = null;
        if (this.log.row.title === "") this.log.append({ kind: "title/set", title: this.#lastText.slice(0, 48), by: "tool" });
        this.#next();
      });
  }
}
