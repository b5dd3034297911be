// Joins streamed pieces of text by their offsets, which count UTF-8 bytes. It neither shows nor keeps anything.

/** Length in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    // Two units of a pair make four bytes: one more for each. Everything else in the plane makes three.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2;
  }
  return bytes;
}

/** What is left of `text` after its first `bytes` UTF-8 bytes. */
export function afterBytes(text: string, bytes: number): string {
  let left = bytes;
  let index = 0;
  while (left > 0 && index < text.length) {
    const point = text.codePointAt(index) ?? 0;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    index += point < 0x10000 ? 1 : 2;
  }
  return text.slice(index);
}

/**
 * What a piece at `offset` adds to a text of `have` bytes: nothing when it is covered already, and null when something between
 * the two is missing.
 */
export function addition(have: number, offset: number, text: string): string | null {
  if (offset > have) return null;
  if (offset === have) return text;
  return afterBytes(text, have - offset);
}
