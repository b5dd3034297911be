// What a card says of a call, in the language in force: its title, its reach and its warnings.
// It judges nothing: tier, reach and offers come from the engine as they are.
import { bytes, duration, m } from "../locales";
import type { Card, FileNote, LastRun, LineEnding, Raised, Reason, Tier, Tracked, Warning } from "../protocol";

export function tierWord(tier: Tier): string {
  return { low: m.approval_low, medium: m.approval_medium, high: m.approval_high }[tier]();
}

/** The colour that goes with the word. */
export function tierTone(tier: Tier): "quiet" | "amber" | "red" {
  return ({ low: "quiet", medium: "amber", high: "red" } as const)[tier];
}

export function title(reason: Reason): string {
  switch (reason.what) {
    case "create":
      return m.approval_create({ path: reason.path });
    case "overwrite":
      return m.approval_overwrite({ path: reason.path });
    case "edit":
      return m.approval_edit({ path: reason.path });
    case "append":
      return m.approval_append({ path: reason.path });
    case "delete":
      return m.approval_delete({ path: reason.path });
    case "rename":
      return m.approval_rename({ from: reason.from, to: reason.to });
    case "command":
      return m.approval_command();
    case "read-secret":
      return m.approval_read_secret({ path: reason.path });
    case "read-repository":
      return m.approval_read_repository({ folder: reason.folder });
    case "look":
      return m.approval_look({ target: reason.target });
  }
}

/** The title for a list, where the preview is not beside it: a command is named by its first line. */
export function shortTitle(reason: Reason): string {
  return reason.what === "command" ? reason.line : title(reason);
}

/** One thing on the reach line. `text` is ours; `strong` may be what a model wrote, and is shown with everything visible. */
export type Told = { text: string; strong?: string; tone?: "red" | "amber" };

const TRACKED: Record<Tracked, () => string> = { clean: m.approval_clean, dirty: m.approval_dirty, untracked: m.approval_untracked, ignored: m.approval_ignored };
const RAISED: Record<Raised, () => string> = { "runs-later": m.approval_runs_later, "steers-assistant": m.approval_steers, secret: m.approval_secret, elsewhere: m.approval_elsewhere };

/** The blast radius in words, in the order in which people need it. `folder` is the workspace, `model` who answers. */
export function reachOf({ reach, preview, reason }: Card, folder: string | null, model: string | null): Told[] {
  const told: Told[] = [];
  const isRead = preview.form === "read" || preview.form === "repository";
  if (preview.form === "command") {
    const place = [folder, preview.folder].filter((part): part is string => part !== null && part !== "").join("/");
    if (place !== "") told.push({ text: m.approval_in_folder(), strong: place });
    told.push({ text: m.approval_timeout({ count: preview.timeout_s }) });
    told.push(preview.sandboxed ? { text: m.approval_sandboxed() } : { text: m.approval_unsandboxed(), tone: "red" });
    if (preview.program !== null) told.push({ text: m.approval_program(), strong: preview.program });
    if (preview.inner.length > 0) told.push({ text: m.approval_inner(), strong: sequence(preview.inner), tone: "red" });
  } else if (isRead) {
    if (preview.form === "read") told.push({ text: "", strong: bytes(preview.bytes) });
    told.push({ text: model === null ? m.approval_sent() : m.approval_sent_to({ model }), tone: "amber" });
  } else if (reason.what === "delete" && reason.entries > 1) {
    told.push({ text: "", strong: m.approval_entries({ count: reason.entries }) });
  } else {
    told.push({ text: changes(reach.added, reach.removed), strong: m.approval_files({ count: reach.files }) });
  }
  if (reach.tracked !== null) told.push({ text: TRACKED[reach.tracked]() });
  if (preview.form !== "command" || !reach.inside) told.push(reach.inside ? { text: m.approval_inside() } : { text: m.approval_outside(), tone: "red" });
  if (!isRead) told.push({ text: reach.revertible ? m.approval_revertible() : m.approval_final() });
  if (reach.raised !== null) told.push({ text: RAISED[reach.raised](), tone: "amber" });
  if (reach.last !== null) told.push({ text: lastTime(reach.last) });
  return told;
}

/** Programs in their order; one that follows itself is named once and counted. */
function sequence(programs: readonly string[]): string {
  const runs: { program: string; times: number }[] = [];
  for (const program of programs) {
    const last = runs.at(-1);
    if (last?.program === program) last.times += 1;
    else runs.push({ program, times: 1 });
  }
  return runs.map(({ program, times }) => (times > 1 ? `${program} ×${times}` : program)).join(" › ");
}

/** +4 −3; empty where nothing is counted. */
function changes(added: number, removed: number): string {
  return added === 0 && removed === 0 ? "" : `+${added} −${removed}`;
}

function lastTime({ outcome, duration_ms }: LastRun): string {
  const word = { ok: m.approval_last_ok, error: m.approval_last_error, rejected: m.approval_last_rejected, stopped: m.approval_last_stopped, unknown: m.approval_last_unknown }[outcome]();
  return m.approval_last({ outcome: word, time: duration(duration_ms) });
}

export function warn(warning: Warning): string {
  switch (warning.of) {
    case "program-in-workspace":
      return m.approval_warn_program({ program: warning.program });
    case "not-plain":
      return m.approval_warn_not_plain();
    case "invisible":
      return m.approval_warn_invisible();
    case "script":
      return m.approval_warn_script({ path: warning.path });
    case "hard-links":
      return m.approval_warn_hard_links();
    case "unsandboxed":
      return m.approval_warn_unsandboxed();
    case "no-sandbox":
      return m.approval_warn_no_sandbox();
    case "linked-worktree":
      return m.approval_warn_linked_worktree({ folder: warning.folder });
  }
}

const ENDS: Record<LineEnding, () => string> = { none: m.approval_note_ends_none, lf: () => "LF", crlf: () => "CRLF", cr: () => "CR", mixed: m.approval_note_ends_mixed };

/** What a diff can't show of a file. */
export function noteWords(note: FileNote): string {
  switch (note.of) {
    case "kept": {
      const encoding = note.bom ? m.approval_note_bom({ encoding: note.encoding }) : note.encoding;
      return m.approval_note_kept({ form: note.line_ends === null ? encoding : m.approval_note_ends({ encoding, ends: ENDS[note.line_ends]() }) });
    }
    case "line-ends":
      return m.approval_note_line_ends({ from: ENDS[note.from](), to: ENDS[note.to]() });
    case "last-line-ended":
      return m.approval_note_last_ended();
    case "last-line-opened":
      return m.approval_note_last_opened();
    case "goes-on-in-last-line":
      return m.approval_note_goes_on();
    case "read-only":
      return m.approval_note_read_only();
    case "hidden":
      return m.approval_note_hidden({ count: note.lines });
    case "folder": {
      const folder = m.approval_note_folder({ count: note.entries });
      return note.bytes === null ? folder : m.approval_note_folder_size({ folder, size: bytes(note.bytes) });
    }
    case "link":
      return m.approval_note_link();
    case "through-link":
      return m.approval_note_through_link({ path: note.path });
    case "special":
      return m.approval_note_special();
    case "large":
      return m.approval_note_large({ size: bytes(note.bytes) });
    case "secret":
      return m.approval_note_secret({ size: bytes(note.bytes) });
    case "binary":
    case "not-text":
      return m.approval_note_binary({ size: bytes(note.bytes) });
  }
}
