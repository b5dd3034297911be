// One call that the model proposed: judged, asked about, run, ended. What each event means for the conversation is not known here.
import type { Again, Answer, CallId, Card, Cause, ConversationId, Decider, Delta, Event, Mark, Preview, ProposedCall, Rule, Tier, ToolResult, Verdict } from "../protocol";
import type { CallEvent } from "./call-event";
import { addition, utf8Length } from "./text";

export type CallState = "proposed" | "deferred" | "pending" | "asked" | "approved" | "running" | "done";

/** Live output as far as it came; `start` and `end` are its place in the whole, in bytes. */
export type LiveOutput = { text: string; start: number; end: number };

/** Live output is kept to this many characters; the whole is on disk and read in pages. */
const MOST_OUTPUT = 5_000_000;

export class ToolCall {
  readonly conversation: ConversationId;
  readonly call: CallId;
  name = $state("");
  /** Argument text as the model wrote it. */
  arguments = $state("");
  /** What it looks at or acts on. */
  target = $state("");
  tier = $state<Tier | null>(null);
  readOnly = $state(false);
  verdict = $state.raw<Verdict | null>(null);
  /** Why it was refused, where it was. */
  cause = $state<Cause | null>(null);
  paths = $state.raw<readonly string[]>([]);
  state = $state<CallState>("proposed");
  /** The call whose end it waits for. */
  after = $state<CallId | null>(null);
  card = $state.raw<Card | null>(null);
  /** Why the card is shown anew. */
  cardAgain = $state<Again | null>(null);
  /** Since when the card or the question waits: milliseconds since 1970. */
  since = $state(0);
  answer = $state<Answer | null>(null);
  decidedBy = $state<Decider | null>(null);
  /** The rule that let it pass, and whether a person took that rule back since. */
  rule = $state.raw<Rule | null>(null);
  ruleRevoked = $state(false);
  /** The change that it makes unasked; what was asked for has it on its card. */
  unasked = $state.raw<Preview | null>(null);
  note = $state<string | null>(null);
  startedAt = $state<number | null>(null);
  result = $state.raw<ToolResult | null>(null);
  output = $state.raw<LiveOutput>({ text: "", start: 0, end: 0 });
  reverted = $state(false);
  /** It belongs to the conversation that this one is a fork of. */
  inherited = $state(false);
  /** What it asks a person. */
  question = $state.raw<{ question: string; options: readonly string[] } | null>(null);
  /** What the person answered. */
  answered = $state<string | null>(null);
  /** The sub-agent that works for it, or did. */
  agent = $state<ConversationId | null>(null);
  /** What that used. */
  agentUsed = $state.raw<{ iterations: number; cost_micros: number | null } | null>(null);
  /** A person's mark on an unknown outcome. */
  resolved = $state<Mark | null>(null);

  constructor(conversation: ConversationId, proposed: ProposedCall) {
    this.conversation = conversation;
    this.call = proposed.call;
    this.name = proposed.name;
    this.arguments = proposed.arguments;
  }

  /** It belongs to the conversation that this one is a fork of: what can be done about it is done there, and what was open ends here
   *  without a result. */
  leftBehind(): void {
    this.inherited = true;
    if (this.state === "done") return;
    this.state = "done";
    this.card = null;
    this.result = { call: this.call, outcome: "stopped", cause: "interrupted", shown: "", brief: { says: "done" }, duration_ms: 0 };
  }

  apply(event: CallEvent): void {
    switch (event.kind) {
      case "tool/call":
        return this.#judged(event);
      case "approval/requested":
        this.state = "pending";
        this.card = event.card;
        this.cardAgain = event.again ?? null;
        this.since = event.at;
        this.answer = null;
        return;
      case "approval/decided":
        this.answer = event.answer;
        this.decidedBy = event.by;
        this.note = event.note ?? null;
        this.state = event.answer === "approved" ? "approved" : "done";
        return;
      case "tool/started":
        this.state = "running";
        this.startedAt = event.at;
        return;
      case "tool/result":
        this.state = "done";
        this.result = event;
        this.cause = event.cause ?? this.cause;
        return;
      case "question/asked":
        this.state = "asked";
        this.question = { question: event.question, options: event.options ?? [] };
        this.since = event.at;
        return;
      case "question/answered":
        this.answered = event.answer;
        return;
      case "agent/started":
        this.agent = event.agent;
        return;
      case "agent/ended":
        this.agentUsed = event;
        return;
      case "tool/resolved":
        this.resolved = event.mark;
        return;
      case "effect/reverted":
        this.reverted = true;
    }
  }

  /** Adds live output. What comes after a hole is shown without what is missing; the whole can be read when the call has ended. */
  add({ offset, text }: Extract<Delta, { of: "output" }>): void {
    const { text: old, start, end } = this.output;
    const added = old === "" ? null : addition(end, offset, text);
    if (added === null) {
      this.output = { text, start: offset, end: offset + utf8Length(text) };
      return;
    }
    if (added === "") return;
    const whole = old + added;
    const cut = whole.length > MOST_OUTPUT ? whole.length - MOST_OUTPUT : 0;
    this.output = { text: whole.slice(cut), start: cut === 0 ? start : start + utf8Length(whole.slice(0, cut)), end: end + utf8Length(added) };
  }

  /** A person took a rule back. */
  revoked(rule: Rule): void {
    if (this.rule !== null && JSON.stringify(this.rule) === JSON.stringify(rule)) this.ruleRevoked = true;
  }

  #judged(event: Extract<Event, { kind: "tool/call" }>): void {
    this.name = event.name;
    this.arguments = event.arguments;
    this.target = event.target;
    this.tier = event.tier;
    this.readOnly = event.read_only;
    this.verdict = event.verdict;
    this.cause = event.cause ?? null;
    this.paths = event.paths;
    this.unasked = event.preview ?? null;
    const { verdict } = event;
    this.rule = verdict.answer === "run" ? (verdict.rule ?? null) : null;
    this.after = verdict.answer === "defer" ? verdict.after : null;
    if (verdict.answer === "run") {
      this.decidedBy = verdict.by;
      this.state = "approved";
    } else if (verdict.answer === "refuse") {
      this.decidedBy = verdict.by;
    } else {
      // Between this event and the card there is nothing yet to decide on.
      this.state = verdict.answer === "defer" ? "deferred" : "proposed";
    }
  }
}
