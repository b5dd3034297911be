// The arguments of a call as people read them: one entry each, long text apart from short. Nothing is executed or trusted.

export type Argument = { name: string; text: string; form: "short" | "block" };

/** Longer than this, or of several lines, a value gets a block of its own. */
const SHORT = 120;

/** None: the text is no JSON object, so that there is only the raw text to show. */
export function readArguments(raw: string): Argument[] | null {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.entries(value).map(([name, given]) => {
    const text = typeof given === "string" ? given : JSON.stringify(given, null, 2);
    return { name, text, form: text.length > SHORT || text.includes("\n") ? "block" : "short" };
  });
}
