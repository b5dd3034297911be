// Cuts a text that is still growing into complete sentences, for reading it aloud piece by piece.

/** An end of a sentence: a mark and what closes it, followed by space, a line's end, or nothing needed after a Chinese mark. */
const END = /[.!?…]+["'”’)\]]*(?=\s)|[。！？；]+["”’」』）]*|\n{2,}/g;

/** More than so many characters at once are no sentence that anyone listens to; its end is said. */
const MOST = 2000;

/** The complete sentences of `text` from `from` on, and where the next one begins. */
export function sentences(text: string, from: number, isComplete: boolean): { said: string; next: number } {
  let next = from;
  END.lastIndex = from;
  for (let match = END.exec(text); match; match = END.exec(text)) next = match.index + match[0].length;
  if (isComplete) next = text.length;
  return { said: plain(text.slice(Math.max(from, next - MOST), next)), next };
}

/** Without the signs of markdown, which nobody wants read aloud. */
function plain(text: string): string {
  return text
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/[*_`#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
