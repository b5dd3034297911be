// An answer of the model, also while it is being written. It doesn't know its place among other items.
import type { AssistantMessage, Delta, FinishReason, RequestId } from "../protocol";
import { addition, utf8Length } from "./text";

/** A call that the model is still writing. */
export type Writing = { index: number; name: string; target: string | null; lines: number };

type TextDelta = Extract<Delta, { of: "text" }>;
type WritingDelta = Extract<Delta, { of: "writing" }>;

export class Message {
  readonly request: RequestId;
  text = $state("");
  reasoning = $state("");
  /** More text will come. */
  streaming = $state(true);
  /** A person's stop cut it off. */
  partial = $state(false);
  finish = $state<FinishReason | null>(null);
  /** Whether there is something to show; changes once, so that lists needn't read the text. */
  hasText = $state(false);
  hasReasoning = $state(false);
  writing = $state.raw<Writing | null>(null);
  /** When it was complete: milliseconds since 1970. */
  at = $state(0);
  /** Seq of the event that it was recorded with; 0 before. */
  seq = 0;
  #bytes = { text: 0, reasoning: 0 };

  constructor(request: RequestId) {
    this.request = request;
  }

  /** Adds a piece; false when something before it is missing. */
  add({ part, offset, text }: TextDelta): boolean {
    const added = addition(this.#bytes[part], offset, text);
    if (added === null) return false;
    if (added === "") return true;
    this.#bytes[part] += utf8Length(added);
    if (part === "text") this.text += added;
    else this.reasoning += added;
    this.#mark();
    return true;
  }

  write({ index, name, target, lines }: WritingDelta): void {
    this.writing = { index, name, target, lines };
  }

  /** The recorded answer is what counts, whatever was streamed. */
  finished(recorded: AssistantMessage, { at, seq }: { at: number; seq: number }): void {
    this.seq = seq;
    this.text = recorded.text;
    this.reasoning = recorded.reasoning;
    this.finish = recorded.finish;
    this.partial = recorded.partial;
    this.#end(at);
  }

  /** What had arrived of an answer that doesn't count. */
  discarded(text: string, at: number): void {
    if (text !== "") this.text = text;
    this.#end(at);
  }

  #end(at: number): void {
    this.streaming = false;
    this.writing = null;
    this.at = at;
    this.#mark();
  }

  #mark(): void {
    this.hasText = this.text.trim() !== "";
    this.hasReasoning = this.reasoning.trim() !== "";
  }
}
