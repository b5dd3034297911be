// Every card and every question that waits for a person, in whatever conversation, oldest first. It shows and counts; deciding and
// answering are asked of the engine.
import type { Host } from "../host";
import type { CallId, ConversationId, ConversationRow, Event, PendingRow, ProjectRow, QuestionRow, Signal } from "../protocol";

/** What the rows are labelled with. */
export type Names = { row(id: ConversationId): ConversationRow | undefined; project(row: ConversationRow): ProjectRow | undefined };

/** A card or a question. */
export type Waiting = PendingRow | QuestionRow;

export class Approvals {
  rows = $state.raw<readonly Waiting[]>([]);
  /** The card that the inbox's keys act on. It follows the card and not its place, so that a new one can't slip under a key. */
  focused = $state<CallId | null>(null);
  readonly #host: Host;
  readonly #names: Names;
  readonly #tools = new Map<CallId, string>();
  /** Cards that changed while the inbox was being fetched: what the answer says of them is older. */
  #changed: Map<CallId, Waiting | null> | null = null;

  constructor(host: Host, names: Names) {
    this.#host = host;
    this.#names = names;
  }

  /** Place of the focused card; -1 for none. */
  get index(): number {
    return this.rows.findIndex(({ call }) => call === this.focused);
  }

  of(conversation: ConversationId): readonly Waiting[] {
    return this.rows.filter((row) => row.conversation === conversation);
  }

  move(by: number): void {
    if (this.rows.length === 0) return;
    const from = this.index;
    const to = from < 0 ? (by > 0 ? 0 : this.rows.length - 1) : Math.min(this.rows.length - 1, Math.max(0, from + by));
    this.focused = this.rows[to]?.call ?? null;
  }

  /** Asks for the whole inbox, at the start and whenever something may have been missed. */
  async refresh(): Promise<void> {
    const changed = new Map<CallId, Waiting | null>();
    this.#changed = changed;
    try {
      const fetched = (await Promise.all([this.#host.call("inbox", {}), this.#host.call("questions", {})])).flat();
      const kept = fetched.filter(({ call }) => !changed.has(call));
      const newer = [...changed.values()].filter((row) => row !== null);
      this.#set([...kept, ...newer]);
    } finally {
      if (this.#changed === changed) this.#changed = null;
    }
  }

  apply(signal: Signal): void {
    if (signal.signal === "recorded") this.#event(signal.event);
    else if (signal.signal === "gone") this.forget(signal.conversation);
    else if (signal.signal === "row") this.#retitle(signal.row);
  }

  /** A conversation that is gone, or deleted, asks nothing any more. */
  forget(conversation: ConversationId): void {
    for (const { call } of this.of(conversation)) this.#remove(call);
  }

  #event(event: Event): void {
    switch (event.kind) {
      case "tool/call":
        if (event.verdict.answer === "ask" || event.verdict.answer === "defer") this.#tools.set(event.call, event.name);
        return;
      case "approval/requested":
        return this.#add({ ...this.#place(event), tool: this.#tools.get(event.call) ?? this.#known(event.call)?.tool ?? "", card: event.card });
      case "question/asked":
        return this.#add({ ...this.#place(event), question: event.question, options: event.options ?? [] });
      case "approval/decided":
      case "question/answered":
        return this.#remove(event.call);
      case "tool/result":
        this.#tools.delete(event.call);
        return this.#remove(event.call);
      case "turn/end":
        return this.forget(event.conversation);
    }
  }

  /** What both kinds of rows say of where they belong. */
  #place({ call, conversation, at }: Event & { call: CallId }): Pick<Waiting, "call" | "conversation" | "title" | "project" | "since"> {
    const row = this.#names.row(conversation);
    const known = this.rows.find((one) => one.call === call);
    return { call, conversation, title: row?.title ?? known?.title ?? "", project: (row && this.#names.project(row)?.name) ?? known?.project ?? null, since: at };
  }

  #known(call: CallId): PendingRow | undefined {
    return this.rows.find((row): row is PendingRow => row.call === call && "card" in row);
  }

  #add(fresh: Waiting): void {
    this.#changed?.set(fresh.call, fresh);
    this.#set([...this.rows.filter(({ call }) => call !== fresh.call), fresh]);
  }

  #remove(call: CallId): void {
    this.#changed?.set(call, null);
    if (this.rows.some((row) => row.call === call)) this.#set(this.rows.filter((row) => row.call !== call));
  }

  #retitle(row: ConversationRow): void {
    if (!this.rows.some(({ conversation, title }) => conversation === row.id && title !== row.title)) return;
    this.#set(this.rows.map((old) => (old.conversation === row.id ? { ...old, title: row.title } : old)));
  }

  #set(rows: readonly Waiting[]): void {
    const place = this.index;
    this.rows = [...rows].sort((a, b) => a.since - b.since);
    if (this.focused === null || this.rows.some(({ call }) => call === this.focused)) return;
    // The focused card is gone: the next one takes the focus, and nobody's key press with it, since each press names its card.
    this.focused = this.rows[Math.min(place, this.rows.length - 1)]?.call ?? null;
  }
}
