// What stands at the right edge of a call's row: its result in a few words, or how far it is. It looks at one call alone.
import { bytes, duration, m } from "../locales";
import type { Brief, Cause, ToolResult } from "../protocol";
import type { ToolCall } from "../state";

export type Tone = "quiet" | "red" | "amber";
export type Words = { text: string; tone: Tone };

export function brief(says: Brief): string {
  switch (says.says) {
    case "lines":
      return says.first <= 1 && says.last === says.total ? m.tools_lines_all({ count: says.total }) : m.tools_lines({ first: says.first, last: says.last, total: says.total });
    case "entries":
      return says.more ? m.tools_entries_more({ count: says.count }) : m.tools_entries({ count: says.count });
    case "matches": {
      if (says.count === 0) return m.tools_no_matches();
      const files = m.tools_files({ count: says.files });
      return says.more ? m.tools_matches_more({ count: says.count, files }) : m.tools_matches({ count: says.count, files });
    }
    case "changed":
      return says.added === 0 && says.removed === 0 ? m.tools_no_lines() : `+${says.added} −${says.removed}`;
    case "exit":
      if (says.code !== null) return m.tools_exit({ code: says.code });
      return says.signal === null ? m.tools_ended() : m.tools_signal({ signal: says.signal });
    case "bytes":
      return bytes(says.bytes);
    case "done":
      return "";
  }
}

const REJECTED: Partial<Record<Cause, () => string>> = {
  user: m.tools_rejected_user,
  rule: m.tools_rejected_rule,
  mode: m.tools_rejected_mode,
  stop: m.tools_rejected_stop,
  repeated: m.tools_rejected_repeated,
  budget: m.tools_rejected_budget,
  "unknown-tool": m.tools_rejected_unknown_tool,
  "bad-arguments": m.tools_rejected_arguments,
  interrupted: m.tools_interrupted,
};

const quiet = (text: string): Words => ({ text, tone: "quiet" });

/** Who let it run, where nobody was asked. */
function permission({ decidedBy }: ToolCall): Words[] {
  if (decidedBy === "rule") return [quiet(m.tools_by_rule())];
  return decidedBy === "mode" ? [quiet(m.tools_by_mode())] : [];
}

function ended(call: ToolCall, result: ToolResult): Words[] {
  const cause = result.cause ?? null;
  const said = brief(result.brief);
  switch (result.outcome) {
    case "ok":
      if (call.answered !== null) return [quiet(call.answered)];
      return [...permission(call), ...(result.recovered ? [quiet(m.tools_recovered())] : []), ...(call.reverted ? [{ text: m.tools_reverted(), tone: "amber" as const }] : []), ...(said === "" ? [] : [quiet(said)])];
    case "error": {
      const specific = cause === "unknown-tool" ? m.tools_rejected_unknown_tool() : cause === "bad-arguments" ? m.tools_rejected_arguments() : cause === "timeout" ? m.tools_timeout() : null;
      const text = specific ?? (result.brief.says === "exit" ? said : m.tools_failed());
      return [{ text, tone: "red" }];
    }
    case "rejected":
      return [{ text: (cause && REJECTED[cause]?.()) ?? m.tools_rejected_tool(), tone: cause === "user" ? "amber" : "red" }];
    case "stopped":
      return [{ text: cause === "interrupted" ? m.tools_interrupted() : cause === "timeout" ? m.tools_timeout() : m.tools_stopped(), tone: "amber" }];
    case "unknown":
      if (call.resolved === "done") return [quiet(m.tools_marked_done())];
      if (call.resolved === "not-done") return [quiet(m.tools_marked_not_done())];
      return [{ text: m.tools_unknown(), tone: "amber" }];
  }
}

/** The state of a call that doesn't run, in words; running ones are told with their time by the row itself. */
export function status(call: ToolCall, before: ToolCall | undefined): Words[] {
  if (call.result) return ended(call, call.result);
  switch (call.state) {
    case "deferred": {
      const form = before?.card?.preview.form;
      return [quiet(form === "diff" ? m.tools_after_edit() : form === "command" ? m.tools_after_command() : m.tools_after_other())];
    }
    case "pending":
    case "asked":
      return [{ text: m.tools_pending(), tone: "amber" }];
    case "approved":
      return [quiet(m.tools_approved())];
    case "done":
      return call.answer === "rejected" ? [{ text: m.tools_rejected_user(), tone: "amber" }] : [];
    case "proposed":
      return [quiet(m.tools_proposed())];
    case "running":
      return [];
  }
}

/** How long it took; nothing where it took no time that a person could tell. */
export function took(milliseconds: number): Words[] {
  return milliseconds < 10 ? [] : [quiet(duration(milliseconds))];
}

/** Whether it changed files in a way that can be taken back now. */
export function revertible({ result, reverted, inherited }: ToolCall): boolean {
  return !inherited && !reverted && result?.outcome === "ok" && (result.effects?.length ?? 0) > 0;
}

/** Whether a person has to say what came of it. */
export function unresolved({ result, resolved, inherited }: ToolCall): boolean {
  return !inherited && result?.outcome === "unknown" && resolved === null;
}
