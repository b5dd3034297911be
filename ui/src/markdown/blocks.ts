// Splits a message that is still being written into blocks. A block that can't change any more is parsed once and keeps its
// identity; only the last one is parsed again. It makes no HTML and knows no component.
import { Lexer, type Token, type Tokens } from "marked";

export type Block = {
  /** Where the block begins in the text; stays the same for as long as the block exists. */
  key: number;
  token: Token;
  /** Nothing that comes later can change it. */
  closed: boolean;
};

type Links = Lexer["tokens"]["links"];

export class Blocks {
  #closed: Block[] = [];
  #closedText = "";
  #links: Links = {};
  #definesLinks = false;

  /** All blocks of `text`. `final` says that no more comes. Text that doesn't continue the former one starts anew. */
  update(text: string, final: boolean): Block[] {
    const clean = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (!clean.startsWith(this.#closedText)) this.#forget();
    const start = this.#closedText.length;
    const tokens = lex(clean.slice(start), this.#links);
    const settled = final ? tokens.length : settledCount(tokens);
    const closing = place(tokens.slice(0, settled), start, true);
    const open = place(tokens.slice(settled), start + length(tokens.slice(0, settled)), false);
    this.#close(closing, tokens.slice(0, settled), clean);
    // A link defined below its use: only the whole text tells, so it is read once more at the end.
    if (final && this.#definesLinks) return this.#reread(clean);
    return [...this.#closed, ...open];
  }

  #close(blocks: Block[], tokens: readonly Token[], text: string): void {
    if (tokens.length === 0) return;
    for (const token of tokens) {
      if (token.type !== "def") continue;
      const definition = token as Tokens.Def;
      this.#definesLinks = true;
      this.#links[definition.tag] ??= { href: definition.href, title: definition.title };
    }
    this.#closed = [...this.#closed, ...blocks];
    this.#closedText = text.slice(0, this.#closedText.length + length(tokens));
  }

  #reread(text: string): Block[] {
    this.#definesLinks = false;
    this.#closed = place(lex(text, {}), 0, true);
    this.#closedText = text;
    return this.#closed;
  }

  #forget(): void {
    this.#closed = [];
    this.#closedText = "";
    this.#links = {};
    this.#definesLinks = false;
  }
}

/** Quotes or lists nested deeper than anyone writes. Reading them takes time that grows with the square of their depth. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){32}|^[ \t]{64,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;
/** One run of text with more than this many characters and signs is made to be slow: seconds instead of milliseconds. */
const TANGLED = { characters: 1000, signs: 150 };

function lex(text: string, links: Links): Token[] {
  if (text === "") return [];
  if (/^\p{L}/u.test(text) && isLongAndPlain(text)) return [plainParagraph(text)];
  if (TOO_DEEP.test(text)) return [asWritten(text)];
  const lexer = new Lexer({ gfm: true });
  lexer.tokens.links = { ...links };
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (isTangled(src) || isLongAndPlain(src)) tokens.push({ type: "text", raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  const tokens: Token[] = [...lexer.tokens];
  // Blocks are found by adding up lengths; where these don't fit, the text as it was written is always right.
  return length(tokens) === text.length ? tokens : [asWritten(text)];
}

function isTangled(text: string): boolean {
  return text.length > TANGLED.characters && (text.match(/[*_`~[\]<!]/g)?.length ?? 0) > TANGLED.signs;
}

/** Text in which nothing can mean anything but itself; looking for it takes long in text of this length. */
function isLongAndPlain(text: string): boolean {
  return text.length > TANGLED.characters && !/[\\*_`~[\]<>!&@\n]|:\/\/|www\./i.test(text);
}

/** What the lexer makes of such text where it begins with a letter, without its taking 100 ms for 100 kB. */
function plainParagraph(text: string): Tokens.Paragraph {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] };
}

function asWritten(text: string): Tokens.HTML {
  return { type: "html", raw: text, text, block: true, pre: false };
}

/**
 * How many leading tokens can't change. What a line is gets decided when the line is complete, and it can only join the block
 * right before it: so a token is settled once a later one, spaces aside, has a complete line or is itself followed.
 */
function settledCount(tokens: readonly Token[]): number {
  let last = tokens.length - 1;
  while (last >= 0 && tokens[last]?.type === "space") last -= 1;
  if (last < 0) return 0;
  if (tokens[last]?.raw.includes("\n")) return last;
  let before = last - 1;
  while (before >= 0 && tokens[before]?.type === "space") before -= 1;
  return Math.max(0, before);
}

function place(tokens: readonly Token[], start: number, closed: boolean): Block[] {
  const blocks: Block[] = [];
  let at = start;
  for (const token of tokens) {
    if (token.type !== "space" && token.type !== "def") blocks.push({ key: at, token, closed });
    at += token.raw.length;
  }
  return blocks;
}

function length(tokens: readonly Token[]): number {
  return tokens.reduce((sum, token) => sum + token.raw.length, 0);
}
