// An engine in the page, for tests and for looking at the window without the program: it answers every request and produces the
// sequences of signals that the real one does. It touches nothing outside of the page.
import type { CallId, ConversationId, ConversationRow, Event, ExportFormat, Failure, ForkOrigin, KnownModel, MemoryText, ModelChoice, ParentCall, ProjectId, ProjectRow, QuestionRow, Settings, Signal, SkillList, SteeringFile, SymbolHit } from "../../protocol";
import type { Host, Method, Params, Result } from "../host";
import { contextOf } from "./context";
import { FakeConversation } from "./conversation";
import { id, sha } from "./ids";
import { FakeLog } from "./log";
import { Playback } from "./recording";
import { cardOf, type Step } from "./script";
import { found } from "./search";
import type { Pace } from "./turn";
import { reportOf, requestsOf, totalsOf } from "./usage";

type Answers = { [M in Method]: (params: Params<M>) => Result<M> | Promise<Result<M>> };

export type FakeOptions = {
  /** Time runs this many times faster; 0: nothing is waited for. */
  speed?: number;
  /** Delay of each answer in ms, as a function, so that tests can hold one back. */
  delay?: (method: Method) => Promise<void>;
};

export const practice: ModelChoice = { provider: null, label: "Practice model", base_url: "", protocol: "practice", model: "practice", window: 128_000, coefficient: 1, tools: true, echo_reasoning: false, empty_text: false, without_encrypted: false, found: false, output_limit: null, images: false, documents: false, price: null };
const sonnet: ModelChoice = { ...practice, provider: "provider-1", label: "claude-sonnet", base_url: "https://api.example.com", protocol: "anthropic-messages", model: "claude-sonnet", images: true, documents: true };
const FILES = ["src/retry.rs", "src/stream.rs", "src/main.rs", "tests/retry.rs", "README.md", "CHANGELOG.md", "访谈/六月.md", "访谈/七月 整理.md"];
const SYMBOLS: SymbolHit[] = [
  { name: "Retry::run", kind: "fn", path: "src/retry.rs", line: 42 },
  { name: "Retry", kind: "struct", path: "src/retry.rs", line: 12 },
  { name: "Stream::resume", kind: "fn", path: "src/stream.rs", line: 88 },
];
/** How base64 begins, by what it holds. */
const MAGIC = [["iVBORw0KGgo", "image/png"], ["/9j/", "image/jpeg"], ["R0lGOD", "image/gif"], ["UklGR", "image/webp"], ["JVBERi", "application/pdf"]] as const;
/** How often a running turn repeats its phase. */
const HEARTBEAT_MS = 10_000;

export class FakeHost implements Host {
  readonly platform = "browser";
  readonly conversations = new Map<ConversationId, FakeConversation>();
  projects: ProjectRow[] = [];
  settings: Settings = { providers: [], model: sonnet, fallbacks: [], mode: "ask", limits: { max_iterations: 10, connect_s: 10, first_byte_s: 300, idle_s: 120, retries: 2, command_s: 60, money_micros: null, compact: true, compact_at: 80, compact_keep: 16, compact_messages: 6 }, global_slots: 3, conversation_slots: 2, asides: { titles: true, title: [], compaction: [] }, theme: "system", language: null };
  /** Skills of every folder, and files that steer the model there. */
  skills: SkillList = { skills: [], problems: [] };
  steering: SteeringFile[] = [];
  /** What a person would choose in the folder dialog. */
  folder: string | null = "/home/sam/code/atlas";
  /** Addresses that were opened, texts that were copied. */
  readonly openedLinks: string[] = [];
  readonly copied: string[] = [];
  /** What stands in the file that a person would choose to import; null: they choose none. */
  file: string | null = null;
  /** Conversations that were saved to a file. */
  readonly saved: { conversation: ConversationId; format: ExportFormat }[] = [];
  /** What is remembered, by project; null: of the person. */
  readonly memories = new Map<string | null, string>([[null, "- Prefers short answers\n- 在这台电脑上用 Linux\n"]]);
  /** Time of the next events; none: now. */
  at: number | null = null;
  speed: number;
  readonly #delay: (method: Method) => Promise<void>;
  readonly #contents = new Map<string, string>();
  readonly #listeners = new Set<(signals: Signal[]) => void>();

  constructor({ speed = 1, delay = () => Promise.resolve() }: FakeOptions = {}) {
    this.speed = speed;
    this.#delay = delay;
    setInterval(() => {
      for (const { turn, log } of this.conversations.values()) if (turn) log.beat();
    }, HEARTBEAT_MS);
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    await this.#delay(method);
    return structuredClone(await this.#answers[method](structuredClone(params)));
  }

  subscribe(fn: (signals: Signal[]) => void): () => void {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  /** Tells all listeners; also for signals that no conversation here made. */
  emit = (signals: Signal[]): void => {
    for (const listener of this.#listeners) listener(structuredClone(signals));
  };

  /** Plays signals that a recording holds, as JSON lines, in place of a turn. */
  play(lines: string): Playback {
    return new Playback(lines, this.emit);
  }

  pickFolder(): Promise<string | null> {
    return Promise.resolve(this.folder);
  }

  openExternal(url: string): Promise<void> {
    this.openedLinks.push(url);
    return Promise.resolve();
  }

  copy(text: string): Promise<void> {
    this.copied.push(text);
    return Promise.resolve();
  }

  saveExport(conversation: ConversationId, format: ExportFormat): Promise<boolean> {
    this.saved.push({ conversation, format });
    return Promise.resolve(true);
  }

  async importFile(project: ProjectId | null): Promise<ConversationRow | null> {
    const { file } = this;
    return file === null ? null : await this.call("import", { project, text: file });
  }

  setTitle(title: string): void {
    document.title = title;
  }

  onCloseRequested(): () => void {
    return () => undefined;
  }

  keepRunning(): Promise<void> {
    return Promise.resolve();
  }

  onShowConversation(): () => void {
    return () => undefined;
  }

  onLaunchFolder(): () => void {
    return () => undefined;
  }

  /** Begins a conversation without asking; for samples. */
  create(project: string | null): FakeConversation {
    return this.#begin(project, null);
  }

  #begin(project: string | null, parent: ParentCall | null): FakeConversation {
    const workspace = this.projects.find((row) => row.id === project)?.folder ?? null;
    const now = this.#now();
    const log = new FakeLog(
      { id: id(), project, workspace, fork: null, parent, title: "", mode: parent ? "plan" : this.settings.mode, model: this.settings.model, fallbacks: [], generating: false, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: 0, created_at: now, updated_at: now },
      (signals) => this.emit(signals),
      () => this.#now(),
    );
    const conversation: FakeConversation = new FakeConversation(log, this.#pace, (call, task, steps, signal) => this.#dispatch(conversation, call, task, steps, signal));
    this.conversations.set(log.row.id, conversation);
    log.append({ kind: "conversation/created", project, workspace, ...(parent ? { parent } : {}) });
    log.append({ kind: "mode/set", mode: log.row.mode });
    return conversation;
  }

  /** A fork from behind an answer, or from before a person's message. What the two have in common is copied here. */
  #fork(of: ConversationId, seq: number): FakeConversation {
    const { log: origin } = this.#find(of);
    const at = origin.events.findIndex((event) => event.seq === seq);
    const after = origin.events.findIndex((event, index) => index > at && ["user/message", "queue/taken", "iteration/start", "queue/edited"].includes(event.kind));
    const end = origin.events[at]?.kind === "user/message" ? at : after < 0 ? origin.events.length : after;
    return this.#goOn(origin.events.slice(0, end), origin.row, { conversation: of, seq: end });
  }

  /** A fork with these events as its beginning. */
  #goOn(events: readonly Event[], { title, project, workspace, model, mode }: Pick<ConversationRow, "title" | "project" | "workspace" | "model" | "mode">, fork: ForkOrigin): FakeConversation {
    const now = this.#now();
    const row = { id: id(), project, workspace, fork, parent: null, title: "", mode, model, fallbacks: [], generating: false, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: fork.seq, created_at: now, updated_at: now };
    const log = new FakeLog(row, (signals) => this.emit(signals), () => this.#now());
    log.events.push(...events.map((event) => ({ ...event, conversation: log.row.id })));
    const conversation: FakeConversation = new FakeConversation(log, this.#pace, (call, task, steps, aborted) => this.#dispatch(conversation, call, task, steps, aborted));
    this.conversations.set(log.row.id, conversation);
    log.append({ kind: "conversation/created", project, workspace, fork });
    log.append({ kind: "title/set", title, by: "user" });
    return conversation;
  }

  async #dispatch({ log }: FakeConversation, call: CallId, task: string, steps: readonly Step[], signal: AbortSignal): Promise<string> {
    const agent = this.#begin(log.row.project, { conversation: log.row.id, call });
    agent.log.append({ kind: "title/set", title: task, by: "tool" });
    log.append({ kind: "agent/started", call, agent: agent.log.row.id, iterations: 8 });
    signal.addEventListener("abort", () => agent.turn?.stop(), { once: true });
    await agent.work(task, steps);
    const used = totalsOf(agent.log);
    log.append({ kind: "agent/ended", call, agent: agent.log.row.id, iterations: used.requests, cost_micros: used.cost_micros });
    const last = agent.log.events.findLast((event) => event.kind === "assistant/message");
    return last?.kind === "assistant/message" ? last.text : "";
  }

  addProject(folder: string, home = false): ProjectRow {
    const known = this.projects.find((row) => row.folder === folder);
    if (known) return known;
    const row = { id: id(), name: folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder, folder, present: true, home };
    this.projects = [...this.projects, row];
    this.emit([{ signal: "projects", projects: this.projects }]);
    return row;
  }

  #held: Promise<void> | undefined;

  /** From now on nothing goes on by itself, until what this gives back is called. */
  hold(): () => void {
    let release = (): void => {};
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    return release;
  }

  readonly #pace: Pace = {
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const stopped = (): void => reject(new Error("stopped"));
        if (signal.aborted) return stopped();
        signal.addEventListener("abort", stopped, { once: true });
        const done = (): void => {
          if (this.#held) return void this.#held.then(done);
          signal.removeEventListener("abort", stopped);
          resolve();
        };
        if (this.speed === 0) queueMicrotask(done);
        else setTimeout(done, milliseconds / this.speed);
      }),
  };

  #now(): number {
    return this.at ?? Date.now();
  }

  #find(conversation: ConversationId): FakeConversation {
    const known = this.conversations.get(conversation);
    if (!known) throw failure("not-found", "There is no such conversation.");
    return known;
  }

  #memory(project: string | null): MemoryText {
    const text = this.memories.get(project);
    const folder = this.projects.find(({ id }) => id === project)?.folder;
    // No digest, but another one for another text.
    return { path: folder === undefined ? "/home/sam/.local/share/assent/USER.md" : `${folder}/.assent/MEMORY.md`, text: text ?? "", hash: text === undefined ? null : sha(text) };
  }

  /** Finds the conversation that has something, by asking each. */
  #with<T>(look: (conversation: FakeConversation) => T | undefined | false): T {
    for (const conversation of this.conversations.values()) {
      const found = look(conversation);
      if (found) return found;
    }
    throw failure("not-pending", "It isn't pending any more.");
  }

  readonly #answers: Answers = {
    overview: () => ({ projects: this.projects, conversations: [...this.conversations.values()].filter(({ log }) => !log.deleted && !log.row.parent).map(({ log }) => log.row), settings: this.settings, notices: [] }),
    open_folder: ({ path, allow_home }) => {
      if (path === "/home/sam" && !allow_home) throw failure("workspace", "This is your home folder.");
      return this.addProject(path);
    },
    rename_project: ({ project, name }) => this.#setProjects(this.projects.map((row) => (row.id === project ? { ...row, name } : row))),
    remove_project: ({ project }) => {
      for (const { log } of this.conversations.values()) if (log.row.project === project) log.append({ kind: "conversation/archived", archived: true });
      return this.#setProjects(this.projects.filter((row) => row.id !== project));
    },
    locate_project: ({ project, path }) => {
      this.#setProjects(this.projects.map((row) => (row.id === project ? { ...row, folder: path, present: true } : row)));
      return this.addProject(path);
    },
    create_conversation: ({ project }) => this.create(project).log.row,
    open: ({ conversation }) => {
      const { log } = this.#find(conversation);
      if (log.row.unread) log.change({ unread: false });
      return log.opened();
    },
    history: ({ conversation, before }) => this.#find(conversation).log.page(before),
    after: ({ conversation, seq }) => ({ events: this.#find(conversation).log.events.slice(seq), earlier: true }),
    standing: ({ conversation }) => {
      const { log } = this.#find(conversation);
      return { generating: log.row.generating, ...log.phase, seq: log.events.length };
    },
    send: ({ conversation, text, delivery, reject, attachments }) => nothing(this.#find(conversation).send(text, delivery, reject, attachments)),
    attach: ({ name, data }) => {
      const media_type = MAGIC.find(([begin]) => data.startsWith(begin))?.[1];
      if (!media_type) throw failure("invalid", `${name} can't be attached: PNG, JPEG, GIF and WebP images and PDFs can`);
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      // No digest, but as good as one for a page that shows little.
      const hash = bytes.reduce((sum, byte) => (sum * 31 + byte) % 0xffff_ffff, bytes.length).toString(16).padStart(64, "0");
      this.#contents.set(hash, data);
      return { name, media_type, content: { hash, bytes: bytes.length } };
    },
    attachment: ({ hash }) => {
      const data = this.#contents.get(hash);
      if (data === undefined) throw failure("not-found", "There is no such attachment.");
      return data;
    },
    edit_queued: ({ conversation, item, text }) => held(this.#find(conversation).edit(item, text)),
    move_queued: ({ conversation, item, before }) => held(this.#find(conversation).move(item, before)),
    redeliver_queued: ({ conversation, item, delivery }) => held(this.#find(conversation).redeliver(item, delivery)),
    withdraw_queued: ({ conversation, item }) => held(this.#find(conversation).withdraw(item)),
    save_draft: ({ conversation, text }) => {
      this.#find(conversation).log.draft = text;
      return null;
    },
    save_draft_attachments: ({ conversation, attachments }) => {
      this.#find(conversation).log.attached = attachments;
      return null;
    },
    mark_read: ({ conversation }) => nothing(this.#find(conversation).log.change({ unread: false })),
    approve: ({ call, digest, note }) => {
      const conversation = this.#with((each) => each.turn?.pending.has(call) && each);
      const request = conversation.log.events.findLast((event) => event.kind === "approval/requested" && event.call === call);
      if (request?.kind === "approval/requested" && request.card.digest !== digest) throw failure("card-changed", "The card was drawn anew.");
      return held(conversation.decide(call, "approved", note));
    },
    reject: ({ call, note }) => held(this.#with((each) => each.turn?.pending.has(call) && each).decide(call, "rejected", note)),
    revoke_rule: ({ conversation, rule }) => nothing(this.#find(conversation).log.append({ kind: "rule/revoked", rule })),
    answer_question: ({ call, text }) => held(this.#with((each) => each.turn?.asked.has(call) && each).answer(call, text)),
    questions: () => [...this.conversations.values()].flatMap((each) => this.#questions(each)),
    memory: ({ project }) => ({ project: project === null ? null : this.#memory(project), user: this.#memory(null), limit: 8192 }),
    save_memory: ({ project, text, before }) => {
      if (before !== this.#memory(project).hash) throw failure("file-changed", "the file was changed meanwhile");
      this.memories.set(project, text);
      return this.#memory(project);
    },
    inbox: () => [...this.conversations.values()].flatMap((each) => this.#pending(each)),
    stop: ({ conversation }) => nothing(this.#find(conversation).turn?.stop()),
    continue_turn: ({ conversation }) => nothing(this.#find(conversation).goOn()),
    compact: ({ conversation, instructions }) => held(this.#find(conversation).compact(instructions)),
    context: ({ conversation }) => contextOf(this.#find(conversation)),
    keep_discarded: ({ conversation, request }) => held(this.#find(conversation).keep(request)),
    set_mode: ({ conversation, mode }) => nothing(this.#find(conversation).log.append({ kind: "mode/set", mode })),
    set_fallbacks: ({ conversation, choices }) => nothing(this.#find(conversation).log.append({ kind: "fallbacks/set", choices })),
    set_model: ({ conversation, choice }) => nothing(this.#find(conversation).log.append({ kind: "model/set", choice })),
    set_limits: ({ conversation, limits }) => nothing(this.#find(conversation).log.append({ kind: "limits/set", limits, defaults: this.settings.limits })),
    rename: ({ conversation, title }) => nothing(this.#find(conversation).log.append({ kind: "title/set", title, by: "user" })),
    archive: ({ conversation, archived }) => nothing(this.#find(conversation).log.append({ kind: "conversation/archived", archived })),
    delete: ({ conversation }) => {
      const found = this.#find(conversation);
      found.turn?.stop();
      found.log.deleted = true;
      return null;
    },
    restore: ({ conversation }) => {
      const { log } = this.#find(conversation);
      log.deleted = false;
      return nothing(log.change({}));
    },
    clear: ({ conversation }) => {
      const { log } = this.#find(conversation);
      log.append({ kind: "conversation/archived", archived: true });
      return this.create(log.row.project).log.row;
    },
    fork: ({ conversation, seq }) => this.#fork(conversation, seq).log.row,
    resend: ({ conversation, message, text, attachments }) => {
      const event = this.#find(conversation).log.events.find((each) => each.kind === "user/message" && each.message === message);
      if (!event) throw failure("not-found", "There is no such message in this conversation.");
      const fork = this.#fork(conversation, event.seq);
      fork.send(text, "next-turn", false, attachments);
      return fork.log.row;
    },
    revert: ({ call }) => nothing(this.#ofCall(call).append({ kind: "effect/reverted", call, effects: [] })),
    resolve: ({ call, done }) => nothing(this.#ofCall(call).append({ kind: "tool/resolved", call, mark: done ? "done" : "not-done" })),
    check_again: () => false,
    output: ({ call, offset, length }) => {
      const result = this.#ofCall(call).events.findLast((event) => event.kind === "tool/result" && event.call === call);
      const shown = new TextEncoder().encode(result?.kind === "tool/result" ? result.shown : "");
      return { text: new TextDecoder().decode(shown.slice(offset, offset + length)), offset, total: shown.length };
    },
    replay: ({ conversation, request }) => {
      const { events } = this.#find(conversation).log;
      const at = events.findIndex((event) => event.kind === "request/sent" && event.request === request);
      const earlier = events.slice(0, Math.max(0, at));
      const messages = earlier.flatMap((event) => (event.kind === "user/message" ? [{ role: "user", content: event.text }] : event.kind === "assistant/message" ? [{ role: "assistant", content: event.text }] : []));
      const before = earlier.flatMap((event) => (event.kind === "request/sent" ? [event.request] : [])).at(-1) ?? null;
      return { request, body: JSON.stringify({ model: "rehearsal", messages: [{ role: "system", content: "…" }, ...messages] }), equal: true, recorded_builder: "1", builder: "1", prefix: 5_940, stable_before: 6_000, usage: { input: 120, output: 30, cache_read: 1_400, cache_write: null, reasoning: null }, before };
    },
    import: ({ project, text }) => {
      const elements = elementsOf(text);
      const of = elements.at(-1)?.conversation ?? "";
      const events = elements.filter((element) => "seq" in element && element.conversation === of);
      const title = events.findLast((event) => event.kind === "title/set")?.title ?? "";
      const workspace = this.projects.find((row) => row.id === project)?.folder ?? null;
      return this.#goOn(events, { title, project, workspace, model: this.settings.model, mode: this.settings.mode }, { conversation: of, seq: events.length, imported: true }).log.row;
    },
    export: ({ conversation }) => this.#find(conversation).log.events.flatMap((event) => (event.kind === "user/message" || event.kind === "assistant/message" ? [event.text] : [])).join("\n\n"),
    models: () => [{ choice: practice, found: "practice" }, { choice: sonnet, found: "Example" }, { choice: { ...practice, label: "qwen3:14b", model: "qwen3:14b", base_url: "http://127.0.0.1:11434", protocol: "chat-completions" }, found: "local server" }],
    presets: () => [{ name: "Example", base_url: "https://api.example.com", protocol: "anthropic-messages", key_variable: "EXAMPLE_API_KEY", model: "claude-sonnet" }],
    known_models: ({ models }) => models.map((id) => describe(id)),
    save_provider: ({ provider }) => this.#setSettings({ providers: [...this.settings.providers.filter((known) => known.id !== provider.id), provider] }),
    remove_provider: ({ provider }) => this.#setSettings({ providers: this.settings.providers.filter((known) => known.id !== provider) }),
    set_key: ({ key }) => (key === "" ? "nowhere" : "keychain"),
    key_place: () => "nowhere",
    test_provider: ({ provider, key }) => {
      const address = `${provider.base_url}/models`;
      if (key === "wrong") return { works: false, steps: [{ step: "listed", address, trouble: { kind: "unauthorized", status: 401, message: "invalid key" } }], models: [], window: null };
      return { works: true, steps: [{ step: "listed", address, trouble: null }], models: ["claude-sonnet", "claude-haiku"].map((id) => describe(id)), window: 200_000 };
    },
    save_settings: ({ settings }) => this.#setSettings(settings),
    usage: ({ bounds }) => reportOf([...this.conversations.values()].map(({ log }) => log), bounds),
    usage_requests: ({ conversation }) => requestsOf(this.#find(conversation).log).slice(0, 100),
    search: ({ query, limit }) => {
      const present = [...this.conversations.values()].map(({ log }) => log).filter(({ deleted }) => !deleted);
      return found(present, (log) => this.projects.find(({ id }) => id === log.row.project)?.name ?? null, query, limit);
    },
    complete_path: ({ typed }) => FILES.filter((path) => path.toLowerCase().includes(typed.toLowerCase())),
    complete_symbol: ({ typed }) => SYMBOLS.filter(({ name }) => typed !== "" && name.toLowerCase().includes(typed.toLowerCase())),
    skills: () => this.skills,
    steering: () => ({ files: this.steering, partial: false }),
    trust: ({ files }) => {
      if (files.some(({ path, hash }) => !this.steering.some((file) => file.path === path && file.hash === hash))) throw failure("file-changed", "It is no longer what was shown.");
      this.steering = this.steering.map((file) => (files.some(({ path }) => path === file.path) ? { ...file, trusted: true, changed: null } : file));
      return null;
    },
    trusted: () => this.projects.flatMap(({ folder }) => this.steering.filter(({ trusted }) => trusted).map(({ path, kind }) => ({ root: folder, path, kind, at: this.#now(), now: "trusted" as const }))),
    distrust: ({ paths }) => {
      this.steering = this.steering.map((file) => (paths.includes(file.path) ? { ...file, trusted: false } : file));
      return null;
    },
    refresh_prompt: ({ conversation }) => this.#find(conversation).log.events.length > 2,
  };

  #setProjects(projects: ProjectRow[]): null {
    this.projects = projects;
    this.emit([{ signal: "projects", projects }]);
    return null;
  }

  #setSettings(changes: Partial<Settings>): null {
    this.settings = { ...this.settings, ...changes };
    this.emit([{ signal: "settings", settings: this.settings }]);
    return null;
  }

  #ofCall(call: string): FakeLog {
    return this.#with(({ log }) => log.events.some((event) => event.kind === "tool/call" && event.call === call) && log);
  }

  #questions({ turn, log }: FakeConversation): QuestionRow[] {
    return [...(turn?.asked.keys() ?? [])].flatMap((call) => {
      const asked = log.events.findLast((event) => event.kind === "question/asked" && event.call === call);
      if (asked?.kind !== "question/asked") return [];
      return [{ call, conversation: log.row.id, title: log.row.title, project: this.projects.find(({ id }) => id === log.row.project)?.name ?? null, question: asked.question, options: asked.options ?? [], since: asked.at }];
    });
  }

  #pending({ turn, log }: FakeConversation): Result<"inbox"> {
    return [...(turn?.pending.keys() ?? [])].flatMap((call) => {
      const request = log.events.findLast((event) => event.kind === "approval/requested" && event.call === call);
      const judged = log.events.findLast((event) => event.kind === "tool/call" && event.call === call);
      if (request?.kind !== "approval/requested" || judged?.kind !== "tool/call") return [];
      return [{ call, conversation: log.row.id, title: log.row.title, project: this.projects.find(({ id }) => id === log.row.project)?.name ?? null, tool: judged.name, card: request.card, since: request.at }];
    });
  }
}

export { cardOf };

function describe(id: string): KnownModel {
  return { id, window: { value: 200_000, origin: "data" }, output_limit: null, images: { value: true, origin: "data" }, documents: null, tools: null, reasoning: null, price: null, data: { page: "https://example.com/models", date: "2026-11-30" } };
}

/** What stands in a file that a conversation left as. */
function elementsOf(text: string): Event[] {
  try {
    return JSON.parse(text) as Event[];
  } catch {
    throw failure("invalid", "the file is no exported conversation");
  }
}

function failure(code: Failure["code"], message: string): Failure {
  return { code, message };
}

function nothing(_done: unknown): null {
  return null;
}

function held(found: boolean): null {
  if (!found) throw failure("not-pending", "It isn't pending any more.");
  return null;
}
