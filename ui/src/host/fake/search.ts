// A search through the invented logs: every word has to occur in a title or in a message. The real one knows much more of words.
import type { SearchHit, SearchResults, SnippetPart, Who } from "../../protocol";
import type { FakeLog } from "./log";

/** Characters around the first match. */
const AROUND = 60;

export function found(logs: readonly FakeLog[], project: (log: FakeLog) => string | null, query: string, limit: number): SearchResults {
  const words = query.toLowerCase().replaceAll('"', " ").split(/\s+/).filter(Boolean);
  const hits: SearchHit[] = [];
  for (const log of logs) {
    const hit = (who: Who, seq: number | null, message: string | null, at: number, text: string): void => {
      if (words.length === 0 || !words.every((word) => text.toLowerCase().includes(word))) return;
      hits.push({ conversation: log.row.id, title: log.row.title, project: project(log), archived: log.row.archived, who, seq, message, at, snippet: snippet(text, words) });
    };
    hit("title", null, null, log.row.updated_at, log.row.title);
    for (const event of log.events) {
      if (event.kind === "user/message") hit("user", event.seq, event.message, event.at, event.text);
      else if (event.kind === "assistant/message" && event.text !== "") hit("assistant", event.seq, event.message, event.at, event.text);
    }
  }
  return { hits: hits.sort((a, b) => b.at - a.at).slice(0, limit), complete: true };
}

function snippet(text: string, words: readonly string[]): SnippetPart[] {
  const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0));
  const from = Math.max(0, first - AROUND / 2);
  const piece = `${from > 0 ? "…" : ""}${text.slice(from, first + AROUND).replace(/\s+/g, " ")}${first + AROUND < text.length ? "…" : ""}`;
  const parts: SnippetPart[] = [];
  let rest = piece;
  while (rest !== "") {
    const places = words.map((word) => ({ at: rest.toLowerCase().indexOf(word), length: word.length })).filter(({ at }) => at >= 0);
    const next = places.sort((a, b) => a.at - b.at)[0];
    const before = next ? next.at : rest.length;
    if (before > 0) parts.push({ text: rest.slice(0, before), hit: false });
    if (next) parts.push({ text: rest.slice(next.at, next.at + next.length), hit: true });
    rest = next ? rest.slice(next.at + next.length) : "";
  }
  return parts;
}
