import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { ago, bytes, clock, compact, duration, language, languages, list, m, money, percent } from ".";

type Message = string | ReadonlyArray<{ match: Record<string, string> }>;
const read = (name: string): Record<string, Message> => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8")) as Record<string, Message>;
const catalogues = Object.fromEntries(languages.map(({ value }) => [value, read(value)]));
const texts = (message: Message): string[] => (typeof message === "string" ? [message] : message.flatMap((variant) => Object.values(variant.match)));
const holes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();

afterEach(() => language.set("en"));

test("all catalogues have the same messages, in the same order, and none is empty", () => {
  const keys = Object.keys(catalogues["en"] ?? {});
  for (const [name, catalogue] of Object.entries(catalogues)) {
    expect(Object.keys(catalogue), name).toEqual(keys);
    for (const [key, message] of Object.entries(catalogue)) for (const text of texts(message)) expect(text.trim(), `${name} ${key}`).not.toBe("");
  }
});

test("every wording of a message has the same places to fill in", () => {
  for (const [key, message] of Object.entries(catalogues["en"] ?? {})) {
    const wanted = holes(texts(message)[0] ?? "");
    for (const [name, catalogue] of Object.entries(catalogues)) for (const text of texts(catalogue[key] ?? "")) expect(holes(text), `${name} ${key}`).toEqual(wanted);
  }
});

test("the language changes at once", () => {
  expect(m.copy()).toBe("Copy");
  language.set("zh-CN");
  expect(m.copy()).toBe("复制");
});

test("the system's wishes are met as nearly as the catalogue can", () => {
  expect(language.fromSystem(["zh-Hans-SG", "en"])).toBe("zh-CN");
  expect(language.fromSystem(["zh-TW"])).toBe("zh-CN");
  expect(language.fromSystem(["en-GB"])).toBe("en");
  expect(language.fromSystem(["fr", "zh"])).toBe("zh-CN");
  expect(language.fromSystem([])).toBe("en");
});

test("plurals follow the language", () => {
  expect(m.diff_unchanged({ count: 1 })).toBe("1 unchanged line");
  expect(m.diff_unchanged({ count: 39 })).toBe("39 unchanged lines");
  language.set("zh-CN");
  expect(m.diff_unchanged({ count: 1 })).toBe("1 行未改动");
});

test("numbers, sizes and times are written as the language writes them", () => {
  const now = new Date(2026, 10, 30, 12, 0).getTime();
  expect(duration(14)).toBe("0.01\u00a0s");
  expect(duration(20_900)).toBe("20\u00a0s");
  expect(duration(190_000)).toBe("3 min");
  expect(clock(now - 5000, now)).toBe("now");
  expect(clock(new Date(2026, 10, 30, 9, 40).getTime(), now)).toBe("09:40");
  expect(clock(new Date(2026, 10, 27, 9, 40).getTime(), now)).toBe("Fri");
  expect(ago(now - 20_000, now)).toBe("20 seconds ago");
  expect(ago(now - 86_400_000, now)).toBe("yesterday");
  expect([compact(48_000), percent(0.92), money(0.21), money(0.0021), bytes(5_400_000)]).toEqual(["48k", "92%", "$0.21", "$0.0021", "5.4 MB"]);
  expect(list(["a", "b", "c"])).toBe("a, b, and c");
  language.set("zh-CN");
  expect(duration(190_000)).toBe("3分钟");
  expect(ago(now - 86_400_000, now)).toBe("昨天");
  expect(compact(48_000)).toBe("4.8万");
});
