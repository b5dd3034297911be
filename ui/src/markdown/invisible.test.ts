import { expect, test } from "vitest";
import { conceal, hidesSomething, reveal, revealed } from "./invisible";

/** Written down by hand from the Unicode charts, not taken from the code under test. */
const INVISIBLE: ReadonlyArray<[from: number, to: number, what: string]> = [
  [0x00, 0x1f, "C0 controls"], [0x7f, 0x9f, "delete and C1 controls"], [0xa0, 0xa0, "no-break space"], [0xad, 0xad, "soft hyphen"],
  [0x34f, 0x34f, "grapheme joiner"], [0x61c, 0x61c, "Arabic letter mark"], [0x115f, 0x1160, "Hangul fillers"], [0x1680, 0x1680, "Ogham space"],
  [0x180b, 0x180f, "Mongolian selectors"], [0x2000, 0x200f, "spaces, joiners, marks"], [0x2028, 0x202f, "separators, embeddings, overrides"],
  [0x205f, 0x206f, "spaces, invisible operators, isolates"], [0x2800, 0x2800, "Braille blank"], [0x3000, 0x3000, "ideographic space"], [0x3164, 0x3164, "Hangul filler"],
  [0xe000, 0xf8ff, "private use"], [0xfe00, 0xfe0f, "variation selectors"], [0xfeff, 0xfeff, "byte order mark"], [0xffa0, 0xffa0, "half-width filler"],
  [0xfff0, 0xfffb, "specials"], [0x1d173, 0x1d17a, "musical controls"], [0xe0000, 0xe0fff, "tags and selectors"], [0xf0000, 0x10ffff, "private use planes"],
];
const invisible = (code: number): boolean => INVISIBLE.some(([from, to]) => code >= from && code <= to);

test("p60_every_unicode_scalar_is_shown_as_itself_or_as_its_escape", () => {
  let shown = 0;
  let escaped = 0;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const pieces = reveal(`a${character}b`);
    if (conceal(pieces) !== `a${character}b`) throw new Error(`U+${code.toString(16)} does not come back`);
    const middle = pieces.length === 3 ? pieces[1] : undefined;
    if (middle && "escape" in middle) {
      escaped += 1;
      const name = code.toString(16).toUpperCase().padStart(4, "0");
      if (middle.escape !== `⟨U+${name}⟩`) throw new Error(`U+${name} is shown as ${middle.escape}`);
    } else {
      shown += 1;
      if (invisible(code)) throw new Error(`U+${code.toString(16)} stays invisible`);
      if (pieces.length !== 1) throw new Error(`U+${code.toString(16)} is cut`);
    }
  }
  expect(shown + escaped).toBe(0x110000 - 2048);
  expect(shown).toBeGreaterThan(140_000);
});

test("p60_letters_signs_and_marks_of_all_scripts_stay_as_they_are", () => {
  for (const text of ["cargo test --workspace 'x y' | tee ~/文件/六月 访谈.md", "привет, мир", "שלום", "naïve café", "日本語のファイル名", "C:\\Benutzer\\größe.txt", "→ ✓ € ½ ﷼"]) {
    expect(hidesSomething(text)).toBe(false);
    expect(revealed(text)).toBe(text);
  }
});

test("p60_three_hundred_tabs_become_one_escape_with_a_count", () => {
  const pieces = reveal(`cat a${"\t".repeat(300)}; rm -rf b`);
  expect(pieces).toHaveLength(3);
  expect(revealed(`cat a${"\t".repeat(300)}; rm -rf b`)).toBe("cat a⟨U+0009 × 300⟩; rm -rf b");
  expect(conceal(pieces)).toBe(`cat a${"\t".repeat(300)}; rm -rf b`);
});

test("p60_padding_with_spaces_is_counted_and_spaces_at_the_ends_are_seen", () => {
  expect(revealed(`ls${" ".repeat(400)}&& rm x`)).toBe("ls⟨U+0020 × 400⟩&& rm x");
  expect(revealed(" ls ")).toBe("⟨U+0020⟩ls⟨U+0020⟩");
  expect(revealed("a b  c")).toBe("a b  c");
});

test("p60_bidi_zero_width_and_ansi_inside_a_command", () => {
  expect(revealed("rm \u202e-rf\u200b\u2066x\u2069 \u001b[8mhidden\u001b[0m\r")).toBe("rm ⟨U+202E⟩-rf⟨U+200B⟩⟨U+2066⟩x⟨U+2069⟩ ⟨U+001B⟩[8mhidden⟨U+001B⟩[0m⟨U+000D⟩");
});

test("a lone surrogate is visible and comes back", () => {
  expect(revealed("a\ud800b")).toBe("a⟨U+D800⟩b");
  expect(conceal(reveal("a\ud800b"))).toBe("a\ud800b");
});

test("code keeps tabs and line breaks, and nothing else that hides", () => {
  expect(revealed("\tif (a) {\n\t\u00a0x\u200b\n}", "code")).toBe("\tif (a) {\n\t⟨U+00A0⟩x⟨U+200B⟩\n}");
});

test("prose keeps what written language needs and shows what reorders it", () => {
  const family = "👩\u200d👩\u200d👧 ❤\ufe0f";
  expect(revealed(`${family} نامه\u200cها\u3000全角`, "prose")).toBe(`${family} نامه\u200cها\u3000全角`);
  expect(revealed("a\u202eb\u2067c\u{e0041}", "prose")).toBe("a⟨U+202E⟩b⟨U+2067⟩c⟨U+E0041⟩");
});

test("an empty text is one empty piece", () => {
  expect(reveal("")).toEqual([{ text: "" }]);
});

test("the quick look at prose finds exactly what would be revealed", () => {
  for (let code = 0; code <= 0xe0fff; code += 1) {
    const text = `a${String.fromCodePoint(code)}b`;
    if (hidesSomething(text, "prose") !== reveal(text, "prose").some((piece) => "escape" in piece)) throw new Error(`U+${code.toString(16)}`);
  }
});
