import { expect, test } from "vitest";
import { compare } from "./compare";

const shown = (before: string[], after: string[], same?: (a: string, b: string) => boolean): string =>
  compare("x", before.join("\n"), after.join("\n"), same).hunks.map(({ lines }) => lines.map(({ mark, text }) => `${mark}${text}`).join("|")).join(" … ");

test("what was added, removed and kept is found, with lines around it", () => {
  expect(shown(["a", "b"], ["a", "b"])).toBe("");
  expect(shown(["a", "b", "c"], ["a", "x", "c"])).toBe(" a|-b|+x| c");
  expect(shown(["a"], ["a", "b", "c"])).toBe(" a|+b|+c");
  expect(shown(["a", "b", "c", "a", "b", "b", "a"], ["c", "b", "a", "b", "a", "c"])).toBe("-a|-b| c|+b| a| b|-b| a|+c");
});

test("changes far from one another stand apart, with the numbers of their lines", () => {
  const before = Array.from({ length: 30 }, (_, index) => `${index}`);
  const after = before.map((line, index) => (index === 2 || index === 25 ? `${line}!` : line));
  const { hunks } = compare("x", before.join("\n"), after.join("\n"));
  expect(hunks.map(({ lines }) => [lines[0]?.new, lines.at(-1)?.new])).toEqual([[1, 6], [23, 29]]);
});

test("lines that count as one are kept, and a text that is another one is replaced", () => {
  expect(shown(["{", "}"], ["{", "},", "new"], (a, b) => a.replace(/,$/, "") === b.replace(/,$/, ""))).toBe(" {| },|+new");
  const many = (letter: string): string[] => Array.from({ length: 1500 }, (_, index) => `${letter}${index}`);
  const { hunks } = compare("x", many("a").join("\n"), many("b").join("\n"));
  expect(hunks[0]?.lines.filter(({ mark }) => mark === "-").length).toBe(1500);
  expect(hunks[0]?.lines.filter(({ mark }) => mark === "+").length).toBe(1500);
});

test("every script makes the one text of the other", () => {
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 300; round += 1) {
    const make = (): string[] => Array.from({ length: 1 + next(12) }, () => "abc"[next(3)] ?? "a");
    const [before, after] = [make(), make()];
    const lines = compare("x", before.join("\n"), after.join("\n")).hunks.flatMap(({ lines }) => lines);
    if (lines.length === 0) expect(before).toEqual(after);
    for (const { mark, text, old, new: fresh } of lines) {
      if (mark !== "+") expect(before[(old ?? 0) - 1]).toBe(text);
      if (mark !== "-") expect(after[(fresh ?? 0) - 1]).toBe(text);
    }
    const [kept, removed, added] = [" ", "-", "+"].map((mark) => lines.filter((line) => line.mark === mark).length);
    expect(before.length - (removed ?? 0)).toBe(after.length - (added ?? 0));
    expect(kept).toBeLessThanOrEqual(before.length);
  }
});
