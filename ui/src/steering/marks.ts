// Where the engine marked hidden characters in a text: `⟨U+200B⟩`. It shows nothing.

export type Stretch = { text: string; hidden: boolean };

const MARK = /(?:⟨U\+[0-9A-F]{4,6}⟩)+/g;

/** Cuts a text at its marked characters. */
export function stretches(text: string): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const { index, 0: marked } of text.matchAll(MARK)) {
    if (index > at) found.push({ text: text.slice(at, index), hidden: false });
    found.push({ text: marked, hidden: true });
    at = index + marked.length;
  }
  if (at < text.length) found.push({ text: text.slice(at), hidden: false });
  return found;
}
