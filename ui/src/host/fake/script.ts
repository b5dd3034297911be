// What the invented model answers, by the words it is sent. It invents the effects too: nothing outside of the page is touched.
import type { Brief, Card, FailureKind, FinishReason, Preview, Reason, Tier } from "../../protocol";
import { sha } from "./ids";
import * as samples from "./samples";

export type FakeCall = {
  name: string;
  arguments: Record<string, unknown>;
  target: string;
  tier: Tier;
  /** Shown before it may run; none: it runs unasked. */
  ask?: { reason: Reason; preview: Preview; added: number; removed: number };
  /** Waits for the call at this place of the same answer. */
  after?: number;
  output?: string;
  /** What it asks a person. */
  asks?: { question: string; options: string[] };
  /** What the sub-agent that works for it says and does. */
  agent?: readonly Step[];
  brief: Brief;
  milliseconds: number;
};

export type Step = {
  reasoning?: string;
  say: string;
  calls?: FakeCall[];
  finish?: FinishReason;
  /** The answer breaks off after its words. */
  breaks?: FailureKind;
  /** The turn's money is used up after this step. */
  dear?: boolean;
  /** The request never gets an answer. */
  fails?: FailureKind;
};

export function script(text: string): Step[] {
  const wants = (words: RegExp): boolean => words.test(text);
  if (wants(/\bfail\b|出错/i)) return [{ say: "", fails: "server" }];
  if (wants(/\bcut\b|断开/i)) return [{ say: samples.cutOff, breaks: "disconnected" }];
  if (wants(/\blimit\b|上限/i)) return [...Array.from({ length: 3 }, (_, index) => ({ say: "", calls: [read(`src/part-${index + 1}.rs`, 120 + index)] })), { say: samples.outOfSteps, finish: "stop" as const }];
  if (wants(/\bdear\b|昂贵/i)) return [{ say: samples.willRead, calls: [read("src/retry.rs", 88)], dear: true }];
  if (wants(/\battack\b/i)) return [{ say: samples.attack }];
  if (wants(/\bcount\b/i)) return [{ say: Array.from({ length: 400 }, (_, index) => `${index + 1}`).join(" ") }];
  if (wants(/\blong\b|很长/i)) return [{ reasoning: samples.thoughts, say: samples.long }];
  if (wants(/\bask\b|提问/i)) return [{ say: samples.willAsk, calls: [ask()] }, { say: samples.asked }];
  if (wants(/\bsteps?\b|步骤/i)) return [steps(1), { say: "", calls: [read("src/retry.rs", 88), read("tests/retry.rs", 61)] }, steps(2), { say: "", calls: [command()] }, steps(3), { say: samples.done }];
  if (wants(/\bagents?\b|子代理/i)) return [{ say: samples.willDispatch, calls: samples.tasks.map(dispatch) }, { say: samples.dispatched }];
  if (wants(/\bmany\b|三处/i)) return [{ say: samples.manyEdits, calls: [edit(), { ...edit("tests/retry.rs"), after: 0 }, command()] }, { say: samples.done }];
  if (wants(/\b(fix|edit|write|change)\b|修|改|写/i)) {
    return [
      { reasoning: samples.thoughts, say: "", calls: [read("src/retry.rs", 88), read("src/stream.rs", 214), read("tests/retry.rs", 61), search()] },
      { say: samples.finding, calls: [edit(), command()] },
      { say: samples.done },
    ];
  }
  if (wants(/\brun\b|运行/i)) return [{ say: samples.willRun, calls: [command()] }, { say: samples.done }];
  if (wants(/\bread\b|读/i)) return [{ say: samples.willRead, calls: [read("src/retry.rs", 88), read("README.md", 140)] }, { say: samples.afterRead }];
  if (/[\u4e00-\u9fff]/.test(text)) return [{ reasoning: samples.thoughts, say: samples.chinese }];
  return [{ say: `${samples.plain}\n\n> ${text.split("\n")[0] ?? ""}` }];
}

export function cardOf(call: FakeCall): Card {
  const ask = call.ask ?? { reason: { what: "look", target: call.target }, preview: { form: "read", path: call.target, bytes: 0 }, added: 0, removed: 0 };
  const isCommand = ask.preview.form === "command";
  return {
    digest: sha(JSON.stringify([call.name, call.arguments, ask])),
    tier: call.tier,
    reason: ask.reason,
    preview: ask.preview,
    touches: isCommand ? [] : [{ path: call.target, hash: sha(call.target) }],
    reach: {
      files: isCommand ? 0 : 1,
      added: ask.added,
      removed: ask.removed,
      tracked: isCommand ? null : "clean",
      inside: true,
      revertible: !isCommand,
      raised: null,
      last: isCommand ? { outcome: "ok", duration_ms: 14_200 } : null,
      warnings: [],
    },
    breadths: isCommand
      ? [{ rule: { tool: call.name, matcher: { by: "command", argv: ["cargo", "test"] } } }]
      : [{ rule: { tool: call.name, matcher: { by: "path", glob: call.target } } }, { rule: { tool: call.name, matcher: { by: "path", glob: "src/**" } } }],
  };
}

function read(path: string, lines: number): FakeCall {
  return { name: "read_file", arguments: { path }, target: path, tier: "low", output: samples.fileText(path), brief: { says: "lines", first: 1, last: lines, total: lines }, milliseconds: 10 };
}

function ask(): FakeCall {
  return { name: "ask_user", arguments: samples.question, target: samples.question.question, tier: "low", asks: samples.question, brief: { says: "done" }, milliseconds: 0 };
}

/** The list with this many steps done. */
function steps(done: number): Step {
  const items = samples.steps.map((text, index) => ({ text, state: index < done ? "done" : index === done ? "active" : "pending" }));
  return { say: "", calls: [{ name: "todo", arguments: { items }, target: "", tier: "low", output: "The list is kept.", brief: { says: "done" }, milliseconds: 5 }] };
}

function dispatch({ task, answer }: { task: string; answer: string }): FakeCall {
  const steps: Step[] = [{ say: "", calls: [search(), read("src/retry.rs", 88)] }, { say: "", calls: [read("src/stream.rs", 214)] }, { say: answer }];
  return { name: "dispatch_agent", arguments: { task }, target: task, tier: "low", agent: steps, brief: { says: "done" }, milliseconds: 0 };
}

function search(): FakeCall {
  return { name: "grep", arguments: { pattern: "backoff(" }, target: "backoff(", tier: "low", output: samples.matches, brief: { says: "matches", count: 7, files: 3, more: false }, milliseconds: 40 };
}

function edit(path = "src/retry.rs"): FakeCall {
  const file = samples.edit(path);
  return {
    name: "patch_file", arguments: { path, old: "loop {", new: "let response = loop {" }, target: path, tier: "medium",
    ask: { reason: { what: "edit", path, added: file.added, removed: file.removed }, preview: { form: "diff", files: [file] }, added: file.added, removed: file.removed },
    brief: { says: "changed", added: file.added, removed: file.removed }, milliseconds: 20,
  };
}

function command(line = "cargo test --workspace retry"): FakeCall {
  return {
    name: "run_command", arguments: { command: line }, target: line, tier: "high",
    ask: { reason: { what: "command", line, characters: line.length }, preview: { form: "command", command: line, folder: "", program: "/usr/bin/cargo", inner: [], timeout_s: 60, sandboxed: true }, added: 0, removed: 0 },
    output: samples.testOutput, brief: { says: "exit", code: 0, signal: null }, milliseconds: 1400,
  };
}
