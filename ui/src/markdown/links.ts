// Which addresses may be opened, and who opens them. Nothing here navigates: a link has no address of its own in the page,
// so no click, middle click, drag or menu of the web view can follow it.
import { getContext, setContext } from "svelte";

/** Receives the parsed address; shows it to the person before it opens it. */
export type OpenLink = (address: URL) => void;

const key = Symbol("links");
const OPENABLE = new Set(["http:", "https:", "mailto:"]);

/** Called once near the root. Without it links are plain text. */
export function provideLinks(open: OpenLink): void {
  setContext(key, open);
}

/** To be called while a component is made. */
export function linkOpener(): OpenLink | undefined {
  return getContext<OpenLink | undefined>(key);
}

/**
 * The address, if it is one that may be opened: absolute, http, https or mailto by its parsed form, and without a user name,
 * which is only ever used to make one host look like another.
 */
export function openable(href: string): URL | null {
  if (!URL.canParse(href)) return null;
  const address = new URL(href);
  if (!OPENABLE.has(address.protocol)) return null;
  if (address.username !== "" || address.password !== "") return null;
  return address;
}
