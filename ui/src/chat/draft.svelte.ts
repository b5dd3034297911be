// The text being written in one conversation: kept by the engine shortly after each change, sent once, completed after an @.
// It draws nothing.
import type { App, Conversation } from "../state";
import { Attaching } from "./attaching.svelte";
import { complete, typedMention } from "./mentions";

/** Typing rests this long before the draft is kept (ms). */
const REST_MS = 400;

export type How = "send" | "steer";

export class Draft {
  readonly conversation: Conversation;
  readonly attaching: Attaching;
  sending = $state(false);
  /** Files that fit the mention being typed; null while none is. */
  files = $state.raw<readonly string[] | null>(null);
  /** Place of the chosen file. */
  chosen = $state(0);
  readonly #app: App;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(app: App, conversation: Conversation) {
    this.#app = app;
    this.conversation = conversation;
    this.attaching = new Attaching(app, conversation);
  }

  /** Whether there is nothing to send. A note with which cards are rejected is words. */
  get isEmpty(): boolean {
    return this.text.trim() === "" && (this.conversation.waiting > 0 || this.attaching.list.length === 0);
  }

  get text(): string {
    return this.conversation.draft;
  }

  set text(text: string) {
    this.conversation.draft = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), REST_MS);
  }

  /** Has the engine keep the draft now, if it changed. */
  keep(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#app.ask("save_draft", { conversation: this.conversation.id, text: this.text });
  }

  /** Sends what is written: as a message, a queued one, a steer, the answer to a question, or the note with which pending cards
   *  are rejected. */
  async submit(how: How): Promise<void> {
    const text = this.text.trim();
    if (this.isEmpty || this.sending || this.attaching.busy > 0) return;
    this.sending = true;
    const { conversation } = this;
    const id = conversation.id;
    const asked = how === "send" ? conversation.asked[0] : undefined;
    const reject = how === "send" && !asked && conversation.pending.length > 0;
    const delivery = how === "steer" && conversation.generating ? "next-step" : "next-turn";
    const attachments = reject ? [] : [...this.attaching.list];
    const done = asked
      ? await this.#app.ask("answer_question", { call: asked.call, text })
      : await this.#app.ask("send", { conversation: id, text, delivery, reject, attachments });
    this.sending = false;
    if (done === undefined) return;
    if (!reject && !asked) this.attaching.clear();
    this.text = "";
    this.files = null;
    this.keep();
  }

  /** Looks for files when a mention is being typed at the caret. An answer to what is no longer typed is thrown away. */
  async look(caret: number): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const typed = this.conversation.row.workspace === null ? null : typedMention(this.text, caret);
    if (typed === null) {
      this.files = null;
      return;
    }
    const files = await this.#app.host.call("complete_path", { conversation: this.conversation.id, typed }).catch(() => []);
    if (asked !== this.#asked) return;
    // What is written out in full needs no completing, so that Enter sends.
    this.files = files.length === 1 && files[0] === typed ? null : files.slice(0, 8);
    this.chosen = 0;
  }

  closeFiles(): void {
    this.#asked += 1;
    this.files = null;
  }

  move(by: number): void {
    const count = this.files?.length ?? 0;
    if (count > 0) this.chosen = (this.chosen + by + count) % count;
  }

  /** Puts the chosen file into the text; returns where the caret goes, or null when there is none to put. */
  take(caret: number, path: string | undefined = this.files?.[this.chosen]): number | null {
    if (path === undefined) return null;
    const done = complete(this.text, caret, path);
    this.text = done.text;
    this.closeFiles();
    return done.caret;
  }
}
