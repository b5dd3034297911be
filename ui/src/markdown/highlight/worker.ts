// Colours code outside of the window's thread. Grammars are loaded when first asked for; the regex engine is the web view's
// own, since the content security policy allows no wasm.
import { createHighlighterCore, type HighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { Grammar } from "./languages";
import type { Answer, Ask, ColouredLine } from "./lines";
import { NAMES, THEME } from "./theme";

const LOADERS: Record<Grammar, LanguageInput> = {
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  svelte: () => import("shiki/langs/svelte.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  vue: () => import("shiki/langs/vue.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  zig: () => import("shiki/langs/zig.mjs"),
};

let made: Promise<HighlighterCore> | undefined;

self.addEventListener("message", (event: MessageEvent<Ask>) => {
  void answer(event.data);
});

async function answer({ id, language, text }: Ask): Promise<void> {
  let lines: ColouredLine[] | null = null;
  try {
    lines = await colour(language as Grammar, text);
  } catch (error) {
    // The code stays readable without colours; the reason is for whoever looks.
    console.warn(`no colours for ${language}`, error);
  }
  self.postMessage({ id, lines } satisfies Answer);
}

async function colour(language: Grammar, text: string): Promise<ColouredLine[]> {
  made ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  const highlighter = await made;
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage(LOADERS[language]);
  const { tokens } = highlighter.codeToTokens(text, { lang: language, theme: THEME.name, tokenizeMaxLineLength: 2000 });
  return tokens.map((line) => line.map(({ content, color }) => [content, NAMES.get(color?.toLowerCase() ?? "") ?? ""] as const));
}
