// Invented calls and cards in every state, for the gallery and for tests.
import type { Card, Event, FileDiff, Hunk, Outcome, PendingRow, Preview, Reach, Reason, Tier, ToolCall as Judged, ToolResult } from "../protocol";
import { ToolCall } from "../state";

export const CONVERSATION = "conversation-1";
let counter = 0;
const sha = (text: string): string => text.padEnd(64, "0");

const reach: Reach = { files: 1, added: 4, removed: 3, tracked: "clean", inside: true, revertible: true, raised: null, last: null, warnings: [] };

export function hunk(start: number, text: string, fresh = start): Hunk {
  return { old_start: start, new_start: fresh, lines: text.split("\n").map((line) => ({ mark: line[0] as " " | "+" | "-", text: line.slice(1) })) };
}

export const retryFile: FileDiff = {
  path: "src/retry.rs",
  resolved: null,
  change: { is: "modified" },
  hunks: [
    hunk(40, "-    loop {\n-        match self.stream(request).await {\n+    let response = loop {\n+        match self.open(request).await {\n             Ok(response) => break response,"),
    hunk(57, "-    Err(last)\n+    // The stream has begun: what arrived is kept.\n+    self.follow(response).await\n }"),
  ],
  old_lines: 88,
  added: 4,
  removed: 3,
  notes: [],
};

export function editCard(over: Partial<Card> = {}): Card {
  return {
    digest: sha(`card${(counter += 1)}`),
    tier: "medium",
    reason: { what: "edit", path: "src/retry.rs", added: 4, removed: 3 },
    preview: { form: "diff", files: [retryFile] },
    touches: [{ path: "src/retry.rs", hash: sha("a") }],
    reach,
    breadths: [{ rule: { tool: "patch_file", matcher: { by: "path", glob: "src/retry.rs" } } }, { rule: { tool: "patch_file", matcher: { by: "path", glob: "**" } } }],
    ...over,
  };
}

type Command = Extract<Preview, { form: "command" }>;

export function commandCard(command: string, preview: Partial<Command> = {}, over: Partial<Card> = {}): Card {
  return {
    digest: sha(`card${(counter += 1)}`),
    tier: "high",
    reason: { what: "command", line: command.split("\n")[0]?.slice(0, 120) ?? "", characters: Array.from(command).length },
    preview: { form: "command", command, folder: "", program: null, inner: [], timeout_s: 60, sandboxed: true, ...preview },
    touches: [],
    reach: { ...reach, files: 0, added: 0, removed: 0, tracked: null, revertible: false, last: { outcome: "ok", duration_ms: 14_000 } },
    breadths: [{ rule: { tool: "run_command", matcher: { by: "command", argv: command.split(" ") } } }],
    ...over,
  };
}

export const fileCard = (tier: Tier, reason: Reason, files: FileDiff[], over: Partial<Reach> = {}): Card => editCard({ tier, reason, preview: { form: "diff", files }, reach: { ...reach, ...over } });

const main = "/home/ann/work/assent/.git";

export const repositoryCard = (folder = main): Card =>
  editCard({ reason: { what: "read-repository", folder }, preview: { form: "repository", path: folder }, touches: [{ path: folder, hash: null }], reach: { ...reach, files: 0, added: 0, removed: 0, tracked: null, inside: false, revertible: false, raised: "elsewhere", warnings: [{ of: "linked-worktree", folder }] }, breadths: [{ rule: { tool: "git", matcher: { by: "repository", folder } } }] });

export const secretCard = (): Card =>
  editCard({ reason: { what: "read-secret", path: ".env" }, preview: { form: "read", path: ".env", bytes: 312 }, reach: { ...reach, files: 0, added: 0, removed: 0, tracked: "ignored", revertible: false, raised: "secret" }, breadths: [{ rule: { tool: "read_file", matcher: { by: "path", glob: ".env" } } }] });

/** A card with everything that can't be seen, pads or moves: P60. */
export const NASTY = { path: "src/a\u202eb\u200b\u001b[2K.rs", command: `cargo test\u200b --workspace \u202eretry${"\t".repeat(300)}; rm x\u001b[1A\u2066 `, tool: "patch\u200b_file" };

export const longFile = (lines: number): FileDiff => ({ ...retryFile, hunks: [hunk(1, Array.from({ length: lines }, (_, n) => `+const row${n} = ${n};`).join("\n"))], old_lines: 0, added: lines, removed: 0 });

type Told = Partial<Omit<Judged, "call">> & { result?: Partial<ToolResult> & { outcome: Outcome }; events?: Omit<Extract<Event, { call: string }>, "conversation" | "seq" | "call">[] };

/** A call that was judged, and everything that happened to it since. `at` counts from a fixed moment unless given. */
export function makeCall(name: string, target: string, { result, events = [], ...judged }: Told = {}, at = Date.now()): ToolCall {
  const id = `call-${(counter += 1)}`;
  const raw = judged.arguments ?? JSON.stringify(name === "run_command" ? { command: target } : { path: target });
  const call = new ToolCall(CONVERSATION, { call: id, provider_call: id, name, arguments: raw } as never);
  const head = { conversation: CONVERSATION, seq: 1, at, call: id };
  call.apply({ ...head, kind: "tool/call", name, arguments: raw, tier: "low", read_only: true, verdict: { answer: "run", by: "tool" }, digest: null, paths: [target], target, ...judged } as never);
  for (const event of events) call.apply({ ...head, ...event } as never);
  if (result) {
    if (result.outcome !== "rejected") call.apply({ ...head, kind: "tool/started", attempt: 1, boot: "boot-1", at: at - (result.duration_ms ?? 10) } as never);
    call.apply({ ...head, kind: "tool/result", shown: "done", brief: { says: "done" }, duration_ms: 14, ...result } as never);
  }
  return call;
}

export const read = (path: string, last: number, total = last): ToolCall => makeCall("read_file", path, { result: { outcome: "ok", brief: { says: "lines", first: 1, last, total }, duration_ms: 4, shown: `1\tline of ${path}` } });

export function pending(card: Card, name = "patch_file", at = Date.now() - 20_000, again: "changed" | "approved-before-restart" | null = null): ToolCall {
  return makeCall(name, "src/retry.rs", { read_only: false, tier: card.tier, verdict: { answer: "ask" }, events: [{ kind: "approval/requested", card, again, at } as never] }, at);
}

export const pendingRow = (card: Card, title: string, project: string | null, since = Date.now() - 20_000, conversation = CONVERSATION): PendingRow => ({ call: `call-${(counter += 1)}`, conversation, title, project, tool: "patch_file", card, since });

/** Calls in every state that a row can show. */
export function everyState(): ToolCall[] {
  const changed = { says: "changed", added: 4, removed: 3 } as const;
  const effects = [{ path: "src/retry.rs", before: sha("a"), after: sha("b"), moved_to: null, added: 4, removed: 3 }];
  const run = (command: string, result: Partial<ToolResult> & { outcome: Outcome }): ToolCall => makeCall("run_command", command, { tier: "high", read_only: false, result });
  const running = makeCall("run_command", "cargo test --workspace retry", { tier: "high", read_only: false, events: [{ kind: "tool/started", attempt: 1, boot: "boot-1", at: Date.now() - 12_000 } as never] });
  running.add({ of: "output", call: running.call, offset: 0, text: "\u001b[1m   Compiling\u001b[0m atlas v0.4.0\n    Finished test profile in 9.81s\ntest retry::opens ... \u001b[32mok\u001b[0m\n" });
  const edited = makeCall("patch_file", "src/retry.rs", { read_only: false, events: [{ kind: "approval/requested", card: editCard() } as never, { kind: "approval/decided", card: "", answer: "approved", by: "user", scope: { reach: "once" } } as never], result: { outcome: "ok", brief: changed, effects, shown: "Edited src/retry.rs: +4 −3" } });
  const reverted = makeCall("write_file", "notes/整理 六月.md", { read_only: false, result: { outcome: "ok", brief: changed, effects } });
  reverted.apply({ conversation: CONVERSATION, seq: 9, at: 0, kind: "effect/reverted", call: reverted.call, effects: [] });
  const marked = makeCall("append_file", "log.txt", { read_only: false, result: { outcome: "unknown" } });
  marked.apply({ conversation: CONVERSATION, seq: 9, at: 0, kind: "tool/resolved", call: marked.call, mark: "not-done" });
  return [
    read("src/retry.rs", 88), read("src/stream.rs", 212, 640), read("tests/retry.rs", 40),
    makeCall("grep", '"backoff("', { result: { outcome: "ok", brief: { says: "matches", count: 7, files: 3, more: false }, shown: "src/retry.rs:12: backoff(" } }),
    makeCall("list_directory", "src", { result: { outcome: "ok", brief: { says: "entries", count: 24, more: false } } }),
    edited,
    run("cargo test --workspace retry", { outcome: "ok", brief: { says: "exit", code: 0, signal: null }, duration_ms: 14_000, shown: "\u001b[1mrunning 3 tests\u001b[0m\ntest retry::opens ... \u001b[32mok\u001b[0m\ntest retry::keeps ... \u001b[32mok\u001b[0m\n" }),
    run("cargo clippy", { outcome: "error", brief: { says: "exit", code: 101, signal: null }, duration_ms: 3200, shown: "error: unused variable" }),
    running,
    makeCall("patch_file", "src/stream.rs", { read_only: false, result: { outcome: "error", cause: "refused", shown: "The text to replace was not found in src/stream.rs. Nearest match at line 12:\n    loop {" } }),
    makeCall("write_file", "src/lib.rs", { read_only: false, events: [{ kind: "approval/decided", card: "", answer: "rejected", by: "user", scope: { reach: "once" }, note: "Use the module that is there already." } as never], result: { outcome: "rejected", cause: "user" } }),
    makeCall("delete_file", "target", { tier: "high", read_only: false, result: { outcome: "rejected", cause: "mode" } }),
    run("npm run dev", { outcome: "stopped", cause: "user", duration_ms: 42_000 }),
    reverted,
    makeCall("write_file", "CHANGELOG.md", { read_only: false, result: { outcome: "ok", recovered: true, brief: changed, effects } }),
    run("./deploy.sh staging", { outcome: "unknown" }),
    marked,
    makeCall("run_command", "cargo fmt", { tier: "high", read_only: false, verdict: { answer: "defer", after: edited.call } }),
    makeCall("mcp_calendar_add", "Standup", { read_only: false, result: { outcome: "ok", brief: { says: "done" } } }),
    makeCall("read_file", "src/very/long/path/that/goes/on/and/on/and/never/seems/to/end/because/people/nest/folders/like/that/整理.rs", { result: { outcome: "ok", brief: { says: "lines", first: 1, last: 212, total: 640 } } }),
  ];
}
