// Changes to files on the screen. Nothing here knows the domain.
export { compare } from "./compare";
export { default as DiffView } from "./DiffView.svelte";
export { default as LayoutSwitch } from "./LayoutSwitch.svelte";
export { tally, type DiffFile, type DiffHunk, type DiffLine } from "./model";
export type { Layout } from "./rows";
