// A host that answers what it is told to and remembers what it was asked; everything else it refuses.
import type { Failure, Methods, Settings } from "../protocol";
import { App, Conversation } from "../state";
import { CONVERSATION } from "./calls";

type Answers = { [M in keyof Methods]?: (params: Methods[M]["params"]) => Methods[M]["result"] | Promise<Methods[M]["result"]> };
export type Asked = { method: keyof Methods; params: unknown };

export const settings: Settings = {
  providers: [],
  model: null,
  fallbacks: [],
  mode: "ask",
  limits: { max_iterations: 10, connect_s: 30, first_byte_s: 300, idle_s: 120, retries: 3, command_s: 60, money_micros: null, compact: true, compact_at: 80, compact_keep: 16, compact_messages: 6 },
  asides: { titles: true, title: [], compaction: [] },
  global_slots: 3,
  conversation_slots: 2,
  theme: "system",
  language: null,
};

export const failure = (code: Failure["code"], message = "words of the engine"): Failure => ({ code, message });

export function appWith(answers: Answers = {}): { app: App; asked: Asked[]; folder: { path: string | null } } {
  const asked: Asked[] = [];
  const folder = { path: "/home/sam/code/atlas" as string | null };
  const app = new App({
    platform: "browser",
    call: async (method, params) => {
      asked.push({ method, params });
      const answer = answers[method] as ((params: unknown) => unknown) | undefined;
      if (!answer) throw failure("other", `no answer to ${method}`);
      return (await answer(params)) as never;
    },
    subscribe: () => () => undefined,
    pickFolder: () => Promise.resolve(folder.path),
    openExternal: () => Promise.resolve(),
    copy: () => Promise.resolve(),
    saveExport: () => Promise.resolve(true),
    importFile: () => Promise.resolve(null),
    setTitle: () => undefined,
    onCloseRequested: () => () => undefined,
    keepRunning: () => Promise.resolve(),
    onShowConversation: () => () => undefined,
    onLaunchFolder: () => () => undefined,
  });
  app.settings.value = settings;
  return { app, asked, folder };
}

export function conversation(): Conversation {
  return new Conversation({ id: CONVERSATION, project: null, workspace: "/home/sam/code/atlas", fork: null, parent: null, title: "Retry only before the first byte", mode: "ask", model: null, fallbacks: [], generating: true, pending: 1, queued: 0, ended: null, unread: false, archived: false, seq: 1, created_at: 0, updated_at: 0 });
}
