// Text as it comes from a model or a tool, made safe to look at. Nothing here knows the domain.
export { default as AnsiText } from "./AnsiText.svelte";
export { default as Markdown } from "./Markdown.svelte";
export { default as Marked } from "./Marked.svelte";
export { default as Revealed } from "./Revealed.svelte";
export { ansi, AnsiReader, type AnsiLine, type AnsiPiece } from "./ansi";
export { conceal, hidesSomething, reveal, revealed, type Piece, type Visibility } from "./invisible";
export { openable, provideLinks, type OpenLink } from "./links";
export { highlight, languageId, languageOfPath, Spans, type ColouredLine } from "./highlight";
