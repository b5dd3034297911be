// One open conversation: a picture at some seq, and every signal after it. It asks for nothing by itself; the router does.
import type { Attachment, CallId, ConversationId, ConversationRow, Event, Failure, Opened, Phase, RequestSent, Signal, Standing, TodoItem } from "../protocol";
import { edited, type Queued } from "./queue";
import { Spending } from "./spending.svelte";
import type { Item } from "./item";
import { stepsOf } from "./todo";
import { Transcript } from "./transcript.svelte";
import type { ToolCall } from "./tool-call.svelte";

export type PhaseSince = Phase & { since: number };
/** What a signal met: applied (or known already), or something before it is missing. */
export type Fit = "done" | "missed-events" | "missed-text";

const IDLE: PhaseSince = { is: "idle", since: 0 };

export class Conversation {
  readonly id: ConversationId;
  row = $state.raw<ConversationRow>() as ConversationRow;
  /** Whether it was ever loaded; until then there is nothing to show but the row. */
  loaded = $state(false);
  /** Why it could not be loaded. */
  failure = $state.raw<Failure | null>(null);
  generating = $state(false);
  queue = $state.raw<readonly Queued[]>([]);
  phase = $state.raw<PhaseSince>(IDLE);
  /** What the engine answered when nothing had come for a minute. */
  standing = $state.raw<Standing | null>(null);
  draft = $state("");
  /** What goes with the message that is being written; it isn't kept over a restart. */
  attached = $state.raw<readonly Attachment[]>([]);
  /** Whether older events exist. */
  earlier = $state(false);
  /** Seq of a message that a person wants to see; whoever shows the messages goes there and clears it. */
  target = $state<number | null>(null);
  lastRequest = $state.raw<RequestSent | null>(null);
  spent = $state.raw(new Spending());
  /** The steps that the model keeps. */
  todo = $state.raw<readonly TodoItem[]>([]);
  #transcript = $state.raw() as Transcript;
  #seq = 0;
  #openedAt = 0;
  #firstSeq = 0;

  constructor(row: ConversationRow) {
    this.id = row.id;
    this.row = row;
    this.generating = row.generating;
    this.#transcript = new Transcript(row.id);
  }

  /** Whether a turn runs or a summary is being made: either can be stopped. */
  get busy(): boolean {
    return this.generating || this.phase.is === "compacting";
  }

  /** The seq of its first picture: what came later came while it was looked at. */
  get openedAt(): number {
    return this.#openedAt;
  }

  get items(): readonly Item[] {
    return this.#transcript.items;
  }

  get calls(): Map<CallId, ToolCall> {
    return this.#transcript.calls;
  }

  /** The fallback that took over in the open turn; none: the picked model answers. */
  get fallback(): string | null {
    return this.#transcript.fallback;
  }

  /** Calls whose card waits for a person. */
  get pending(): readonly ToolCall[] {
    return this.#transcript.pending;
  }

  /** Calls whose question waits for a person. */
  get asked(): readonly ToolCall[] {
    return this.#transcript.asked;
  }

  /** How many cards and questions wait for a person. */
  get waiting(): number {
    return this.pending.length + this.asked.length;
  }

  /** Last seq that was applied. */
  get seq(): number {
    return this.#seq;
  }

  /** First seq that is loaded. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  /** Takes a picture in place of everything known. The draft and what is attached to it stay what the person sees once they were loaded. */
  restart(opened: Opened): void {
    if (!this.loaded) [this.draft, this.attached] = [opened.draft, opened.attached];
    this.row = opened.row;
    this.generating = opened.row.generating;
    this.queue = [];
    this.phase = IDLE;
    this.standing = null;
    this.spent = new Spending();
    this.#transcript = new Transcript(this.id);
    for (const event of opened.events) this.#event(event);
    this.spent.restart(opened.usage);
    this.todo = opened.todo;
    for (const delta of opened.live) this.#delta(delta);
    this.generating = opened.row.generating;
    this.#seq = opened.seq;
    if (!this.loaded) this.#openedAt = opened.seq;
    this.#firstSeq = opened.events[0]?.seq ?? opened.seq + 1;
    this.earlier = opened.earlier;
    this.failure = null;
    this.loaded = true;
    this.#transcript.publish();
  }

  /** The only way in. A signal that is known already changes nothing. */
  apply(signal: Signal): Fit {
    let fit: Fit = "done";
    if (signal.signal === "row") {
      if (signal.row.seq >= this.row.seq) this.row = signal.row;
    } else if (signal.signal === "recorded") {
      if (signal.event.seq <= this.#seq) return "done";
      if (signal.event.seq > this.#seq + 1) return "missed-events";
      this.#event(signal.event);
      this.#seq = signal.event.seq;
    } else if (signal.signal === "delta") {
      fit = this.#delta(signal.delta) ? "done" : "missed-text";
    }
    this.#transcript.publish();
    return fit;
  }

  /** Events that were missed, from a page: without chunks, so that their numbers have gaps. */
  catchUp(events: readonly Event[]): void {
    for (const event of events) {
      if (event.seq <= this.#seq) continue;
      this.#event(event);
      this.#seq = event.seq;
    }
    this.#transcript.publish();
  }

  /** Older events, put before what is there. */
  prepend(events: readonly Event[], earlier: boolean): void {
    const older = new Transcript(this.id);
    for (const event of events) older.event(event);
    this.#firstSeq = events[0]?.seq ?? this.#firstSeq;
    this.earlier = earlier;
    this.#transcript.prepend(older);
  }

  #event(event: Event): void {
    this.#transcript.event(event);
    this.spent.event(event);
    switch (event.kind) {
      case "conversation/created":
        this.queue = [];
        this.generating = false;
        return;
      case "turn/start":
        this.generating = true;
        return;
      case "turn/end":
        this.generating = false;
        this.phase = { is: "idle", since: event.at };
        this.standing = null;
        return;
      case "queue/edited": return void (this.queue = edited(this.queue, event));
      case "queue/taken": return void (this.queue = this.queue.filter(({ item }) => item !== event.item));
      case "tool/result":
        if (event.outcome === "ok") this.#kept(this.calls.get(event.call));
        return;
      case "request/sent":
        if (event.purpose === "chat") this.lastRequest = event;
    }
  }

  /** A call that keeps steps replaces the list; of several in one message the last one counts, whichever ends first. */
  #kept(call: ToolCall | undefined): void {
    if (call?.name !== "todo") return;
    const last = [...this.calls.values()].findLast(({ name, result }) => name === "todo" && result?.outcome === "ok");
    if (last) this.todo = stepsOf(last.arguments) ?? this.todo;
  }

  #delta(delta: Extract<Signal, { signal: "delta" }>["delta"]): boolean {
    if (delta.of !== "phase") return this.#transcript.delta(delta);
    // A heartbeat of the phase that is already shown must not disturb anything that hangs on it.
    this.phase = { ...delta.phase, since: delta.since };
    this.standing = null;
    return true;
  }
}
