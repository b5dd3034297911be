// The steps that the model keeps, in the side panel and above the composer.
export { default as TaskLine } from "./TaskLine.svelte";
export { default as TasksPanel } from "./TasksPanel.svelte";
