// Makes characters that cannot be seen, or that change how others are seen, visible as escapes such as ⟨U+202E⟩.
// It hides nothing and drops nothing: `conceal` gives back exactly what went in.

/** A stretch of text as it is, or `count` times one character shown as an escape. */
export type Piece = { text: string } | { escape: string; code: string; character: string; count: number };

/**
 * How much is made visible.
 * - `field`: one line that a decision hangs on (a command, a path, a name): line breaks, tabs and long runs of spaces too.
 * - `code`: lines of code and output: tabs and spaces are layout, everything else as in `field`.
 * - `prose`: written language, where joiners and special spaces have their work: only what reorders or controls.
 */
export type Visibility = "field" | "code" | "prose";

// Control, format, line and paragraph separators, every space but the common one, what Unicode calls ignorable, private
// use, unassigned, lone surrogates, and the Braille pattern without dots.
const HIDDEN = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cs}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800`;
const IN_FIELD = new RegExp(`([${HIDDEN}])\\1*| {9,}|^ +| +$`, "gu");
const IN_CODE = new RegExp(`(?![\\t\\n])([${HIDDEN}])\\1*`, "gu");
// Controls, bidirectional embeddings, overrides and isolates, tag characters, separators, lone surrogates.
const IN_PROSE = /(?![\t\n])([\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u206a-\u206f\u{e0000}-\u{e007f}])\1*/gu;
// The same characters, in a form that WebKit finds four times as fast in text that holds none of them.
const ANY_IN_PROSE = /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u206f\u{e0000}-\u{e007f}]/u;
const PATTERNS: Record<Visibility, RegExp> = { field: IN_FIELD, code: IN_CODE, prose: IN_PROSE };

/** Up to this many equal characters stand one by one; more become one escape with a count, so that nothing is pushed away. */
const RUN = 3;

/** Splits `text` into what can be shown as it is and what must be shown as an escape. */
export function reveal(text: string, how: Visibility = "field"): Piece[] {
  const pieces: Piece[] = [];
  let shown = 0;
  for (const match of text.matchAll(PATTERNS[how])) {
    if (match.index > shown) pieces.push({ text: text.slice(shown, match.index) });
    const character = String.fromCodePoint(match[0].codePointAt(0) ?? 0);
    const count = match[0].length / character.length;
    if (count > RUN) pieces.push(escape(character, count));
    else for (let n = 0; n < count; n += 1) pieces.push(escape(character, 1));
    shown = match.index + match[0].length;
  }
  if (shown < text.length || pieces.length === 0) pieces.push({ text: text.slice(shown) });
  return pieces;
}

/** True when something in `text` would have to be made visible. */
export function hidesSomething(text: string, how: Visibility = "field"): boolean {
  if (how === "prose") return ANY_IN_PROSE.test(text);
  const pattern = PATTERNS[how];
  pattern.lastIndex = 0;
  const found = pattern.test(text);
  pattern.lastIndex = 0;
  return found;
}

/** What is shown, as one string. */
export function revealed(text: string, how: Visibility = "field"): string {
  return reveal(text, how).map((piece) => ("text" in piece ? piece.text : piece.escape)).join("");
}

/** The way back: the text that the pieces were made of. */
export function conceal(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ("text" in piece ? piece.text : piece.character.repeat(piece.count))).join("");
}

function escape(character: string, count: number): Piece {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return { escape: count > 1 ? `⟨${code} × ${count}⟩` : `⟨${code}⟩`, code, character, count };
}
