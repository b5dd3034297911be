// What is read from top to bottom in a conversation, folded from its events. It knows no seq: whoever calls it sees to the order.
import type { CallId, ConversationId, Delta, Event, FailureKind, ForkOrigin, RequestId } from "../protocol";
import type { Item } from "./item";
import { Message } from "./message.svelte";
import { after, begun, type SummaryEvent } from "./summary";
import { isOfCall, type CallEvent } from "./call-event";
import { ToolCall } from "./tool-call.svelte";

export class Transcript {
  /** Replaced as a whole by `publish`. */
  items = $state.raw<readonly Item[]>([]);
  /** Calls whose card waits for a person, in the model's order. */
  pending = $state.raw<readonly ToolCall[]>([]);
  /** Calls whose question waits for a person, in the model's order. */
  asked = $state.raw<readonly ToolCall[]>([]);
  readonly calls = new Map<CallId, ToolCall>();
  readonly #conversation: ConversationId;
  #list: Item[] = [];
  #changed = false;
  #callsChanged = false;
  /** What failed last in the turn, until something arrives. */
  #failure: FailureKind | null = null;
  /** Requests that are being answered: pieces of any other come late, or are for another purpose. */
  readonly #live = new Set<RequestId>();
  readonly #aside = new Set<RequestId>();
  /** The fallback that answers in the open turn. */
  fallback = $state.raw<string | null>(null);
  /** Whether what stands above was said in another conversation. */
  #hasFork = false;
  /** Events of calls that were proposed further up than what is loaded. */
  #early: CallEvent[] = [];

  constructor(conversation: ConversationId) {
    this.#conversation = conversation;
  }

  event(event: Event): void {
    if (isOfCall(event)) return this.#ofCall(event);
    switch (event.kind) {
      case "conversation/created": return event.fork ? this.#forked(event.seq, event.fork) : undefined;
      case "user/message":
        return this.#push({ is: "user", key: event.message, message: { id: event.message, seq: event.seq, text: event.text, at: event.at, delivery: event.delivery, attachments: event.attachments ?? [], skills: (event.skills ?? []).map(({ name }) => name) } });
      case "request/sent":
        return void (event.purpose === "chat" || event.purpose === "agent" ? this.#live : this.#aside).add(event.request);
      case "request/failed":
        if (this.#aside.delete(event.request)) return;
        this.#live.delete(event.request);
        this.#failure = event.failure;
        if (event.failure === "no-tools" && event.retry_in_ms !== null) this.#push({ is: "tools-off", key: `tools ${event.seq}` });
        return this.#drop(event.request);
      case "provider/switched":
        this.#failure = null;
        this.fallback = event.choice.label;
        return this.#push({ is: "switched", key: `switched ${event.seq}`, from: event.from, to: event.choice.label, failure: event.failure });
      case "assistant/message": {
        const message = this.#answer(event.request);
        message.finished(event, event);
        this.#live.delete(event.request);
        this.#failure = null;
        for (const proposed of event.calls) this.#call(new ToolCall(this.#conversation, proposed));
        return;
      }
      case "assistant/discarded":
        return this.#discard(event);
      case "rule/revoked":
        return this.calls.forEach((call) => call.revoked(event.rule));
      case "window/moved":
        return this.#push({ is: "window", key: `window ${event.seq}`, before: event.tokens_before, after: event.tokens_after, pruned: event.pruned.length });
      case "compaction/start":
        return this.#push({ is: "summary", key: event.compaction, summary: begun(event) });
      case "compaction/part": case "compaction/end": case "compaction/failed": return this.#summary(event);
      case "turn/end":
        this.fallback = null;
        return this.#end(event);
    }
  }

  #forked(seq: number, origin: ForkOrigin): void {
    this.#hasFork = this.#callsChanged = true;
    this.fallback = null;
    this.#live.clear();
    this.calls.forEach((call) => call.leftBehind());
    this.#push({ is: "fork", key: `fork ${seq}`, origin });
  }

  /** Something that is happening; false when text before it is missing. */
  delta(delta: Delta): boolean {
    if (delta.of === "output") {
      const call = this.calls.get(delta.call);
      if (call && call.state !== "done") call.add(delta);
      return true;
    }
    if (delta.of === "phase" || !this.#live.has(delta.request)) return true;
    const message = this.#answer(delta.request);
    if (delta.of === "text") return message.add(delta);
    message.write(delta);
    return true;
  }

  /** Puts an older part before this one. */
  prepend(older: Transcript): void {
    for (const [id, call] of older.calls) this.calls.set(id, call);
    this.#list = [...older.#list, ...this.#list];
    const early = this.#early;
    this.#early = older.#early;
    for (const event of early) this.#ofCall(event);
    if (this.#hasFork) for (const call of older.calls.values()) call.leftBehind();
    this.#hasFork ||= older.#hasFork;
    this.#changed = true;
    this.publish();
  }

  /** Shows what changed since the last time. */
  publish(): void {
    if (this.#callsChanged) {
      this.#callsChanged = false;
      this.pending = this.#in("pending", this.pending);
      this.asked = this.#in("asked", this.asked);
    }
    if (!this.#changed) return;
    this.#changed = false;
    this.items = [...this.#list];
  }

  /** Calls in a state; the list from before where it is the same. */
  #in(state: ToolCall["state"], before: readonly ToolCall[]): readonly ToolCall[] {
    const now = [...this.calls.values()].filter((call) => call.state === state);
    return now.length === before.length && now.every((call, index) => call === before[index]) ? before : now;
  }

  #push(item: Item): void {
    this.#list.push(item);
    this.#changed = true;
  }

  #call(call: ToolCall): void {
    this.calls.set(call.call, call);
    this.#push({ is: "call", key: call.call, call });
  }

  #ofCall(event: CallEvent): void {
    const call = this.calls.get(event.call);
    if (!call) return void this.#early.push(event);
    call.apply(event);
    this.#callsChanged = true;
  }

  #find(request: RequestId): number {
    return this.#list.findLastIndex((item) => (item.is === "answer" || item.is === "discarded") && item.message.request === request);
  }

  #summary(event: SummaryEvent): void {
    const index = this.#list.findLastIndex((item) => item.is === "summary" && item.summary.id === event.compaction);
    const found = this.#list[index];
    if (found?.is === "summary") this.#list[index] = { ...found, summary: after(found.summary, event) };
    this.#changed = true;
  }

  /** The answer to a request, made when its first piece comes. */
  #answer(request: RequestId): Message {
    const index = this.#find(request);
    const found = this.#list[index];
    if (found?.is === "answer") return found.message;
    const message = found?.is === "discarded" ? found.message : new Message(request);
    const item: Item = { is: "answer", key: request, message };
    // A discarded answer that a person kept takes its own place again.
    if (found) {
      this.#list[index] = item;
      this.#changed = true;
    } else this.#push(item);
    return message;
  }

  #discard(event: Extract<Event, { kind: "assistant/discarded" }>): void {
    this.#live.delete(event.request);
    const index = this.#find(event.request);
    const found = this.#list[index];
    const message = found?.is === "answer" ? found.message : new Message(event.request);
    message.discarded(event.text, event.at);
    const item: Item = { is: "discarded", key: event.request, message, failure: event.failure, why: event.message };
    if (index < 0) return this.#push(item);
    this.#list[index] = item;
    this.#changed = true;
  }

  #end(event: Extract<Event, { kind: "turn/end" }>): void {
    const failure = event.reason === "error" ? this.#failure : null;
    this.#failure = null;
    this.#live.clear();
    if (event.reason !== "completed") this.#push({ is: "end", key: `end ${event.seq}`, reason: event.reason, failure, message: event.message ?? null, money: event.money ?? null, at: event.at });
  }

  #drop(request: RequestId): void {
    const index = this.#find(request);
    if (index < 0 || this.#list[index]?.is !== "answer") return;
    this.#list.splice(index, 1);
    this.#changed = true;
  }
}
