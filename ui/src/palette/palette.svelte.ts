// What the palette offers for what is typed: actions, conversations, files, and messages that were found. It draws nothing and does
// nothing by itself.
import type { Component } from "svelte";
import { m } from "../locales";
import type { ConversationRow, SearchHit } from "../protocol";
import { MessageSearch, type App } from "../state";
import { fit, type Part } from "./match";

/** Something a person can do from anywhere. Whoever puts the window together says what there is. */
export type Action = {
  id: string;
  label: string;
  group: "actions" | "settings";
  icon: Component<{ size?: number | string }>;
  /** The shortcut, such as "Mod+N". */
  keys?: string;
  /** Other words under which it is found. */
  more?: string;
  run: () => void;
};

export type Group = "conversations" | "actions" | "settings" | "files" | "messages";
export type Entry = { id: string; group: Group; parts: readonly Part[] } & (
  | { is: "action"; action: Action }
  | { is: "conversation"; row: ConversationRow; project: string | null }
  | { is: "file"; path: string }
  | { is: "message"; hit: SearchHit }
);

/** Entries of a group at most. */
const MOST = { recent: 6, conversations: 7, actions: 7, settings: 6, files: 6, messages: 30 };

export class Palette {
  readonly search: MessageSearch;
  /** Files that fit the text that was answered last. */
  files = $state.raw<readonly string[]>([]);
  /** Place of the chosen entry. */
  chosen = $state(0);
  #text = $state("");
  readonly #app: App;
  readonly #actions: () => readonly Action[];
  #asked = 0;

  constructor(app: App, actions: () => readonly Action[]) {
    this.#app = app;
    this.#actions = actions;
    this.search = new MessageSearch(app.host, MOST.messages);
  }

  /** What is looked for. */
  get text(): string {
    return this.#text;
  }

  look(text: string): void {
    if (text.trim() === this.#text) return;
    this.#text = text.trim();
    this.chosen = 0;
    this.search.look(this.#text);
    void this.#lookForFiles();
  }

  /** Everything on offer, in the order in which it is drawn. */
  get entries(): readonly Entry[] {
    return this.#text === "" ? [...this.#recent(), ...this.#all()] : this.#fitting();
  }

  move(by: number): void {
    const count = this.entries.length;
    if (count > 0) this.chosen = (this.chosen + by + count) % count;
  }

  async #lookForFiles(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const current = this.#app.conversations.current;
    const typed = this.#text;
    const isOff = typed === "" || !current?.row.workspace;
    const files = isOff ? [] : await this.#app.host.call("complete_path", { conversation: current.id, typed }).catch(() => []);
    if (asked === this.#asked) this.files = files.slice(0, MOST.files);
  }

  #recent(): Entry[] {
    const rows = this.#app.conversations.rows.filter(({ id, archived }) => !archived && id !== this.#app.shown);
    return rows.slice(0, MOST.recent).map((row) => this.#conversation(row, [{ text: titleOf(row), hit: false }]));
  }

  #all(): Entry[] {
    return this.#actions().map((action) => ({ is: "action", id: action.id, group: action.group, action, parts: [{ text: action.label, hit: false }] }));
  }

  /** The group with the best fit stands first; files and messages always come last. */
  #fitting(): Entry[] {
    const conversations = best(
      this.#app.conversations.rows.map((row) => ({ of: row, fit: fit(titleOf(row), this.#text, this.#app.conversations.project(row)?.name) })),
      (row, parts) => this.#conversation(row, parts),
    );
    const doing = (group: Action["group"]): Scored[] =>
      best(
        this.#actions().filter((action) => action.group === group).map((action) => ({ of: action, fit: fit(action.label, this.#text, action.more) })),
        (action, parts): Entry => ({ is: "action", id: action.id, group, action, parts }),
      );
    const groups = [conversations.slice(0, MOST.conversations), doing("actions").slice(0, MOST.actions), doing("settings").slice(0, MOST.settings)];
    const ordered = groups.sort((a, b) => (b[0]?.score ?? 0) - (a[0]?.score ?? 0)).flat().map(({ entry }) => entry);
    const files = this.files.map((path): Entry => ({ is: "file", id: `file ${path}`, group: "files", path, parts: fit(path, this.#text)?.parts ?? [{ text: path, hit: false }] }));
    const hits = this.search.hits.filter(({ who }) => who !== "title");
    const messages = hits.map((hit): Entry => ({ is: "message", id: `message ${hit.conversation} ${hit.seq}`, group: "messages", hit, parts: hit.snippet }));
    return [...ordered, ...files, ...messages];
  }

  #conversation(row: ConversationRow, parts: readonly Part[]): Entry {
    return { is: "conversation", id: `conversation ${row.id}`, group: "conversations", row, project: this.#app.conversations.project(row)?.name ?? null, parts };
  }
}

type Scored = { score: number; entry: Entry };

function best<T>(candidates: readonly { of: T; fit: { score: number; parts: Part[] } | null }[], make: (of: T, parts: Part[]) => Entry): Scored[] {
  const fitting = candidates.flatMap(({ of, fit }) => (fit ? [{ score: fit.score, entry: make(of, fit.parts) }] : []));
  return fitting.sort((a, b) => b.score - a.score);
}

function titleOf(row: ConversationRow): string {
  return row.title || m.sidebar_untitled();
}
