// A change to files as the view takes it, whoever made it. Line numbers count from 1, as people do.

export type DiffLine = {
  /** Number in the old file; none for an added line. */
  old?: number;
  /** Number in the new file; none for a removed line. */
  new?: number;
  mark: " " | "+" | "-";
  /** Without its line break. */
  text: string;
};

/** Neighbouring lines. Between two hunks lie unchanged lines that the view doesn't have. */
export type DiffHunk = { lines: readonly DiffLine[] };

export type DiffFile = {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  kind: "changed" | "added" | "removed" | "renamed";
  /** The content is no text: there are no hunks to show. */
  binary?: boolean;
  hunks: readonly DiffHunk[];
  /** Lines of the new file, when known: then the unchanged lines after the last hunk are counted too. */
  lines?: number;
};

/** How many lines a file gains and loses. */
export function tally(file: DiffFile): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of file.hunks) {
    for (const { mark } of lines) {
      if (mark === "+") added += 1;
      else if (mark === "-") removed += 1;
    }
  }
  return { added, removed };
}
