// What the composer offers for the word that is being typed: files and symbols after @, commands and skills after /, and what a
// command can be given. It knows texts only; what there is to offer is asked elsewhere.
import type { SkillRow, SymbolHit } from "../protocol";
import { typedMention } from "./mentions";

export type Offer = {
  key: string;
  kind: "file" | "symbol" | "command" | "skill" | "choice";
  /** What is chosen, in a few letters. */
  name: string;
  /** Where it is or what it is for. */
  detail: string;
  /** What takes the place of what was typed. */
  insert: string;
  /** Chosen, this runs at once. */
  runs?: boolean;
  /** It can't be used yet. */
  locked?: boolean;
};

/** What is being typed at the caret. */
export type Typed = { after: "@" | "/"; word: string; /** Whether it begins the message. */ first: boolean };

/** A slash counts at the beginning, behind a space and behind punctuation, Chinese too; never in a word or a path. The engine has the same rule. */
const SLASH = /(^|[\s([{"',;，。、；：！？…—（）「」『』《》〈〉【】“”‘’])\/([\p{L}\p{N}][\p{L}\p{N}_-]*)?$/u;
const NAMED = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]*)(?=\s|$)/u;
const GIVEN = /^\/([a-z]+)\s+(\S*)$/;

export function typedAt(text: string, caret: number): Typed | null {
  const mention = typedMention(text, caret);
  if (mention !== null) return { after: "@", word: mention, first: false };
  const slash = SLASH.exec(text.slice(0, caret));
  if (!slash || /[\p{L}\p{N}_/\\.~@-]/u.test(text[caret] ?? "")) return null;
  return { after: "/", word: slash[2] ?? "", first: text.slice(0, caret - slash[0].length + (slash[1] ?? "").length).trim() === "" };
}

/** The command and the word that is typed for it, when the text is nothing else. */
export function typedFor(text: string, caret: number): { command: string; word: string } | null {
  const given = caret === text.length ? GIVEN.exec(text) : null;
  return given ? { command: given[1] ?? "", word: given[2] ?? "" } : null;
}

/** The name behind the slash that a text begins with; a path's first part is none. */
export function namedFirst(text: string): string | null {
  return NAMED.exec(text.trim())?.[1] ?? null;
}

/** Puts an offer in place of the word that is being typed. Returns the text and where the caret goes. */
export function put(text: string, caret: number, { word }: { word: string }, insert: string): { text: string; caret: number } {
  const before = text.slice(0, caret - word.length);
  const rest = text.slice(caret);
  const gap = rest.startsWith(" ") ? "" : " ";
  return { text: `${before}${insert}${gap}${rest}`, caret: before.length + insert.length + 1 };
}

export function ofFile(path: string): Offer {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return { key: `file ${path}`, kind: "file", name, detail: path.slice(0, path.length - name.length), insert: /\s/.test(path) ? `"${path}"` : path };
}

export function ofSymbol({ name, kind, path, line }: SymbolHit): Offer {
  return { key: `symbol ${path}:${line} ${name}`, kind: "symbol", name, detail: `${kind} · ${path}:${line}`, insert: `"${path}:${line} ${name}"` };
}

export function ofSkill({ name, description, trusted, path }: SkillRow): Offer {
  return { key: `skill ${path}`, kind: "skill", name: `/${name}`, detail: description, insert: name, locked: !trusted };
}

/** How well a name fits what was typed: 0 best; null not at all. */
export function rank(name: string, word: string): number | null {
  const [known, wanted] = [name.toLowerCase(), word.toLowerCase()];
  if (known.startsWith(wanted)) return 0;
  return known.includes(wanted) ? 1 : null;
}

/** Those that fit, the best first, each group in its order. */
export function fitting<T>(all: readonly T[], word: string, name: (one: T) => string): T[] {
  const ranked = all.flatMap((one) => { const at = rank(name(one), word); return at === null ? [] : [{ one, at }]; });
  return ranked.sort((a, b) => a.at - b.at).map(({ one }) => one);
}
