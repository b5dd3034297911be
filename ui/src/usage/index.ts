// The page on usage, for the shell.
export { default as UsagePage } from "./UsagePage.svelte";
