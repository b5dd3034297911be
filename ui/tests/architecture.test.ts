// The rules of the house, read from the files themselves: who may import whom, how long a file may be, what no file contains.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, type AST } from "svelte/compiler";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../src", import.meta.url));
type File = { path: string; room: string; text: string };

const files: File[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.split(sep).join("/"))
  .filter((path) => /\.(ts|svelte|js)$/.test(path) && !path.startsWith("paraglide/"))
  .map((path) => ({ path, room: path.includes("/") ? (path.split("/")[0] ?? "") : "", text: readFileSync(join(root, path), "utf8") }));

/** What a room may import from. A room that isn't named here is a feature; `app` puts them together and may know all but the host. */
const ROOMS: Record<string, readonly string[]> = {
  protocol: [],
  host: ["protocol"],
  state: ["host", "protocol"],
  locales: ["paraglide"],
  theme: [],
  controls: ["locales"],
  markdown: ["controls", "locales"],
  diff: ["controls", "markdown", "locales"],
  rules: ["markdown", "locales", "protocol"],
  failures: ["locales", "protocol"],
  gallery: ["controls", "markdown", "diff", "locales", "theme", "state", "protocol", "approvals", "tool-calls", "settings"],
};
const FEATURE = ["state", "controls", "markdown", "diff", "rules", "failures", "locales", "theme", "protocol"];

type Import = { from: string; typeOnly: boolean };

export function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const [, type, from] of text.matchAll(/^\s*(?:import|export)\s+(type\s)?[^"';]*?from\s*["']([^"']+)["']/gm)) found.push({ from: from ?? "", typeOnly: type !== undefined });
  for (const [, from] of text.matchAll(/^\s*import\s*["']([^"']+)["']/gm)) found.push({ from: from ?? "", typeOnly: false });
  for (const [, from] of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) found.push({ from: from ?? "", typeOnly: false });
  return found;
}

/** What is wrong with one import, or null. Tests may also use the samples of the gallery. */
export function judge(path: string, { from, typeOnly }: Import): string | null {
  const room = path.includes("/") ? (path.split("/")[0] ?? "") : "";
  if (from.startsWith("@tauri-apps/") && !path.startsWith("host/tauri/")) return `${path} imports ${from}: only host/tauri knows Tauri`;
  if (!from.startsWith(".")) return null;
  const target = posix.normalize(posix.join(dirname(path).split(sep).join("/"), from));
  const other = target.includes("/") ? (target.split("/")[0] ?? "") : target;
  if (other === room || room === "" || (room === "app" && other !== "host")) return null;
  if (/\.test\.ts$/.test(path) && other === "gallery") return null;
  const allowed = ROOMS[room] ?? FEATURE;
  if (!allowed.includes(other)) return `${path} imports ${from}: ${room} must not know ${other}`;
  if (ROOMS[room] === undefined && other === "protocol" && !typeOnly) return `${path} imports ${from}: features take only types from protocol`;
  return null;
}

test("each room imports only what it may", () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(({ path, text }) => importsOf(text).flatMap((found) => judge(path, found) ?? []))).toEqual([]);
});

test("the import rules refuse what they are there for", () => {
  const no = (path: string, from: string, typeOnly = false): void => expect(judge(path, { from, typeOnly }), `${path} → ${from}`).not.toBeNull();
  const yes = (path: string, from: string, typeOnly = false): void => expect(judge(path, { from, typeOnly }), `${path} → ${from}`).toBeNull();
  no("controls/Button.svelte", "../state/conversation.svelte");
  no("chat/Chat.svelte", "../approvals/Card.svelte");
  no("chat/Chat.svelte", "../host");
  no("app/Shell.svelte", "../host");
  yes("app/Shell.svelte", "../chat");
  no("chat/Chat.svelte", "../protocol/Request");
  yes("chat/Chat.svelte", "../protocol/Request", true);
  yes("chat/Chat.svelte", "../state");
  no("state/router.ts", "../controls");
  no("protocol/Event.ts", "../state");
  no("host/fake/host.ts", "@tauri-apps/api/core");
  no("chat/Chat.svelte", "@tauri-apps/api/core");
  yes("host/tauri/host.ts", "@tauri-apps/api/core");
  no("markdown/Link.svelte", "../diff");
  no("chat/deep/er/Row.svelte", "../../../settings");
  no("chat/Chat.svelte", "../paraglide/messages.js");
  expect(importsOf('import type { A } from "../protocol/a";\nimport {\n  b,\n} from "../b";\nimport "./c.css";\nconst d = await import("../d");')).toEqual([
    { from: "../protocol/a", typeOnly: true }, { from: "../b", typeOnly: false }, { from: "./c.css", typeOnly: false }, { from: "../d", typeOnly: false },
  ]);
});

test("components have at most 300 lines and state classes at most 200", () => {
  const long = files.filter(({ path, text }) => {
    const lines = text.split("\n").length;
    if (path.endsWith(".svelte")) return lines > 300;
    if (path.startsWith("state/") && path.endsWith(".svelte.ts")) return lines > 200;
    return lines > 500 && !text.startsWith("//! Table.") && !path.startsWith("protocol/");
  });
  expect(long.map(({ path }) => path)).toEqual([]);
});

test("every file says in its first line what it is for", () => {
  const silent = files.filter(({ path, text }) => !path.startsWith("protocol/") && !/\.test\.ts$/.test(path) && !/^(\/\/|<!--)/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test("no HTML is made of text, nowhere", () => {
  const made = /\{@html|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function\(/;
  const offenders = files.filter(({ path, text }) => !/\.test\.ts$/.test(path) && made.test(text));
  expect(offenders.map(({ path }) => path)).toEqual([]);
});

test("controls, markdown and diff know no word of the domain", () => {
  const domain = /\b(approv\w*|conversation\w*|tier|workspace|clearance|tool_?calls?)\b/i;
  const offenders = files
    .filter(({ room, path }) => ["controls", "markdown", "diff"].includes(room) && !/\.test\.ts$/.test(path))
    .filter(({ text }) => domain.test(text));
  expect(offenders.map(({ path }) => path)).toEqual([]);
});

/** Words in a component that a reader would see and that don't come from the catalogue. */
export function bareText(source: string): string[] {
  const ast = parse(source, { modern: true });
  const found: string[] = [];
  const SPOKEN = new Set(["title", "aria-label", "placeholder", "alt", "label", "hint", "text", "description", "error", "lead", "aria-description", "aria-roledescription"]);
  const words = (text: string): boolean => /\p{L}{2,}/u.test(text);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== "object" || node === null || !("type" in node)) return;
    const typed = node as AST.BaseNode & Record<string, unknown>;
    if (typed.type === "StyleDirective") return;
    if (typed.type === "Text" && words(String(typed["data"]))) found.push(String(typed["data"]).trim());
    if (typed.type === "Attribute") {
      const values = Array.isArray(typed["value"]) ? (typed["value"] as AST.Text[]) : [];
      if (SPOKEN.has(String(typed["name"]))) for (const value of values) if (value.type === "Text" && words(value.data)) found.push(`${String(typed["name"])}="${value.data}"`);
      if (String(typed["name"]) === "style") found.push("an inline style, which the content security policy forbids");
      return;
    }
    for (const [key, value] of Object.entries(typed)) if (!["expression", "metadata", "instance", "module", "css"].includes(key)) visit(value);
  };
  visit(ast.fragment);
  return found;
}

test("no component has text of its own: all words come from the catalogue", () => {
  const offenders = files.filter(({ path, room }) => path.endsWith(".svelte") && !path.endsWith("Fixture.svelte") && room !== "gallery").flatMap(({ path, text }) => bareText(text).map((words) => `${path}: ${words}`));
  expect(offenders).toEqual([]);
});

test("the search for bare text finds it", () => {
  expect(bareText('<p>Hello {name}</p><B label="Save" kind="go" /><i title={m.x()}>·</i>{#if a}<b>Stop</b>{/if}{#snippet c()}Deep{/snippet}<p style="color: red"></p>')).toEqual(["Hello", 'label="Save"', "Stop", "Deep", "an inline style, which the content security policy forbids"]);
});

test("only the catalogue's own folder reads the compiled messages", () => {
  const offenders = files.filter(({ text, room }) => room !== "locales" && importsOf(text).some(({ from }) => from.includes("paraglide/")));
  expect(offenders.map(({ path }) => relative(root, join(root, path)))).toEqual([]);
});
