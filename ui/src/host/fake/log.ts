// The log of one invented conversation and what is happening in it, in the words of the real engine. It runs nothing.
import type { Attachment, CallId, ConversationRow, Delta, Event, Opened, Part, Phase, RequestId, Signal, TodoItem } from "../../protocol";
import { totalsOf } from "./usage";

type Payload<E = Event> = E extends Event ? Omit<E, "conversation" | "seq" | "at"> : never;
export type Emit = (signals: Signal[]) => void;

/** Events of a page. */
const PAGE = 120;

export class FakeLog {
  readonly events: Event[] = [];
  row: ConversationRow;
  draft = "";
  attached: Attachment[] = [];
  deleted = false;
  phase: { phase: Phase; since: number } = { phase: { is: "idle" }, since: 0 };
  readonly #text = new Map<RequestId, Record<Part, string>>();
  /** Lengths of the above in bytes; counting anew for each piece would take longer than everything else. */
  readonly #bytes = new Map<RequestId, Record<Part, number>>();
  readonly #output = new Map<CallId, string>();
  readonly #emit: Emit;
  readonly #now: () => number;

  constructor(row: ConversationRow, emit: Emit, now: () => number) {
    this.row = row;
    this.#emit = emit;
    this.#now = now;
  }

  /** Records an event, and tells of it and of what it makes of the row. */
  append(payload: Payload): Event {
    const event = { conversation: this.row.id, seq: this.events.length + 1, at: this.#now(), ...payload } as Event;
    this.events.push(event);
    this.#forget(event);
    this.row = { ...this.#project(event), seq: event.seq, updated_at: event.at };
    const signals: Signal[] = [{ signal: "recorded", event }];
    if (event.kind !== "assistant/chunk") signals.push({ signal: "row", row: this.row });
    this.#emit(signals);
    return event;
  }

  /** Changes the row without an event. */
  change(changes: Partial<ConversationRow>): void {
    this.row = { ...this.row, ...changes };
    this.#emit([{ signal: "row", row: this.row }]);
  }

  say(request: RequestId, part: Part, text: string): void {
    const known = this.#text.get(request) ?? { text: "", reasoning: "" };
    this.#text.set(request, known);
    const length = this.#bytes.get(request) ?? { text: 0, reasoning: 0 };
    this.#bytes.set(request, length);
    const offset = length[part];
    known[part] += text;
    length[part] += bytes(text);
    this.delta({ of: "text", request, part, offset, text });
  }

  /** What has been said so far. */
  said(request: RequestId): Record<Part, string> {
    return this.#text.get(request) ?? { text: "", reasoning: "" };
  }

  print(call: CallId, text: string): void {
    const known = this.#output.get(call) ?? "";
    this.#output.set(call, known + text);
    this.delta({ of: "output", call, offset: bytes(known), text });
  }

  enter(phase: Phase): void {
    this.phase = { phase, since: this.#now() };
    this.delta({ of: "phase", ...this.phase });
  }

  beat(): void {
    this.delta({ of: "phase", ...this.phase });
  }

  delta(delta: Delta): void {
    this.#emit([{ signal: "delta", conversation: this.row.id, delta }]);
  }

  opened(): Opened {
    const live: Delta[] = [];
    for (const [request, said] of this.#text) {
      for (const part of ["reasoning", "text"] as const) if (said[part]) live.push({ of: "text", request, part, offset: 0, text: said[part] });
    }
    for (const [call, text] of this.#output) live.push({ of: "output", call, offset: 0, text });
    live.push({ of: "phase", ...this.phase });
    const { events, earlier } = this.page(this.events.length + 1);
    return { row: this.row, seq: this.events.length, events, earlier, live, draft: this.draft, attached: this.attached, usage: totalsOf(this), todo: this.#todo() };
  }

  #todo(): TodoItem[] {
    const kept = this.events.findLast((event) => event.kind === "tool/call" && event.name === "todo");
    return kept?.kind === "tool/call" ? (JSON.parse(kept.arguments) as { items: TodoItem[] }).items : [];
  }

  page(before: number): { events: Event[]; earlier: boolean } {
    const from = Math.max(0, before - 1 - PAGE);
    return { events: this.events.slice(from, before - 1).filter(({ kind }) => kind !== "assistant/chunk"), earlier: from > 0 };
  }

  #forget(event: Event): void {
    if (event.kind === "assistant/message" || event.kind === "assistant/discarded" || event.kind === "request/failed") this.#text.delete(event.request);
    if (event.kind === "tool/result") this.#output.delete(event.call);
  }

  #project(event: Event): ConversationRow {
    const { row } = this;
    switch (event.kind) {
      case "title/set":
        return { ...row, title: event.title };
      case "conversation/archived":
        return { ...row, archived: event.archived };
      case "fallbacks/set":
        return { ...row, fallbacks: event.choices };
      case "model/set":
        return { ...row, model: event.choice };
      case "mode/set":
        return { ...row, mode: event.mode };
      case "turn/start":
        return { ...row, generating: true, ended: null };
      case "turn/end":
        return { ...row, generating: false, pending: 0, ended: event.reason, unread: true };
      case "approval/requested":
      case "question/asked":
        return { ...row, pending: row.pending + 1 };
      case "approval/decided":
      case "question/answered":
        return { ...row, pending: Math.max(0, row.pending - 1) };
      case "queue/edited":
        return { ...row, queued: row.queued + (event.edit.edit === "added" ? 1 : event.edit.edit === "withdrawn" ? -1 : 0) };
      case "queue/taken":
        return { ...row, queued: row.queued - 1 };
      default:
        return row;
    }
  }
}

export function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
