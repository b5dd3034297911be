// Plays signals from a recording: JSON lines, each a signal or an array of signals. It knows nothing of what they mean.
import type { Signal } from "../../protocol";

export class Playback {
  readonly #batches: Signal[][];
  readonly #emit: (signals: Signal[]) => void;
  #at = 0;

  constructor(lines: string, emit: (signals: Signal[]) => void) {
    this.#batches = lines
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as Signal | Signal[])
      .map((line) => (Array.isArray(line) ? line : [line]));
    this.#emit = emit;
  }

  get isOver(): boolean {
    return this.#at >= this.#batches.length;
  }

  /** Plays the next lines; all that are left by default. */
  step(count = this.#batches.length): void {
    for (const batch of this.#batches.slice(this.#at, this.#at + count)) this.#emit(batch);
    this.#at += count;
  }
}
