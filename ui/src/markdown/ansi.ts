// Terminal output as text with colours: SGR sequences become classes, every other control is left in the text, where
// `reveal` makes it visible. Nothing moves a cursor, clears, titles or links.

export type AnsiPiece = { text: string; classes: readonly string[] };
export type AnsiLine = readonly AnsiPiece[];

type Style = { fg: number | null; bg: number | null; bold: boolean; dim: boolean; italic: boolean; underline: boolean; strike: boolean; inverse: boolean };
const PLAIN: Style = { fg: null, bg: null, bold: false, dim: false, italic: false, underline: false, strike: false, inverse: false };

const SGR = /\x1b\[([0-9;:]*)m/g;
/** A sequence that may still become SGR when more text comes. */
const UNFINISHED = /\x1b(?:\[[0-9;:]{0,64})?$/;

/** Reads output as it comes; a sequence cut between two chunks is held back until it is whole. */
export class AnsiReader {
  /** All lines so far; the last one is still being written. */
  readonly lines: AnsiPiece[][] = [[]];
  #style: Style = PLAIN;
  #held = "";

  push(chunk: string): void {
    const text = (this.#held + chunk).replace(/\r\n/g, "\n");
    const cut = /\r$/.exec(text) ?? UNFINISHED.exec(text);
    this.#held = cut ? text.slice(cut.index) : "";
    this.#read(cut ? text.slice(0, cut.index) : text);
  }

  /** No more comes: what was held back is shown as it is. */
  end(): void {
    this.#put(this.#held);
    this.#held = "";
  }

  #read(text: string): void {
    let shown = 0;
    for (const match of text.matchAll(SGR)) {
      this.#put(text.slice(shown, match.index));
      this.#style = restyle(this.#style, match[1] ?? "");
      shown = match.index + match[0].length;
    }
    this.#put(text.slice(shown));
  }

  #put(text: string): void {
    if (text === "") return;
    const classes = classesOf(this.#style);
    const [first = "", ...rest] = text.split("\n");
    if (first !== "") this.lines[this.lines.length - 1]?.push({ text: first, classes });
    for (const line of rest) this.lines.push(line === "" ? [] : [{ text: line, classes }]);
  }
}

/** A whole output at once. */
export function ansi(text: string): AnsiLine[] {
  const reader = new AnsiReader();
  reader.push(text);
  reader.end();
  return reader.lines;
}

function restyle(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((part) => (part === "" ? 0 : Number(part)));
  let style = { ...before };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) style = { ...PLAIN };
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.inverse = true;
    else if (code === 9) style.strike = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code === 27) style.inverse = false;
    else if (code === 29) style.strike = false;
    else if (code >= 30 && code <= 37) style.fg = code - 30;
    else if (code >= 90 && code <= 97) style.fg = code - 90;
    else if (code === 39) style.fg = null;
    else if (code >= 40 && code <= 47) style.bg = code - 40;
    else if (code >= 100 && code <= 107) style.bg = code - 100;
    else if (code === 49) style.bg = null;
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(at + 1));
      if (code === 38) style.fg = colour;
      else style.bg = colour;
      at += used;
    }
  }
  return style;
}

/** 38;5;n and 38;2;r;g;b, brought to the nearest of the eight colours that have a readable tone in both themes. */
function extended(codes: number[]): [number | null, number] {
  const [kind, a = 0, b = 0, c = 0] = codes;
  if (kind === 2) return [nearest(a, b, c), 4];
  if (kind !== 5) return [null, codes.length];
  if (a < 16) return [a % 8, 2];
  if (a >= 232) return [a < 244 ? 0 : 7, 2];
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const cube = a - 16;
  return [nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), 2];
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 48) return 0;
  const on = (part: number): number => (part > most * 0.6 ? 1 : 0);
  return on(red) + 2 * on(green) + 4 * on(blue);
}

const known = new Map<string, readonly string[]>();

function classesOf(style: Style): readonly string[] {
  const names: string[] = [];
  const fg = style.inverse ? style.bg : style.fg;
  const bg = style.inverse ? style.fg : style.bg;
  if (fg !== null) names.push(`ansi-fg-${fg}`);
  if (bg !== null) names.push(`ansi-bg-${bg}`);
  if (style.inverse) names.push("ansi-inverse");
  if (style.bold) names.push("ansi-bold");
  if (style.dim) names.push("ansi-dim");
  if (style.italic) names.push("ansi-italic");
  if (style.underline) names.push("ansi-underline");
  if (style.strike) names.push("ansi-strike");
  const key = names.join(" ");
  const same = known.get(key);
  if (same) return same;
  known.set(key, names);
  return names;
}
