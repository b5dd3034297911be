// A command as a card shows it: every line, every break, nothing invisible, and a long one as head and tail until it is opened.
// It does not judge what the command does.

/** Up to this many characters a command is shown whole at once. */
export const WHOLE = 4000;
const HEAD = 1200;
const TAIL = 600;

export type Part = { lines: readonly string[] };
export type Shown = { head: Part; hidden: number; tail: Part | null };

/** What is shown of `command`; `hidden` counts the characters (code points) in between. */
export function shown(command: string, opened: boolean): Shown {
  const characters = opened || command.length <= WHOLE ? [] : Array.from(command);
  if (characters.length <= WHOLE) return { head: split(command), hidden: 0, tail: null };
  // A space at the cut is no space at a line's edge, and must not be marked as one.
  let [head, tail] = [HEAD, characters.length - TAIL];
  while (head > 0 && characters[head - 1] === " ") head -= 1;
  while (tail < characters.length && characters[tail] === " ") tail += 1;
  return { head: split(characters.slice(0, head).join("")), hidden: tail - head, tail: split(characters.slice(tail).join("")) };
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function split(text: string): Part {
  return { lines: text.split("\n") };
}

/** The common indentation of a line that is not the first may stand as it is; anything else at its edges becomes visible. */
export function indented(line: string, first: boolean): { indent: string; rest: string } {
  const indent = first ? "" : (/^ {1,8}(?=[^ ])/.exec(line)?.[0] ?? "");
  return { indent, rest: line.slice(indent.length) };
}
