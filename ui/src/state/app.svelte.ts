// What the window knows, put together: the list, the inbox, the settings, the one router and the watchdog. It draws nothing.
import { getContext, setContext } from "svelte";
import { asFailure, type Host, type Method, type Params, type Result } from "../host";
import type { Attachment, ConversationId, ConversationRow, ExportFormat, Failure, MessageId, Notice, ProjectId } from "../protocol";
import { Approvals } from "./approvals.svelte";
import type { Conversation } from "./conversation.svelte";
import { Conversations } from "./conversations.svelte";
import { Pictures } from "./pictures";
import { Router, type Schedule } from "./router";
import { Settings } from "./settings.svelte";
import { Steerings } from "./steering.svelte";
import type { ToolCall } from "./tool-call.svelte";
import { Watchdog } from "./watchdog";

/** A conversation, or what all of them used. */
export type Page = "conversation" | "usage";

export class App {
  readonly host: Host;
  readonly conversations = new Conversations();
  readonly approvals: Approvals;
  readonly settings: Settings;
  readonly router: Router;
  readonly watchdog: Watchdog;
  readonly pictures: Pictures;
  readonly steering: Steerings;
  /** What the middle of the window shows. */
  page = $state<Page>("conversation");
  /** Things that people must see before anything else. */
  notices = $state.raw<readonly Notice[]>([]);
  /** Why the first overview could not be had. */
  failure = $state.raw<Failure | null>(null);
  /** Told of each request that failed and of which nobody else tells the person. */
  onfailure: (failure: Failure) => void = () => undefined;

  constructor(host: Host, schedule?: Schedule) {
    this.host = host;
    this.settings = new Settings(host);
    this.pictures = new Pictures(host);
    this.steering = new Steerings(host);
    this.approvals = new Approvals(host, this.conversations);
    this.router = new Router(host, this, schedule);
    this.watchdog = new Watchdog(host, this.conversations, this.router);
    this.watchdog.onwake = () => void this.refresh();
  }

  /** Begins to listen, then fetches everything. Returns what ends it. */
  start(): () => void {
    const ends = [this.router.start(), this.watchdog.start()];
    void this.refresh();
    return () => ends.forEach((end) => end());
  }

  /** Fetches the lists anew; what came by signal meanwhile is kept. */
  async refresh(): Promise<void> {
    try {
      const [overview] = await Promise.all([this.host.call("overview", {}), this.approvals.refresh()]);
      this.conversations.restart(overview);
      this.settings.value = overview.settings;
      this.notices = overview.notices;
      this.failure = null;
    } catch (error) {
      if (this.conversations.ready) this.failed(error);
      else this.failure = asFailure(error);
    }
  }

  /** Asks the engine; a failure is told to the person, and the answer is then undefined. */
  async ask<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
    try {
      return await this.host.call(method, params);
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** Asks the engine for something that has no answer; the failure is the caller's to tell. */
  async tried<M extends Method>(method: M, params: Params<M>): Promise<Failure | null> {
    try {
      await this.host.call(method, params);
      return null;
    } catch (error) {
      return asFailure(error);
    }
  }

  /** Tells the person of a request that failed. */
  failed(error: unknown): void {
    this.onfailure(asFailure(error));
  }

  /** The conversation that is on the screen. */
  get shown(): ConversationId | null {
    return this.page === "conversation" ? this.conversations.selected : null;
  }

  /** Looks at a conversation: at once if it is loaded, else as soon as its picture comes. */
  async open(id: ConversationId): Promise<void> {
    this.page = "conversation";
    const conversation = this.conversations.select(id);
    if (!conversation) return;
    if (!conversation.loaded) return this.router.open(conversation);
    if (conversation.row.unread) await this.ask("mark_read", { conversation: id });
  }

  /** The sub-agent that works for a call, loaded if it isn't; null: none does. */
  agent(call: ToolCall): Conversation | null {
    if (call.agent === null) return null;
    const agent = this.conversations.agent(call.agent, { conversation: call.conversation, call: call.call });
    if (agent && !agent.loaded && agent.failure === null) void this.router.open(agent);
    return agent ?? null;
  }

  /** Looks at a message of a conversation. */
  async openAt(id: ConversationId, seq: number | null): Promise<void> {
    const opening = this.open(id);
    const { current } = this.conversations;
    if (current?.id === id) current.target = seq;
    await opening;
  }

  /** Begins a conversation and looks at it. */
  async create(project: ProjectId | null): Promise<ConversationRow | undefined> {
    const row = await this.ask("create_conversation", { project });
    if (!row) return undefined;
    this.conversations.put(row);
    await this.open(row.id);
    return row;
  }

  /** Goes on from a message in a fork, and looks at that. */
  async fork(conversation: ConversationId, seq: number): Promise<void> {
    await this.#show(await this.ask("fork", { conversation, seq }));
  }

  /** Says a message anew in a fork from before it, and looks at that. True when it was sent. */
  async resend(conversation: ConversationId, message: MessageId, text: string, attachments: readonly Attachment[]): Promise<boolean> {
    return this.#show(await this.ask("resend", { conversation, message, text, attachments: [...attachments] }));
  }

  async #show(row: ConversationRow | undefined): Promise<boolean> {
    if (!row) return false;
    this.conversations.put(row);
    await this.open(row.id);
    return true;
  }

  /** Saves a conversation to a file that the person chooses. True when it was saved. */
  async save({ id, title }: ConversationRow, format: ExportFormat): Promise<boolean> {
    try {
      return await this.host.saveExport(id, format, title);
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  /** Takes in a conversation from a file that the person chooses, and looks at it. True when there was one. */
  async importInto(project: ProjectId | null): Promise<boolean> {
    try {
      return await this.#show((await this.host.importFile(project)) ?? undefined);
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  /** Deletes a conversation: out of sight at once, gone for good later. True when it was done. */
  async remove(id: ConversationId): Promise<boolean> {
    if ((await this.ask("delete", { conversation: id })) === undefined) return false;
    this.conversations.hide(id);
    this.approvals.forget(id);
    return true;
  }

  /** Takes a deletion back. */
  async restore(id: ConversationId): Promise<void> {
    if ((await this.ask("restore", { conversation: id })) === undefined) return;
    this.conversations.unhide(id);
    await this.refresh();
    await this.open(id);
  }
}

const key = Symbol("app");

/** Called once at the root. */
export function provideApp(app: App): void {
  setContext(key, app);
}

/** To be called while a component is made. */
export function useApp(): App {
  return getContext<App>(key);
}
