// A conversation on the screen: messages, phase and composer.
export { default as Chat } from "./Chat.svelte";
