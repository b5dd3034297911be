// The steps in the arguments of a call that keeps them. What the list looks like is not known here.
import type { TodoItem } from "../protocol";

const STATES = ["pending", "active", "done"];

/** Null: it is no such text. */
export function stepsOf(raw: string): readonly TodoItem[] | null {
  try {
    const { items } = JSON.parse(raw) as { items?: unknown };
    return Array.isArray(items) && items.every(isStep) ? items : null;
  } catch {
    return null;
  }
}

function isStep(value: unknown): value is TodoItem {
  const { text, state } = (value ?? {}) as Partial<TodoItem>;
  return typeof text === "string" && STATES.includes(state ?? "");
}
