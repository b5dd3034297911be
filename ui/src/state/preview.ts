// Turns the engine's changes of files into what a view of differences takes. It leaves nothing out and judges nothing.
import type { FileDiff, Hunk } from "../protocol";

type Line = { old?: number; new?: number; mark: " " | "+" | "-"; text: string };
type Changed = { path: string; from?: string; kind: "changed" | "added" | "removed" | "renamed"; hunks: { lines: Line[] }[]; lines: number };

/** One file, with the numbers of its lines; the new path of a renamed one. */
export function changedFile(file: FileDiff): Changed {
  const { change, path } = file;
  const renamed = change.is === "renamed";
  return {
    path: renamed ? change.to : path,
    ...(renamed ? { from: path } : {}),
    kind: ({ created: "added", modified: "changed", deleted: "removed", renamed: "renamed" } as const)[change.is],
    hunks: file.hunks.map(numbered),
    lines: file.old_lines + file.added - file.removed,
  };
}

/** Changed places of one text. */
export function changedText(path: string, hunks: readonly Hunk[]): Omit<Changed, "lines"> {
  return { path, kind: "changed", hunks: hunks.map(numbered) };
}

function numbered({ old_start, new_start, lines }: Hunk): { lines: Line[] } {
  let old = old_start;
  let fresh = new_start;
  return {
    lines: lines.map(({ mark, text }) => {
      if (mark === "+") return { new: fresh++, mark, text };
      if (mark === "-") return { old: old++, mark, text };
      return { old: old++, new: fresh++, mark, text };
    }),
  };
}
