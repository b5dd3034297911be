// How far a list of steps is. It draws nothing.
import type { TodoItem } from "../protocol";

export type Progress = { done: number; total: number; /** The step that is worked on, else the first that isn't done. */ now: TodoItem | null; /** Its number, from 1. */ number: number };

export function progress(items: readonly TodoItem[]): Progress {
  const active = items.findIndex(({ state }) => state === "active");
  const at = active >= 0 ? active : items.findIndex(({ state }) => state !== "done");
  return { done: items.filter(({ state }) => state === "done").length, total: items.length, now: items[at] ?? null, number: at + 1 };
}
