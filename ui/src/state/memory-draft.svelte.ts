// One remembered text while a person edits it: loaded, changed, saved if nobody else changed it meanwhile. It draws nothing.
import { asFailure, type Host } from "../host";
import type { Failure, MemoryText, ProjectId } from "../protocol";

export class MemoryDraft {
  readonly project: ProjectId | null;
  text = $state("");
  /** As it was loaded or saved last; null: not yet. */
  saved = $state.raw<MemoryText | null>(null);
  limit = $state(0);
  sending = $state(false);
  failure = $state.raw<Failure | null>(null);
  readonly #host: Host;

  constructor(host: Host, project: ProjectId | null) {
    this.#host = host;
    this.project = project;
  }

  /** In UTF-8: what the limit counts. */
  get bytes(): number {
    return new TextEncoder().encode(this.text).length;
  }

  get isChanged(): boolean {
    return this.saved !== null && this.text !== this.saved.text;
  }

  get isTooLong(): boolean {
    return this.bytes > this.limit;
  }

  /** Somebody else changed the file: what is written here can't be saved over it. */
  get isStale(): boolean {
    return this.failure?.code === "file-changed";
  }

  /** Takes what stands in the file, in place of what is written here. */
  async load(): Promise<void> {
    await this.#send(async () => {
      const memory = await this.#host.call("memory", { project: this.project });
      this.limit = memory.limit;
      this.#take(this.project === null ? memory.user : memory.project);
    });
  }

  async save(): Promise<void> {
    if (!this.saved || !this.isChanged || this.isTooLong) return;
    const { hash } = this.saved;
    await this.#send(async () => this.#take(await this.#host.call("save_memory", { project: this.project, text: this.text, before: hash })));
  }

  #take(text: MemoryText | null): void {
    this.saved = text;
    this.text = text?.text ?? "";
  }

  async #send(work: () => Promise<void>): Promise<void> {
    this.sending = true;
    this.failure = null;
    try {
      await work();
    } catch (error) {
      this.failure = asFailure(error);
    }
    this.sending = false;
  }
}
