// The list of projects and conversations, which one is looked at, and those that were opened. Opening is the router's work.
import type { ConversationId, ConversationRow, Overview, ParentCall, ProjectRow, Signal } from "../protocol";
import { Conversation } from "./conversation.svelte";

/** Conversations kept ready for instant switching; those that are looked at least go first. */
const MOST_OPEN = 12;
/** Sub-agents kept, the newest ones. */
const MOST_AGENTS = 48;

export class Conversations {
  projects = $state.raw<readonly ProjectRow[]>([]);
  /** Not deleted ones, the one with the latest human act first. */
  rows = $state.raw<readonly ConversationRow[]>([]);
  selected = $state<ConversationId | null>(null);
  current = $state.raw<Conversation | null>(null);
  /** Whether the first overview has come. */
  ready = $state(false);
  readonly #all = new Map<ConversationId, ConversationRow>();
  /** What the list is ordered by: it changes when a turn begins, so that rows don't jump while two conversations write. */
  readonly #ranks = new Map<ConversationId, number>();
  readonly #hidden = new Set<ConversationId>();
  readonly #open = new Map<ConversationId, Conversation>();
  /** Sub-agents that were looked into. */
  readonly #agents = new Map<ConversationId, Conversation>();
  /** The conversation that each sub-agent works for. */
  readonly #parents = new Map<ConversationId, ConversationId>();

  row(id: ConversationId): ConversationRow | undefined {
    return this.#all.get(id);
  }

  project(row: ConversationRow): ProjectRow | undefined {
    return this.projects.find(({ id }) => id === row.project);
  }

  /** Since when a turn of it runs, as far as the window has seen. */
  startedAt(id: ConversationId): number | undefined {
    return this.#ranks.get(id);
  }

  /** An opened conversation, or a sub-agent that was looked into. */
  opened(id: ConversationId): Conversation | undefined {
    return this.#open.get(id) ?? this.#agents.get(id);
  }

  /** The conversation that this sub-agent works for; none: it is no sub-agent, or of a conversation that isn't open. */
  parentOf(id: ConversationId): Conversation | undefined {
    const parent = this.#parents.get(id);
    return parent === undefined ? undefined : this.#open.get(parent);
  }

  /** The sub-agent of a call, which is loaded by whoever asks. None: the call's conversation isn't open. */
  agent(id: ConversationId, of: ParentCall): Conversation | undefined {
    const known = this.#agents.get(id);
    if (known) return known;
    const parent = this.#open.get(of.conversation);
    if (!parent) return undefined;
    const agent = new Conversation({ ...parent.row, id, parent: of, title: "", mode: "plan", generating: false, pending: 0, queued: 0, unread: false, seq: 0 });
    this.#agents.set(id, agent);
    this.#parents.set(id, of.conversation);
    for (const oldest of this.#agents.keys()) {
      if (this.#agents.size <= MOST_AGENTS) break;
      this.#agents.delete(oldest);
    }
    return agent;
  }

  /** Looks at a conversation from now on, whether or not it is loaded. None: looks at nothing. */
  select(id: ConversationId | null): Conversation | null {
    const row = id === null ? undefined : this.#all.get(id);
    this.selected = row ? row.id : null;
    this.current = row ? this.#keep(row) : null;
    return this.current;
  }

  apply(signal: Signal): void {
    if (signal.signal === "row") this.put(signal.row);
    else if (signal.signal === "gone") this.#remove(signal.conversation);
    else if (signal.signal === "projects") this.projects = signal.projects;
  }

  put(row: ConversationRow): void {
    if (row.parent) return void this.#parents.set(row.id, row.parent.conversation);
    const known = this.#all.get(row.id);
    if (known && known.seq > row.seq) return;
    this.#all.set(row.id, row);
    if (!known || (row.generating && !known.generating)) this.#ranks.set(row.id, row.updated_at);
    this.#publish();
  }

  /** Takes a picture of everything. Rows that came by signal meanwhile are newer where their seq says so. */
  restart({ projects, conversations }: Overview): void {
    this.projects = projects;
    const listed = new Set(conversations.map(({ id }) => id));
    for (const id of this.#all.keys()) if (!listed.has(id)) this.#all.delete(id);
    for (const row of conversations) {
      const known = this.#all.get(row.id);
      this.#all.set(row.id, known && known.seq > row.seq ? known : row);
      if (!this.#ranks.has(row.id)) this.#ranks.set(row.id, row.updated_at);
    }
    this.ready = true;
    this.#publish();
  }

  /** Deleted, but not yet gone for good. */
  hide(id: ConversationId): void {
    this.#hidden.add(id);
    this.#publish();
    if (this.selected === id) this.select(null);
  }

  unhide(id: ConversationId): void {
    this.#hidden.delete(id);
    this.#publish();
  }

  #remove(id: ConversationId): void {
    this.#all.delete(id);
    this.#ranks.delete(id);
    this.#hidden.delete(id);
    this.#open.delete(id);
    for (const [agent, parent] of this.#parents) {
      if (parent !== id) continue;
      this.#parents.delete(agent);
      this.#agents.delete(agent);
    }
    if (this.selected === id) this.select(null);
    this.#publish();
  }

  #keep(row: ConversationRow): Conversation {
    const conversation = this.#open.get(row.id) ?? new Conversation(row);
    this.#open.delete(row.id);
    this.#open.set(row.id, conversation);
    for (const id of this.#open.keys()) {
      if (this.#open.size <= MOST_OPEN) break;
      this.#open.delete(id);
    }
    return conversation;
  }

  #publish(): void {
    const rank = (row: ConversationRow): number => this.#ranks.get(row.id) ?? row.updated_at;
    this.rows = [...this.#all.values()].filter(({ id }) => !this.#hidden.has(id)).sort((a, b) => rank(b) - rank(a));
  }
}
