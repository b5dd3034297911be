// The text being written in one conversation: kept by the engine shortly after each change, sent once, completed after an @ or a slash.
// It draws nothing.
import type { SkillProblem, SkillRow } from "../protocol";
import type { App, Conversation } from "../state";
import { Attaching } from "./attaching.svelte";
import { commandIn, commandsOf, type Command } from "./commands";
import { fitting, namedFirst, ofFile, ofSkill, ofSymbol, put, typedAt, typedFor, type Offer, type Typed } from "./offers";

/** Typing rests this long before the draft is kept (ms). */
const REST_MS = 400;

export type How = "send" | "steer";

export class Draft {
  readonly conversation: Conversation;
  readonly attaching: Attaching;
  sending = $state(false);
  /** What fits the word being typed; null while none is. */
  offers = $state.raw<readonly Offer[] | null>(null);
  /** What that word stands behind. */
  after = $state.raw<"@" | "/" | "choice">("@");
  /** Place of the chosen offer. */
  chosen = $state(0);
  skills = $state.raw<readonly SkillRow[]>([]);
  problems = $state.raw<readonly SkillProblem[]>([]);
  readonly commands: readonly Command[];
  /** Told when something needs a file that the person has not let count. */
  onuntrusted: () => void = () => undefined;
  readonly #app: App;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #typed: { word: string } | null = null;
  #learned = $state(false);

  constructor(app: App, conversation: Conversation, onhelp: () => void = () => undefined) {
    this.commands = commandsOf(app, conversation, onhelp);
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
    const given = how === "send" && this.attaching.list.length === 0 ? commandIn(text, this.commands) : null;
    if (given) {
      this.#over();
      return given.command.run(given.words);
    }
    this.sending = true;
    const { conversation } = this;
    const id = conversation.id;
    const asked = how === "send" ? conversation.asked[0] : undefined;
    const reject = how === "send" && !asked && conversation.pending.length > 0;
    const delivery = how === "steer" && conversation.generating ? "next-step" : "next-turn";
    const attachments = reject ? [] : [...this.attaching.list];
    const failure = asked
      ? await this.#app.tried("answer_question", { call: asked.call, text })
      : await this.#app.tried("send", { conversation: id, text, delivery, reject, attachments });
    this.sending = false;
    if (failure?.code === "untrusted") return this.onuntrusted();
    if (failure) return this.#app.failed(failure);
    if (!reject && !asked) this.attaching.clear();
    this.#over();
  }

  /** What was written is done with. */
  #over(): void {
    this.text = "";
    this.close();
    this.keep();
  }

  /** Looks for what fits the word at the caret. An answer to what is no longer typed is thrown away. */
  async look(caret: number): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const { text } = this;
    const given = typedFor(text, caret);
    const typed = typedAt(text, caret);
    const command = given && this.commands.find(({ name, takes }) => name === given.command && takes === "choice");
    const found = command ? await this.#choices(command, given.word) : typed ? await (typed.after === "@" ? this.#named(typed.word) : this.#invoked(typed)) : null;
    if (asked !== this.#asked) return;
    this.#typed = command ? { word: given.word } : typed;
    this.after = command ? "choice" : typed?.after ?? "@";
    this.offers = found;
    this.chosen = 0;
  }

  close(): void {
    this.#asked += 1;
    this.offers = null;
  }

  move(by: number): void {
    const count = this.offers?.length ?? 0;
    if (count > 0) this.chosen = (this.chosen + by + count) % count;
  }

  /** Puts the chosen offer into the text, or does what it stands for; returns where the caret goes, or null when nothing changed. */
  take(caret: number, offer: Offer | undefined = this.offers?.[this.chosen]): number | null {
    if (!offer || !this.#typed) return null;
    const done = put(this.text, caret, this.#typed, offer.insert);
    this.close();
    if (offer.locked) {
      this.onuntrusted();
      return caret;
    }
    this.text = offer.runs ? done.text.trim() : done.text;
    if (offer.runs) void this.submit("send");
    return offer.runs ? this.text.length : done.caret;
  }

  /** Files and symbols; null where there is no folder, or where what is written needs no completing, so that Enter sends. */
  async #named(word: string): Promise<Offer[] | null> {
    const { id, row } = this.conversation;
    if (row.workspace === null) return null;
    const of = { conversation: id, typed: word };
    const [files, symbols] = await Promise.all([this.#app.host.call("complete_path", of).catch(() => []), word === "" ? [] : this.#app.host.call("complete_symbol", of).catch(() => [])]);
    if (files.length === 1 && files[0] === word && symbols.length === 0) return null;
    const named = symbols.slice(0, files.length > 0 ? 6 : 10).map(ofSymbol);
    return [...files.slice(0, 8).map(ofFile), ...named];
  }

  /** Commands, where the message begins with one, and skills; null where the name is written out in full. */
  async #invoked({ word, first }: Typed): Promise<Offer[] | null> {
    await this.learn();
    const commands = first ? fitting(this.commands, word, ({ name }) => name) : [];
    const skills = fitting(this.skills, word, ({ name }) => name);
    if (word !== "" && [...commands, ...skills].every(({ name }) => name === word)) return commands.length + skills.length > 0 || !first ? null : [];
    const offered = commands.map(({ name, description, takes }): Offer => ({ key: `command ${name}`, kind: "command", name: `/${name}`, detail: description(), insert: name, runs: takes === "nothing" }));
    return [...offered, ...skills.map(ofSkill)];
  }

  async #choices(command: Command, word: string): Promise<Offer[] | null> {
    const choices = fitting((await command.choices?.()) ?? [], word, ({ value }) => value);
    return choices.map(({ value, label }) => ({ key: `choice ${value}`, kind: "choice", name: value, detail: label === value ? "" : label, insert: value, runs: true }));
  }

  /** Asks which skills there are; what was known stays where that fails. */
  async learn(): Promise<void> {
    const list = await this.#app.host.call("skills", { conversation: this.conversation.id }).catch(() => null);
    if (list) [this.skills, this.problems] = [list.skills, list.problems];
    this.#learned ||= list !== null;
  }

  /** The name behind a slash that nothing answers to: it is sent as text. */
  get unknown(): string | null {
    const name = this.#learned ? namedFirst(this.text) : null;
    const isKnown = [...this.commands, ...this.skills].some((known) => name === known.name || name?.startsWith(known.name));
    return isKnown ? null : name;
  }
}
