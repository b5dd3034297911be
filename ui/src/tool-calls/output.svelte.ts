// The lines of a command's output: what comes while it runs, and the stored whole, page by page, once it has ended.
// It only reads; what a line looks like is the view's business.
import { AnsiReader, type AnsiLine } from "../markdown";
import type { Failure, OutputPage } from "../protocol";
import type { LiveOutput } from "../state";

/** Above this many lines of running output the oldest half is let go: the whole is on disk. */
const MOST_LINES = 60_000;
/** Bytes asked for at once. */
export const PAGE = 256 * 1024;

/** Lines of an output that still grows. Given the same output twice it reads nothing twice. */
export class LiveLines {
  #reader = new AnsiReader();
  #end = 0;
  #dropped = false;
  /** Older lines were let go. */
  get cut(): boolean {
    return this.#dropped;
  }

  read({ text, start, end }: LiveOutput): readonly AnsiLine[] {
    if (start > this.#end || end < this.#end) {
      this.#reader = new AnsiReader();
      this.#dropped = start > 0;
      this.#reader.push(text);
    } else if (end > this.#end) {
      this.#reader.push(lastBytes(text, end - this.#end));
    }
    this.#end = end;
    if (start > 0) this.#dropped = true;
    const { lines } = this.#reader;
    if (lines.length > MOST_LINES) {
      lines.splice(0, lines.length - MOST_LINES / 2);
      this.#dropped = true;
    }
    return withoutEmptyEnd(lines);
  }
}

/** The last `bytes` UTF-8 bytes of `text`. */
export function lastBytes(text: string, bytes: number): string {
  let left = bytes;
  let index = text.length;
  while (left > 0 && index > 0) {
    const unit = text.charCodeAt(index - 1);
    const pair = unit >= 0xdc00 && unit <= 0xdfff && index > 1;
    left -= pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    index -= pair ? 2 : 1;
  }
  return text.slice(index);
}

type Ask = (offset: number, length: number) => Promise<OutputPage>;

/** A stored output, read from its beginning as far as somebody looks. */
export class StoredLines {
  lines = $state.raw<readonly AnsiLine[]>([]);
  /** Bytes read so far, and of the whole. */
  read = $state(0);
  total = $state(0);
  loading = $state(false);
  failure = $state.raw<Failure | null>(null);
  readonly #reader = new AnsiReader();
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  get complete(): boolean {
    return this.total > 0 && this.read >= this.total;
  }

  /** Reads the next page, or all that is left. */
  async more(all = false): Promise<void> {
    if (this.loading || this.complete) return;
    this.loading = true;
    this.failure = null;
    try {
      do await this.#page();
      while (all && !this.complete);
    } catch (error) {
      this.failure = error as Failure;
    } finally {
      this.loading = false;
    }
  }

  async #page(): Promise<void> {
    let length = PAGE;
    let page = await this.#ask(this.read, length);
    // A page may end within a character: three bytes less is always enough to end before it.
    for (let less = 1; less <= 3 && page.text.endsWith("\ufffd") && this.read + length < page.total; less += 1) {
      length = PAGE - less;
      page = await this.#ask(this.read, length);
    }
    this.total = page.total;
    this.read = Math.min(page.total, this.read + length);
    this.#reader.push(page.text);
    if (this.complete) this.#reader.end();
    this.lines = withoutEmptyEnd(this.#reader.lines);
  }
}

/** A text that is there as a whole. */
export function wholeLines(text: string): readonly AnsiLine[] {
  const reader = new AnsiReader();
  reader.push(text);
  reader.end();
  return withoutEmptyEnd(reader.lines);
}

/** The break at the very end begins no line of its own. */
function withoutEmptyEnd(lines: readonly AnsiLine[]): readonly AnsiLine[] {
  return lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines.slice();
}

