import { expect, test } from "vitest";
import { fit } from "./match";

const shown = (name: string, typed: string, more?: string): string | null => fit(name, typed, more)?.parts.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("") ?? null;

test("every word has to occur, in the name or beside it", () => {
  expect(shown("Open folder…", "fold")).toBe("Open [fold]er…");
  expect(shown("Open folder…", "FOLDER open")).toBe("[Open] [folder]…");
  expect(shown("Open folder…", "close")).toBeNull();
  expect(shown("Appearance", "settings app", "Settings")).toBe("[App]earance");
  expect(shown("整理六月的访谈", "访谈")).toBe("整理六月的[访谈]");
  expect(shown("🙂 go", "go")).toBe("🙂 [go]");
  expect(shown("İstanbul", "bul"), "a letter that folds to two can't be pointed at").toBe("İstanbul");
  expect(shown("anything", "")).toBe("anything");
});

test("a beginning comes before a word's beginning, and that before the rest", () => {
  const score = (name: string): number => fit(name, "set")?.score ?? 0;
  expect([score("Settings"), score("Go to settings"), score("Reset")]).toEqual([3, 2, 1]);
});
