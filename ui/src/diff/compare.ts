// Two texts line by line as a change, for what no tool has compared. It finds the shortest script of added and removed lines (Myers).
import type { DiffFile, DiffLine } from "./model";

/** Lines around each change that are kept. */
const CONTEXT = 3;
/** Texts that differ in more lines than this are taken as replaced from the first difference to the last. */
const MOST = 600;

/** `same` says whether two lines count as one; by default equal ones do. */
export function compare(path: string, before: string, after: string, same: (a: string, b: string) => boolean = (a, b) => a === b): DiffFile {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < fresh.length && same(at(old, start), at(fresh, start))) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && same(at(old, old.length - 1 - end), at(fresh, fresh.length - 1 - end))) end += 1;
  const marks = script(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end), same);
  const all = [..." ".repeat(start), ...marks, ..." ".repeat(end)] as DiffLine["mark"][];
  return { path, kind: "changed", hunks: hunks(numbered(all, old, fresh)), lines: fresh.length };
}

function numbered(marks: readonly DiffLine["mark"][], old: readonly string[], fresh: readonly string[]): DiffLine[] {
  let [a, b] = [0, 0];
  return marks.map((mark) => {
    if (mark === "-") return { mark, old: (a += 1), text: at(old, a - 1) };
    b += 1;
    if (mark === "+") return { mark, new: b, text: at(fresh, b - 1) };
    a += 1;
    return { mark, old: a, new: b, text: at(fresh, b - 1) };
  });
}

/** What is within reach of a change, run by run. */
function hunks(lines: readonly DiffLine[]): { lines: DiffLine[] }[] {
  const near = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark !== " ") for (let by = -CONTEXT; by <= CONTEXT; by += 1) near.add(index + by);
  }
  const found: { lines: DiffLine[] }[] = [];
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) continue;
    if (found.length === 0 || !near.has(index - 1) || index === 0) found.push({ lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found;
}

/** The marks that make `fresh` of `old`. */
function script(old: readonly string[], fresh: readonly string[], same: (a: string, b: string) => boolean): DiffLine["mark"][] {
  // What is only added or only removed needs no search.
  const most = old.length === 0 || fresh.length === 0 ? -1 : Math.min(MOST, old.length + fresh.length);
  const reach = new Map<number, number>([[1, 0]]);
  const steps: Map<number, number>[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    steps.push(new Map(reach));
    for (let way = -edits; way <= edits; way += 2) {
      const isDown = way === -edits || (way !== edits && get(reach, way - 1) < get(reach, way + 1));
      let a = isDown ? get(reach, way + 1) : get(reach, way - 1) + 1;
      while (a < old.length && a - way < fresh.length && same(at(old, a), at(fresh, a - way))) a += 1;
      reach.set(way, a);
      if (a >= old.length && a - way >= fresh.length) return back(steps, old.length, fresh.length);
    }
  }
  return [...old.map((): DiffLine["mark"] => "-"), ...fresh.map((): DiffLine["mark"] => "+")];
}

function back(steps: readonly Map<number, number>[], a: number, b: number): DiffLine["mark"][] {
  const marks: DiffLine["mark"][] = [];
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const reach = steps[edits] ?? new Map<number, number>();
    const way = a - b;
    const isDown = way === -edits || (way !== edits && get(reach, way - 1) < get(reach, way + 1));
    const from = isDown ? way + 1 : way - 1;
    const reached = get(reach, from);
    while (a > reached && b > reached - from && a > 0 && b > 0) {
      marks.push(" ");
      a -= 1;
      b -= 1;
    }
    if (edits === 0) break;
    marks.push(isDown ? "+" : "-");
    if (isDown) b -= 1;
    else a -= 1;
  }
  return marks.reverse();
}

function get(reach: ReadonlyMap<number, number>, way: number): number {
  return reach.get(way) ?? -1;
}

function at(lines: readonly string[], index: number): string {
  return lines[index] ?? "";
}
