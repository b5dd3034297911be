//! Table. Which names and file endings stand for which grammar. It loads none; the worker does.

/** Names people write behind a fence, beside the grammar's own. */
const ALIASES: Record<string, string> = {
  rs: "rust", ts: "typescript", mts: "typescript", cts: "typescript", js: "javascript", mjs: "javascript", cjs: "javascript", py: "python", rb: "ruby",
  sh: "shellscript", bash: "shellscript", zsh: "shellscript", shell: "shellscript", console: "shellscript", yml: "yaml", md: "markdown", htm: "html",
  "c++": "cpp", cc: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp", h: "c", cs: "csharp", "c#": "csharp", kt: "kotlin", kts: "kotlin", ps1: "powershell",
  dockerfile: "docker", makefile: "make", mk: "make", jsonc: "json", json5: "json", patch: "diff", golang: "go", cfg: "ini", conf: "ini", properties: "ini", svg: "xml", plist: "xml",
};

/** Every grammar the worker can load. */
export const GRAMMARS = [
  "c", "cpp", "csharp", "css", "diff", "docker", "go", "html", "ini", "java", "javascript", "json", "jsx", "kotlin", "lua", "make", "markdown", "php", "powershell",
  "python", "ruby", "rust", "scss", "shellscript", "sql", "svelte", "swift", "toml", "tsx", "typescript", "vue", "xml", "yaml", "zig",
] as const;
export type Grammar = (typeof GRAMMARS)[number];

const known = new Set<string>(GRAMMARS);

/** The grammar for a name, or null: then the text stays plain. */
export function languageId(name: string): Grammar | null {
  const lower = name.toLowerCase();
  const id = ALIASES[lower] ?? lower;
  return known.has(id) ? (id as Grammar) : null;
}

/** The grammar for a file, by its ending or its whole name. Takes both kinds of separators. */
export function languageOfPath(path: string): Grammar | null {
  const name = path.split(/[\\/]/).pop() ?? "";
  return languageId(name) ?? languageId(name.split(".").pop() ?? "");
}
