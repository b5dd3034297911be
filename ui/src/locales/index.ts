// Every word the window shows comes through here: the typed messages, the language in force, and numbers and times
// in that language's manner. It does not store the choice; the settings do.
export { m } from "../paraglide/messages.js";
export { language, languages, type Language } from "./language.svelte";
export { ago, bytes, clock, compact, cost, day, duration, elapsed, list, money, number, percent } from "./format";
