// What the highlighter and the page say to each other.

/** Stretches of one line: the text and its class, empty for plain. */
export type ColouredLine = ReadonlyArray<readonly [text: string, name: string]>;
export type Ask = { id: number; language: string; text: string };
export type Answer = { id: number; lines: ColouredLine[] | null };
