// What a diff shows, row by row: which lines, which are folded, and how many changed lines nobody has seen yet.
// Pure: what is open and what was reached comes in from outside.
import { tally, type DiffFile, type DiffLine } from "./model";
import { pairs } from "./pairs";

export type Layout = "unified" | "split";

export type Row = { id: string } & (
  | { kind: "file"; index: number; file: DiffFile; open: boolean; added: number; removed: number }
  | { kind: "note"; note: "binary" | "empty" }
  /** Unchanged lines that are not at hand. */
  | { kind: "gap"; count: number }
  /** Unchanged lines that can be opened. */
  | { kind: "fold"; count: number }
  /** Changes that are not shown yet. */
  | { kind: "more"; changes: number; from: number; to: number }
  | { kind: "line"; line: DiffLine }
  | { kind: "pair"; left: DiffLine | null; right: DiffLine | null }
);

export type View = {
  layout: Layout;
  /** Unchanged lines kept around a change. */
  context: number;
  /** Rows of a file shown at first; what follows is behind one fold that counts its changes. */
  limit: number;
  /** Whether each file has a row of its own that folds it. */
  headers: boolean;
  /** Ids of the folds that were opened. */
  opened: ReadonlySet<string>;
  /** Indexes of the files that are folded. */
  folded: ReadonlySet<number>;
};

/** Longer folds than this are worth a click; shorter ones are shown. */
const SHORTEST_FOLD = 4;
/** A cut that would leave fewer rows than this behind the fold isn't made. */
const SHORTEST_REST = 8;

/** The rows, and the number of changed lines behind folds. */
export function diffRows(files: readonly DiffFile[], view: View): { rows: Row[]; hidden: number } {
  const rows: Row[] = [];
  let hidden = 0;
  files.forEach((file, index) => {
    const { added, removed } = tally(file);
    const open = !view.folded.has(index);
    if (view.headers) rows.push({ id: `file:${index}`, kind: "file", index, file, open, added, removed });
    if (!open) {
      hidden += added + removed;
      return;
    }
    const all = fileRows(file, index, view);
    const cut = cutAt(all, index, view);
    rows.push(...all.slice(0, cut));
    if (cut === all.length) return;
    const rest = all.slice(cut);
    const more = moreRow(rest, index);
    hidden += countChanged(rest);
    rows.push(more);
  });
  return { rows, hidden };
}

/** Changed lines among the rows from `start` on. */
export function countChanged(rows: readonly Row[], start = 0): number {
  let count = 0;
  for (let at = start; at < rows.length; at += 1) {
    const row = rows[at];
    if (row?.kind === "line" && row.line.mark !== " ") count += 1;
    if (row?.kind === "pair") count += (row.left && row.left.mark !== " " ? 1 : 0) + (row.right && row.right.mark !== " " ? 1 : 0);
  }
  return count;
}

function fileRows(file: DiffFile, index: number, view: View): Row[] {
  if (file.binary) return [{ id: `note:${index}`, kind: "note", note: "binary" }];
  if (file.hunks.every((hunk) => hunk.lines.length === 0)) return [{ id: `note:${index}`, kind: "note", note: "empty" }];
  const rows: Row[] = [];
  let next = 1;
  file.hunks.forEach((hunk, at) => {
    const first = hunk.lines.find((line) => line.new !== undefined)?.new ?? next;
    // A hunk that only removes says nothing about the new file; its first old line is as far from the last one.
    if (first > next) rows.push({ id: `gap:${index}:${at}`, kind: "gap", count: first - next });
    rows.push(...hunkRows(hunk.lines, `${index}:${at}`, view));
    next = lastNew(hunk.lines, first - 1) + 1;
  });
  if (file.lines !== undefined && file.lines >= next) rows.push({ id: `gap:${index}:end`, kind: "gap", count: file.lines - next + 1 });
  return rows;
}

function lastNew(lines: readonly DiffLine[], otherwise: number): number {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const number = lines[at]?.new;
    if (number !== undefined) return number;
  }
  return otherwise;
}

function hunkRows(lines: readonly DiffLine[], id: string, view: View): Row[] {
  const rows: Row[] = [];
  let at = 0;
  while (at < lines.length) {
    const start = at;
    const same = lines[at]?.mark === " ";
    while (at < lines.length && (lines[at]?.mark === " ") === same) at += 1;
    const run = lines.slice(start, at);
    if (!same) {
      rows.push(...plainRows(run, `${id}:${start}`, view.layout));
      continue;
    }
    const before = start === 0 ? 0 : view.context;
    const after = at === lines.length ? 0 : view.context;
    const foldId = `fold:${id}:${start}`;
    if (run.length - before - after < SHORTEST_FOLD || view.opened.has(foldId)) {
      rows.push(...plainRows(run, `${id}:${start}`, view.layout));
      continue;
    }
    rows.push(...plainRows(run.slice(0, before), `${id}:${start}`, view.layout));
    rows.push({ id: foldId, kind: "fold", count: run.length - before - after });
    rows.push(...plainRows(run.slice(run.length - after), `${id}:${at - after}`, view.layout));
  }
  return rows;
}

function plainRows(lines: readonly DiffLine[], id: string, layout: Layout): Row[] {
  if (layout === "unified") return lines.map((line, at) => ({ id: `${id}+${at}`, kind: "line", line }));
  return pairs(lines).map(([left, right], at) => ({ id: `${id}*${at}`, kind: "pair", left, right }));
}

function cutAt(rows: readonly Row[], index: number, view: View): number {
  if (view.opened.has(`more:${index}`) || rows.length < view.limit + SHORTEST_REST) return rows.length;
  // What follows a cut must hold a change, else there is nothing to promise.
  return countChanged(rows, view.limit) > 0 ? view.limit : rows.length;
}

function moreRow(rest: readonly Row[], index: number): Row {
  let changes = 0;
  let from = 0;
  let to = 0;
  let inside = false;
  for (const row of rest) {
    const changed = changedLines(row);
    if (changed.length > 0 && !inside) changes += 1;
    inside = changed.length > 0;
    for (const line of changed) {
      const number = line.new ?? line.old ?? 0;
      from = from === 0 ? number : Math.min(from, number);
      to = Math.max(to, number);
    }
  }
  return { id: `more:${index}`, kind: "more", changes, from, to };
}

function changedLines(row: Row): DiffLine[] {
  if (row.kind === "line") return row.line.mark === " " ? [] : [row.line];
  if (row.kind !== "pair") return [];
  return [row.left, row.right].filter((line): line is DiffLine => line !== null && line.mark !== " ");
}
