// Files that a text mentions with @, and the mention that is being typed. It knows no file.

export type Span = { text: string; mention: boolean };

/** A quoted path may hold spaces; a bare one ends at a space or at punctuation that no path has, Chinese punctuation included. */
const MENTION = /(^|[^A-Za-z0-9_.+-])@("[^"\n]+"|[^\s@"，。、；：！？（）「」《》]+)/g;
const TYPED = /(?:^|[^A-Za-z0-9_.+-])@([^\s@"，。、；：！？（）「」《》]*)$/;

/** Cuts a text at its mentions. */
export function spans(text: string): Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(MENTION)) {
    const start = match.index + (match[1] ?? "").length;
    const end = match.index + match[0].length;
    // A full stop at the end belongs to the sentence.
    const stop = end - (/[.,;:!?)]+$/.exec(match[0])?.[0].length ?? 0);
    if (start > at) found.push({ text: text.slice(at, start), mention: false });
    found.push({ text: text.slice(start, stop), mention: true });
    at = stop;
  }
  if (at < text.length) found.push({ text: text.slice(at), mention: false });
  return found;
}

/** What stands after the @ right before the caret; null when none is being typed. An address such as a@b is none. */
export function typedMention(text: string, caret: number): string | null {
  return TYPED.exec(text.slice(0, caret))?.[1] ?? null;
}

/** Puts a path in place of the mention that is being typed. Returns the text and where the caret goes. */
export function complete(text: string, caret: number, path: string): { text: string; caret: number } {
  const typed = typedMention(text, caret) ?? "";
  const before = text.slice(0, caret - typed.length);
  const rest = text.slice(caret);
  const word = written(path);
  const gap = rest.startsWith(" ") ? "" : " ";
  return { text: `${before}${word}${gap}${rest}`, caret: before.length + word.length + 1 };
}

/** Puts a mention of a path at the end of a text. */
export function mention(text: string, path: string): string {
  const gap = text === "" || /\s$/.test(text) ? "" : " ";
  return `${text}${gap}@${written(path)} `;
}

function written(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
