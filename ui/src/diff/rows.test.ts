import { expect, test } from "vitest";
import { retry, several } from "../gallery/samples";
import type { DiffFile, DiffLine } from "./model";
import { diffRows, type View } from "./rows";

const view = (change: Partial<View> = {}): View => ({ layout: "unified", context: 3, limit: 40, headers: false, opened: new Set(), folded: new Set(), ...change });

function draw(files: readonly DiffFile[], change: Partial<View> = {}): string[] {
  const side = (line: DiffLine | null, number?: number) => (line ? `${number ?? ""}${line.mark}${line.text}` : "·");
  return diffRows(files, view(change)).rows.map((row) => {
    if (row.kind === "line") return `${row.line.old ?? ""},${row.line.new ?? ""}${row.line.mark}${row.line.text.trim()}`;
    if (row.kind === "pair") return `${side(row.left, row.left?.old)} | ${side(row.right, row.right?.new)}`;
    if (row.kind === "gap" || row.kind === "fold") return `${row.kind} ${row.count}`;
    if (row.kind === "more") return `more ${row.changes}: ${row.from}-${row.to}`;
    if (row.kind === "file") return `${row.file.path} +${row.added} -${row.removed} ${row.open}`;
    return row.note;
  });
}

test("unchanged lines before, between and after the hunks are counted", () => {
  expect(draw([retry])).toEqual([
    "gap 39", "40,-loop {", "41,-match self.stream(request).await {", ",40+let response = loop {", ",41+match self.open(request).await {", "42,42 Ok(response) => break response,",
    "gap 12", "55,55 }", "56,56 }", "57,-Err(last)", ",57+// The stream has begun: what arrived is kept.", ',58+let text = "a\u202Eb\u200Bc";', "58,59 }", "gap 29",
  ]);
});

test("what is behind a cut is counted and its lines are named", () => {
  const shown = diffRows([retry], view({ limit: 6 }));
  expect(draw([retry], { limit: 6 }).at(-1)).toBe("more 1: 57-58");
  expect(shown.hidden).toBe(3);
  expect(diffRows([retry], view({ limit: 6, opened: new Set(["more:0"]) })).hidden).toBe(0);
});

test("a run of unchanged lines folds but for its context, and opens", () => {
  const folded = diffRows(several, view());
  const fold = folded.rows.find((row) => row.kind === "fold");
  expect(fold).toMatchObject({ count: 25 });
  const opened = diffRows(several, view({ opened: new Set([fold?.id ?? ""]) }));
  expect(opened.rows.length).toBe(folded.rows.length + 24);
  expect(new Set(opened.rows.map((row) => row.id)).size).toBe(opened.rows.length);
});

test("a folded file hides its changes and says how many", () => {
  const shown = diffRows(several, view({ headers: true, folded: new Set([0, 1]) }));
  expect(shown.hidden).toBe(7 + 4);
  expect(draw(several, { headers: true, folded: new Set([0, 1]) }).slice(0, 3)).toEqual(["src/retry.rs +4 -3 false", "访谈/六月 整理.md +4 -0 false", "old\\name.ts +2 -2 true"]);
});

test("side by side, a removed run stands beside the added run after it", () => {
  const lines: DiffLine[] = [{ old: 1, new: 1, mark: " ", text: "a" }, { old: 2, mark: "-", text: "b" }, { old: 3, mark: "-", text: "c" }, { new: 2, mark: "+", text: "d" }, { old: 4, new: 3, mark: " ", text: "e" }, { new: 4, mark: "+", text: "f" }];
  expect(draw([{ path: "x", kind: "changed", hunks: [{ lines }] }], { layout: "split" })).toEqual(["1 a | 1 a", "2-b | 2+d", "3-c | ·", "4 e | 3 e", "· | 4+f"]);
});

test("a binary file and one without line changes say so", () => {
  expect(draw([{ path: "a.png", kind: "changed", binary: true, hunks: [] }])).toEqual(["binary"]);
  expect(draw([{ path: "a", kind: "renamed", from: "b", hunks: [] }])).toEqual(["empty"]);
});

test("every changed line is either a row or counted as hidden, whatever is folded", () => {
  const total = several.flatMap((file) => file.hunks).flatMap((hunk) => hunk.lines).filter((line) => line.mark !== " ").length;
  for (const layout of ["unified", "split"] as const) {
    for (const limit of [1, 3, 6, 40]) {
      for (const folded of [[], [0], [2], [0, 1, 2, 3]]) {
        const { rows, hidden } = diffRows(several, view({ layout, limit, headers: true, folded: new Set(folded) }));
        const seen = rows.reduce((sum, row) => sum + (row.kind === "line" ? Number(row.line.mark !== " ") : row.kind === "pair" ? Number(!!row.left && row.left.mark !== " ") + Number(!!row.right && row.right.mark !== " ") : 0), 0);
        expect(seen + hidden, `${layout} ${limit} ${folded}`).toBe(total);
      }
    }
  }
});
