// A search through what was said, while it is typed: it waits until typing rests, and an answer to what is no longer asked is thrown
// away. It draws nothing.
import { asFailure, type Host } from "../host";
import type { Failure, SearchHit } from "../protocol";

/** Typing rests this long before anything is asked (ms). */
const REST_MS = 120;

export class MessageSearch {
  /** What was found for the last text that was answered. */
  hits = $state.raw<readonly SearchHit[]>([]);
  /** Whether an answer to the present text is still to come. */
  searching = $state(false);
  /** Whether everything was looked through. */
  complete = $state(true);
  failure = $state.raw<Failure | null>(null);
  readonly #host: Host;
  readonly #limit: number;
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #settle: (() => void)[] = [];

  constructor(host: Host, limit: number) {
    this.#host = host;
    this.#limit = limit;
  }

  /** Looks for a text from now on; an empty one finds nothing. */
  look(text: string): void {
    const wanted = text.trim();
    if (wanted === this.#text) return;
    this.#text = wanted;
    this.#asked += 1;
    clearTimeout(this.#timer);
    if (wanted === "") return this.#answered([], true, null);
    this.searching = true;
    this.#timer = setTimeout(() => void this.#ask(this.#asked), REST_MS);
  }

  /** Comes when nothing is being looked for. */
  settled(): Promise<void> {
    return this.searching ? new Promise((resolve) => this.#settle.push(resolve)) : Promise.resolve();
  }

  async #ask(asked: number): Promise<void> {
    try {
      const { hits, complete } = await this.#host.call("search", { query: this.#text, limit: this.#limit });
      if (asked === this.#asked) this.#answered(hits, complete, null);
    } catch (error) {
      if (asked === this.#asked) this.#answered([], true, asFailure(error));
    }
  }

  #answered(hits: readonly SearchHit[], complete: boolean, failure: Failure | null): void {
    this.hits = hits;
    this.complete = complete;
    this.failure = failure;
    this.searching = false;
    for (const settle of this.#settle.splice(0)) settle();
  }
}
