// The command palette: everything that can be done or gone to, by typing.
export { default as PaletteDialog } from "./PaletteDialog.svelte";
export type { Action } from "./palette.svelte";
