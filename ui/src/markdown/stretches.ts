// Cuts long text into stretches that stay the same while it grows, each a text node of its own: WebKit shapes a text node anew
// when anything in it changes, which takes 100 ms for 100 kB. It cuts at spaces alone, so that no letters are torn apart.

/** A stretch ends at the first space after as many characters. */
const LONG = 1000;

export function stretches(text: string): string[] {
  if (text.length <= 2 * LONG) return [text];
  const cut: string[] = [];
  let from = 0;
  while (text.length - from > LONG) {
    const space = text.indexOf(" ", from + LONG);
    if (space < 0) break;
    cut.push(text.slice(from, space + 1));
    from = space + 1;
  }
  if (from < text.length) cut.push(text.slice(from));
  return cut;
}
