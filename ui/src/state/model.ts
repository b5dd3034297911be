// What a window of a model is good for. It knows figures only.

/** Below this many tokens system prompt, tools and a few results hardly fit. */
export const ROOMY = 16_384;

/** Whether a model that sees this many tokens at once is too small to work with. */
export function isCramped(window: number): boolean {
  return window < ROOMY;
}
