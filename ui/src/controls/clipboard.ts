// How text reaches the clipboard. A host that has its own way gives it by context; else the browser's is used.
import { getContext, setContext } from "svelte";

export type CopyText = (text: string) => Promise<void>;

const key = Symbol("clipboard");

/** Called once near the root, when the surroundings have a clipboard of their own. */
export function provideClipboard(copy: CopyText): void {
  setContext(key, copy);
}

/** To be called while a component is made. */
export function clipboard(): CopyText {
  return getContext<CopyText | undefined>(key) ?? ((text) => navigator.clipboard.writeText(text));
}
