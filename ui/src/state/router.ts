// The only subscriber to the engine's signals. It merges text per frame, hands each signal to whom it concerns, and mends what was
// missed: events by `after`, text by a fresh picture. It keeps nothing of what signals say.
import { asFailure, type Host } from "../host";
import type { ConversationId, Signal } from "../protocol";
import type { Approvals } from "./approvals.svelte";
import type { Conversation, Fit } from "./conversation.svelte";
import type { Conversations } from "./conversations.svelte";
import { merge, split, textOf } from "./pieces";
import type { Settings } from "./settings.svelte";

/** Calls `run` once, soon: with the next frame, or after a moment where a hidden window draws none. */
export type Schedule = (run: () => void) => void;

/** Characters of answers that one frame takes in: to shape one for the first time takes WebKit 3 to 4 µs. */
const PER_FRAME = 2000;

export class Router {
  /** Told of every conversation from which something came. */
  onheard: (id: ConversationId) => void = () => undefined;
  readonly #host: Host;
  readonly #conversations: Conversations;
  readonly #approvals: Approvals;
  readonly #settings: Settings;
  readonly #schedule: Schedule;
  #waiting: Signal[] = [];
  /** Signals of conversations whose picture or missed events are on their way. */
  readonly #held = new Map<ConversationId, { attempt: number; signals: Signal[] }>();
  #attempts = 0;

  constructor(host: Host, parts: { conversations: Conversations; approvals: Approvals; settings: Settings }, schedule: Schedule = withNextFrame) {
    this.#host = host;
    this.#conversations = parts.conversations;
    this.#approvals = parts.approvals;
    this.#settings = parts.settings;
    this.#schedule = schedule;
  }

  /** Begins to listen. Returns what ends it. */
  start(): () => void {
    return this.#host.subscribe((signals) => {
      const idle = this.#waiting.length === 0;
      for (const signal of signals) this.#waiting.push(signal);
      if (idle && this.#waiting.length > 0) this.#schedule(() => this.flush());
    });
  }

  /** Applies what has come, in order; text beyond what a frame takes in, and what follows it, is left for the next one. */
  flush(): void {
    const signals = merge(this.#waiting);
    this.#waiting = [];
    let left = isHidden() ? Infinity : PER_FRAME;
    for (const [index, signal] of signals.entries()) {
      const { now, later } = split(signal, left);
      this.#route(now);
      left -= textOf(now)?.text.length ?? 0;
      if (!later) continue;
      this.#waiting = [later, ...signals.slice(index + 1)];
      this.#schedule(() => this.flush());
      return;
    }
  }

  /** Fetches a picture of a conversation. An answer that a later request has overtaken is thrown away. */
  async open(conversation: Conversation): Promise<void> {
    const attempt = this.#hold(conversation.id);
    try {
      const opened = await this.#host.call("open", { conversation: conversation.id });
      if (!this.#isCurrent(conversation.id, attempt)) return;
      conversation.restart(opened);
      this.#conversations.put(opened.row);
    } catch (error) {
      if (!this.#isCurrent(conversation.id, attempt)) return;
      conversation.failure = asFailure(error);
    }
    this.#release(conversation);
  }

  /** Fetches older events of a conversation and puts them before what is there. Rejects with a `Failure`. */
  async loadEarlier(conversation: Conversation): Promise<void> {
    const before = conversation.firstSeq;
    const page = await this.#host.call("history", { conversation: conversation.id, before });
    if (conversation.firstSeq === before) conversation.prepend(page.events, page.earlier);
  }

  #route(signal: Signal): void {
    this.#settings.apply(signal);
    this.#conversations.apply(signal);
    this.#approvals.apply(signal);
    const id = conversationOf(signal);
    if (id === null) return;
    this.onheard(id);
    // What a sub-agent uses counts where it works.
    if (signal.signal === "recorded") this.#conversations.parentOf(id)?.spent.event(signal.event);
    const conversation = this.#conversations.opened(id);
    if (!conversation) return;
    const held = this.#held.get(id);
    if (held) held.signals.push(signal);
    else if (conversation.loaded) this.#mend(conversation, conversation.apply(signal), signal);
  }

  #mend(conversation: Conversation, fit: Fit, signal: Signal): void {
    if (fit === "missed-events") void this.#catchUp(conversation, signal);
    else if (fit === "missed-text") void this.open(conversation);
  }

  async #catchUp(conversation: Conversation, signal: Signal): Promise<void> {
    const attempt = this.#hold(conversation.id, [signal]);
    try {
      const page = await this.#host.call("after", { conversation: conversation.id, seq: conversation.seq });
      if (!this.#isCurrent(conversation.id, attempt)) return;
      conversation.catchUp(page.events);
    } catch {
      // The picture says why, if that fails too.
      if (this.#isCurrent(conversation.id, attempt)) await this.open(conversation);
      return;
    }
    this.#release(conversation);
  }

  #hold(id: ConversationId, signals: Signal[] = []): number {
    this.#attempts += 1;
    const earlier = this.#held.get(id)?.signals ?? [];
    this.#held.set(id, { attempt: this.#attempts, signals: [...earlier, ...signals] });
    return this.#attempts;
  }

  #isCurrent(id: ConversationId, attempt: number): boolean {
    return this.#held.get(id)?.attempt === attempt;
  }

  /** Applies what came meanwhile: events up to the picture's seq and covered text are known and change nothing. */
  #release(conversation: Conversation): void {
    const signals = this.#held.get(conversation.id)?.signals ?? [];
    this.#held.delete(conversation.id);
    for (const [index, signal] of signals.entries()) {
      if (signal.signal === "delta" && signal.delta.of === "phase" && signal.delta.since < conversation.phase.since) continue;
      if (!conversation.loaded) return;
      const fit = conversation.apply(signal);
      if (fit === "done") continue;
      this.#mend(conversation, fit, signal);
      this.#held.get(conversation.id)?.signals.push(...signals.slice(index + 1));
      return;
    }
  }
}

function conversationOf(signal: Signal): ConversationId | null {
  if (signal.signal === "recorded") return signal.event.conversation;
  if (signal.signal === "delta") return signal.conversation;
  return signal.signal === "row" ? signal.row.id : null;
}

/** Whether nobody sees frames, and so nothing has to be spread over them. */
function isHidden(): boolean {
  return typeof document !== "undefined" && document.hidden;
}

function withNextFrame(run: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    run();
  };
  requestAnimationFrame(once);
  // A hidden window draws no frames.
  setTimeout(once, 250);
}
