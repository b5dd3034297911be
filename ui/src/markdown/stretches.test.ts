// Stretches say the whole text, and those before the last stay as they are while it grows.
import { expect, test } from "vitest";
import { stretches } from "./stretches";

const words = (count: number): string => Array.from({ length: count }, (_, n) => `字w${n} `).join("");

test("short text is one stretch", () => {
  expect(stretches("")).toEqual([""]);
  expect(stretches(words(100))).toEqual([words(100)]);
});

test("long text is cut at spaces and nothing is lost", () => {
  const text = words(5000);
  const cut = stretches(text);
  expect(cut.join("")).toBe(text);
  expect(cut.length).toBeGreaterThan(20);
  for (const stretch of cut) expect(stretch).toMatch(/ $/);
});

test("what was cut stays as it was while the text grows", () => {
  let before: string[] = [];
  for (let count = 400; count < 3000; count += 7) {
    const now = stretches(words(count));
    // Text that has just become long is cut for the first time.
    if (before.length > 1) expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    before = now;
  }
});

test("text without a space stays whole", () => {
  expect(stretches("字".repeat(9000))).toEqual(["字".repeat(9000)]);
});
