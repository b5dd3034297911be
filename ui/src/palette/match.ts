// How well a name fits what was typed, and which of its letters that are. It knows no kind of thing.

export type Part = { text: string; hit: boolean };
export type Fit = { score: number; parts: Part[] };

/** Every typed word has to occur, in the name or in `more`; null: it doesn't fit. A beginning counts more than a word's beginning, and that more than the rest. */
export function fit(name: string, typed: string, more = ""): Fit | null {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const folded = name.toLowerCase();
  // Some letters change their length when they are folded; then nothing can be pointed at.
  const isSteady = folded.length === name.length;
  const beyond = more.toLowerCase();
  let score = 0;
  const ranges: [number, number][] = [];
  for (const word of words) {
    const at = folded.indexOf(word);
    if (at < 0 && !beyond.includes(word)) return null;
    if (at < 0) continue;
    score += at === 0 ? 3 : /[\p{L}\p{N}]/u.test(folded[at - 1] ?? "") && !/\p{Script=Han}/u.test(word) ? 1 : 2;
    if (isSteady) ranges.push([at, at + word.length]);
  }
  return { score, parts: parts(name, ranges) };
}

function parts(name: string, ranges: readonly [number, number][]): Part[] {
  const marked = Array.from(name, () => false);
  const found: Part[] = [];
  const letters = [...name];
  let at = 0;
  for (const [index, letter] of letters.entries()) {
    marked[index] = ranges.some(([from, to]) => at >= from && at < to);
    at += letter.length;
  }
  for (const [index, letter] of letters.entries()) {
    const hit = marked[index] ?? false;
    const last = found.at(-1);
    if (last?.hit === hit) last.text += letter;
    else found.push({ text: letter, hit });
  }
  return found;
}
