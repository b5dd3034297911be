// What fills a conversation's window: the panel's only export.
export { default as ContextPanel } from "./ContextPanel.svelte";
