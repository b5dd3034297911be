import { expect, test, vi } from "vitest";
import type { AnsiLine } from "../markdown";
import { lastBytes, LiveLines, PAGE, StoredLines, wholeLines } from "./output.svelte";

const texts = (lines: readonly AnsiLine[]): string[] => lines.map((line) => line.map(({ text }) => text).join(""));
const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** A host that holds `whole` and answers as the engine does: bytes, made into text whatever was cut. */
function stored(whole: string): StoredLines {
  const all = new TextEncoder().encode(whole);
  return new StoredLines((offset, length) => Promise.resolve({ text: new TextDecoder().decode(all.slice(offset, offset + length)), offset, total: all.length }));
}

test("an output of 5 MB is read page by page and is whole at the end, also where a page ends within a character", async () => {
  const line = "日志 😀 something that was printed\n";
  const whole = line.repeat(Math.ceil(5_000_000 / bytes(line)));
  const lines = stored(whole);
  await lines.more();
  expect(lines.complete).toBe(false);
  expect(lines.read).toBeGreaterThan(PAGE - 4);
  await lines.more(true);
  expect(lines.complete).toBe(true);
  expect(texts(lines.lines).join("\n") + "\n").toBe(whole);
  expect(lines.read).toBe(bytes(whole));
});

test("colours go on over the border of two pages", async () => {
  const lines = stored(`\u001b[31m${"x".repeat(PAGE)}\nstill red\u001b[0m\nplain`);
  await lines.more(true);
  expect(lines.lines.map((line) => line.at(-1)?.classes)).toEqual([["ansi-fg-1"], ["ansi-fg-1"], []]);
});

test("a failed page is told and can be asked for again", async () => {
  const ask = vi.fn().mockRejectedValueOnce({ code: "storage", message: "disk" }).mockResolvedValue({ text: "ok", offset: 0, total: 2 });
  const lines = new StoredLines(ask);
  await lines.more();
  expect(lines.failure?.message).toBe("disk");
  await lines.more();
  expect(lines.failure).toBeNull();
  expect(texts(lines.lines)).toEqual(["ok"]);
});

test("live output is read once, by what is new, also when its beginning was let go", () => {
  const live = new LiveLines();
  expect(texts(live.read({ text: "one\ntw", start: 0, end: 6 }))).toEqual(["one", "tw"]);
  expect(texts(live.read({ text: "one\ntwo\n", start: 0, end: 8 }))).toEqual(["one", "two"]);
  expect(texts(live.read({ text: "one\ntwo\n", start: 0, end: 8 }))).toEqual(["one", "two"]);
  expect(texts(live.read({ text: "wo\n三\n", start: 5, end: 12 }))).toEqual(["one", "two", "三"]);
  expect(live.cut).toBe(true);
  expect(texts(live.read({ text: "after a hole", start: 100, end: 112 }))).toEqual(["after a hole"]);
  expect(live.cut).toBe(true);
});

test("the last bytes of a text end between characters", () => {
  expect([lastBytes("ab三😀", 4), lastBytes("ab三😀", 7), lastBytes("ab三😀", 99), lastBytes("ab", 0)]).toEqual(["😀", "三😀", "ab三😀", ""]);
  expect(wholeLines("a\n\nb\n").length).toBe(3);
});
