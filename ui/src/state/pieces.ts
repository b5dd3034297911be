// Joins and cuts streamed pieces of answers, so that a frame takes in neither too many nor too much. It applies nothing.
import type { ConversationId, Delta, Signal } from "../protocol";
import { utf8Length } from "./text";

type Text = Extract<Delta, { of: "text" }>;

/** Joins neighbouring pieces of one text, so that a frame costs one change of it, however many pieces came. */
export function merge(signals: readonly Signal[]): Signal[] {
  const merged: Signal[] = [];
  let open: { conversation: ConversationId; delta: Text; pieces: string[]; end: number } | null = null;
  const close = (): void => {
    if (open) merged.push({ signal: "delta", conversation: open.conversation, delta: { ...open.delta, text: open.pieces.join("") } });
    open = null;
  };
  for (const signal of signals) {
    const delta = textOf(signal);
    if (signal.signal !== "delta" || !delta) {
      close();
      merged.push(signal);
      continue;
    }
    const joins: boolean = open !== null && isNext(open, delta);
    if (!joins) close();
    open ??= { conversation: signal.conversation, delta, pieces: [], end: delta.offset };
    open.pieces.push(delta.text);
    open.end += utf8Length(delta.text);
  }
  close();
  return merged;
}

/** The piece of streamed text that a signal is, if it is one. */
export function textOf(signal: Signal): Text | null {
  return signal.signal === "delta" && signal.delta.of === "text" ? signal.delta : null;
}

/** The first `room` characters of streamed text, and what is left of it. Anything else stays whole. */
export function split(signal: Signal, room: number): { now: Signal; later: Signal | null } {
  const delta = textOf(signal);
  if (signal.signal !== "delta" || !delta || delta.text.length <= room) return { now: signal, later: null };
  // A pair of surrogates stays together.
  const at = /[\ud800-\udbff]/.test(delta.text.charAt(room - 1)) ? room - 1 : room;
  const text = delta.text.slice(0, at);
  const later = { ...delta, offset: delta.offset + utf8Length(text), text: delta.text.slice(at) };
  return { now: { ...signal, delta: { ...delta, text } }, later: { ...signal, delta: later } };
}

function isNext(open: { delta: Text; end: number }, next: Text): boolean {
  return open.delta.request === next.request && open.delta.part === next.part && open.end === next.offset;
}
