// What the window may ask of its surroundings. Two forms exist: `tauri/` is the desktop program, `fake/` an engine in the page.
// It carries requests and signals; it keeps no state and decides nothing.
import type { ConversationId, ConversationRow, ExportFormat, Failure, Methods, ProjectId, Signal } from "../protocol";

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

export interface Host {
  /** Which shortcuts and words fit here. */
  readonly platform: "mac" | "windows" | "linux" | "browser";
  /** Asks the engine. Rejects with a `Failure` and with nothing else. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Signals in the engine's order, in batches. Returns what ends it. */
  subscribe(fn: (signals: Signal[]) => void): () => void;
  /** Lets a person choose a folder; null when they didn't. */
  pickFolder(title: string): Promise<string | null>;
  /** Opens an address outside of the window. The caller has checked and shown it. */
  openExternal(url: string): Promise<void>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
  /** Lets a person choose a file and writes a conversation into it; false when they didn't choose one. Rejects with a `Failure`. */
  saveExport(conversation: ConversationId, format: ExportFormat, title: string): Promise<boolean>;
  /** Lets a person choose a file and takes in the conversation in it; null when they didn't choose one. Rejects with a `Failure`. */
  importFile(project: ProjectId | null): Promise<ConversationRow | null>;
  setTitle(title: string): void;
  /** Called when the window is about to close; it closes only on true. Returns what ends it. */
  onCloseRequested(mayClose: () => Promise<boolean>): () => void;
  /** Takes the window out of sight; conversations go on. */
  keepRunning(): Promise<void>;
  /** Called with each conversation whose notice a person clicked. Returns what ends it. */
  onShowConversation(fn: (conversation: ConversationId) => void): () => void;
  /** Called with each folder that a start of the program named. Returns what ends it. */
  onLaunchFolder(fn: (folder: string) => void): () => void;
}

/** Makes a failure of whatever a rejected call carries. */
export function asFailure(error: unknown): Failure {
  if (typeof error === "object" && error !== null && "code" in error && "message" in error) return error as Failure;
  return { code: "other", message: error instanceof Error ? error.message : String(error) };
}
