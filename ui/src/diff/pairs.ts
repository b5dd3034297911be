// Which old line stands beside which new one: unchanged lines beside themselves, a removed run beside the added run after it.
import type { DiffLine } from "./model";

export type Pair = readonly [left: DiffLine | null, right: DiffLine | null];

export function pairs(lines: readonly DiffLine[]): Pair[] {
  const result: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) result.push([removed[at] ?? null, added[at] ?? null]);
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.mark === "-") {
      if (added.length > 0) settle();
      removed.push(line);
    } else if (line.mark === "+") {
      added.push(line);
    } else {
      settle();
      result.push([line, line]);
    }
  }
  settle();
  return result;
}
