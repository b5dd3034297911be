import { expect, test } from "vitest";
import { addition, afterBytes, utf8Length } from "./text";

const samples = ["", "plain", "naïve", "整理六月的访谈", "a😀b", "👩‍👩‍👧 x", "\u0000é\uFFFD"];

test("lengths are those of UTF-8", () => {
  for (const sample of samples) expect(utf8Length(sample), sample).toBe(new TextEncoder().encode(sample).length);
});

test("what is left after some bytes is what UTF-8 leaves", () => {
  for (const sample of samples) {
    let at = 0;
    for (const point of sample) {
      at += new TextEncoder().encode(point).length;
      expect(afterBytes(sample, at)).toBe(new TextDecoder().decode(new TextEncoder().encode(sample).slice(at)));
    }
  }
});

test("a piece adds what is new: nothing when covered, its rest when it overlaps, and a hole is told", () => {
  const have = utf8Length("整理");
  expect(addition(have, have, "六月")).toBe("六月");
  expect(addition(have, 0, "整理")).toBe("");
  expect(addition(have, 3, "理六月")).toBe("六月");
  expect(addition(have, have + 1, "六月")).toBeNull();
});
