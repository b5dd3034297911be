// The list of projects and conversations.
export { default as Sidebar } from "./Sidebar.svelte";
