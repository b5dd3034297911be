import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const css = read("tokens.css") + read("syntax.css");

/** The colour variables of each block that begins with `selector`, later ones over earlier ones. */
function colours(selector: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const part of css.split(`${selector} {`).slice(1)) {
    const body = part.slice(0, part.indexOf("}"));
    for (const [, name, value] of body.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)) if (name && value) result[name] = value;
  }
  return result;
}

const light = colours("\n:root");
const dark = colours('\n:root[data-theme="dark"]');
const system = colours('  :root:not([data-theme="light"])');

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test("the chosen dark and the system's dark are the same colours", () => {
  expect(Object.keys(dark).length).toBeGreaterThan(30);
  expect(system).toEqual(dark);
  expect(Object.keys(light).sort()).toEqual(Object.keys(dark).sort());
});

test("every colour of words is read easily (AA, 4.5) on every ground it stands on", () => {
  const grounds = ["--bg", "--panel", "--raised", "--code", "--add", "--del", "--amber-soft", "--red-soft"];
  const words = Object.keys(light).filter((name) => /^--(text|muted|quiet|accent|amber|red|blue|add-mark|del-mark)$|^--hl-|^--ansi-/.test(name));
  const poor: string[] = [];
  for (const [theme, tokens] of Object.entries({ light, dark })) {
    for (const word of words) {
      for (const ground of grounds) {
        // The marks of a diff stand on a diff.
        if (word.endsWith("-mark") && ground.endsWith("-soft")) continue;
        const value = contrast(tokens[word] ?? "#000000", tokens[ground] ?? "#000000");
        if (value < 4.5) poor.push(`${theme} ${word} on ${ground}: ${value.toFixed(2)}`);
      }
    }
    expect(contrast(tokens["--accent-text"] ?? "", tokens["--accent"] ?? ""), theme).toBeGreaterThan(4.5);
  }
  expect(poor).toEqual([]);
});
