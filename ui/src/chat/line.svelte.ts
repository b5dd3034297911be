// What waits to be sent, as a person orders it: moved by keys or by dragging, made to steer or to follow, changed, taken back. The
// order itself is the engine's: it changes here when the event comes.
import { notify } from "../controls";
import { m } from "../locales";
import type { ItemId } from "../protocol";
import type { App, Conversation, Queued } from "../state";

/** An item that is being dragged, and the place that it would take among the others. */
export type Drag = { item: ItemId; to: number };

export class Line {
  readonly #app: App;
  readonly #conversation: Conversation;
  /** The item whose words are being changed. */
  editing = $state.raw<ItemId | null>(null);
  drag = $state.raw<Drag | null>(null);

  constructor(app: App, conversation: Conversation) {
    this.#app = app;
    this.#conversation = conversation;
  }

  get queue(): readonly Queued[] {
    return this.#conversation.queue;
  }

  /** The items in the order that letting go would give them. */
  get shown(): readonly Queued[] {
    const { drag, queue } = this;
    const dragged = queue.find(({ item }) => item === drag?.item);
    if (!drag || !dragged) return queue;
    const others = queue.filter((queued) => queued !== dragged);
    return [...others.slice(0, drag.to), dragged, ...others.slice(drag.to)];
  }

  /** Takes up an item for changing; the last one where none is named. False: there is none. */
  edit(item: ItemId | undefined = this.queue.findLast(({ delivery }) => delivery !== "inject")?.item): boolean {
    this.editing = item ?? null;
    return item !== undefined;
  }

  /** Keeps the new words. Where the item was taken meanwhile they become a draft, so that nobody has to write them again. */
  async save({ item, text: before }: Queued, words: string): Promise<void> {
    if (this.editing === item) this.editing = null;
    const text = words.trim();
    if (text === before) return;
    if (this.queue.some((queued) => queued.item === item)) {
      await this.#app.ask("edit_queued", { conversation: this.#conversation.id, item, text });
      return;
    }
    const { draft } = this.#conversation;
    this.#conversation.draft = draft.trim() === "" ? text : `${draft}\n\n${text}`;
    void this.#app.ask("save_draft", { conversation: this.#conversation.id, text: this.#conversation.draft });
    notify(m.chat_queued_was_taken(), { detail: m.chat_queued_was_taken_detail() });
  }

  withdraw({ item }: Queued): void {
    if (this.editing === item) this.editing = null;
    void this.#app.ask("withdraw_queued", { conversation: this.#conversation.id, item });
  }

  /** Makes a follow-up steer, and what steers follow. */
  redeliver({ item, delivery }: Queued): void {
    const other = delivery === "next-step" ? "next-turn" : "next-step";
    void this.#app.ask("redeliver_queued", { conversation: this.#conversation.id, item, delivery: other });
  }

  /** Moves an item by one place; false where it stands at that end already. */
  async step({ item }: Queued, by: 1 | -1): Promise<boolean> {
    const from = this.queue.findIndex((queued) => queued.item === item);
    return this.#put(item, from, from + by);
  }

  /** Lets go of what is being dragged. */
  async drop(): Promise<void> {
    const drag = this.drag;
    this.drag = null;
    if (drag) await this.#put(drag.item, this.queue.findIndex(({ item }) => item === drag.item), drag.to);
  }

  /** Puts the item at `from` to place `to` among the others. */
  async #put(item: ItemId, from: number, to: number): Promise<boolean> {
    const others = this.queue.filter((queued) => queued.item !== item);
    if (from < 0 || to === from || to < 0 || to > others.length) return false;
    const before = others[to]?.item ?? null;
    return (await this.#app.ask("move_queued", { conversation: this.#conversation.id, item, before })) !== undefined;
  }
}
