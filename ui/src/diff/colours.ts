// The colours of a file's lines: the old side and the new side are each read as one text, so that a comment over several
// lines is one. Lines without an answer stay plain.
import { highlight, languageOfPath, type ColouredLine } from "../markdown";
import type { DiffFile, DiffLine } from "./model";

export type Colours = ReadonlyMap<DiffLine, ColouredLine>;

export async function colourFile(file: DiffFile): Promise<Colours> {
  const language = languageOfPath(file.path);
  const colours = new Map<DiffLine, ColouredLine>();
  if (language === null) return colours;
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  for (const other of ["-", "+"] as const) {
    const side = lines.filter((line) => line.mark === " " || line.mark === other);
    const coloured = await highlight(language, side.map((line) => line.text).join("\n"));
    if (coloured?.length !== side.length) continue;
    side.forEach((line, at) => {
      const answer = coloured[at];
      if (answer) colours.set(line, answer);
    });
  }
  return colours;
}
