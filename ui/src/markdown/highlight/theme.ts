// Which kinds of words get which class. Shiki speaks in colours, so each class has a number in the form of one;
// the colours that are seen stand in `theme/syntax.css`.
import type { ThemeRegistration } from "shiki/core";

const RULES: ReadonlyArray<[name: string, scopes: string[]]> = [
  ["hl-comment", ["comment", "punctuation.definition.comment"]],
  ["hl-string", ["string", "markup.inline.raw", "constant.other.symbol", "markup.inserted"]],
  ["hl-number", ["constant.numeric", "constant.language", "constant.character", "variable.other.constant", "support.constant"]],
  ["hl-keyword", ["keyword", "storage.type", "storage.modifier", "variable.language", "entity.name.tag", "markup.heading", "markup.deleted"]],
  ["hl-function", ["entity.name.function", "support.function", "meta.function-call.generic", "entity.other.attribute-name", "support.type.property-name"]],
  ["hl-type", ["entity.name.type", "entity.name.class", "support.type", "support.class", "entity.name.namespace", "entity.other.inherited-class", "entity.name.section"]],
  ["hl-meta", ["punctuation", "meta.diff", "meta.attribute", "keyword.operator"]],
];

const PLAIN = "#000000";
const code = (index: number): string => `#0000${(index + 1).toString(16).padStart(2, "0")}`;

/** From the colour Shiki answers with to our class. */
export const NAMES: ReadonlyMap<string, string> = new Map(RULES.map(([name], index) => [code(index), name]));

export const THEME = {
  name: "assent",
  type: "light",
  fg: PLAIN,
  bg: "#ffffff",
  settings: RULES.map(([, scope], index) => ({ scope, settings: { foreground: code(index) } })),
} satisfies ThemeRegistration;
