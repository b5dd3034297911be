// What a rule covers, in the language in force, for whoever offers one and for whoever tells which one was used.
// It matches nothing: whether a rule covers a call is the engine's word.
import { m } from "../locales";
import { revealed } from "../markdown";
import type { Rule } from "../protocol";

/** What a rule covers, in words. Nothing of it is cut; what can't be seen is shown as escapes. */
export function breadth({ tool, matcher }: Rule): { label: string; detail?: string } {
  if (matcher.by === "command") return { label: m.approval_scope_command(), detail: matcher.argv.map(token).join(" ") };
  if (matcher.by === "arguments") return { label: m.approval_scope_arguments({ tool: revealed(tool) }) };
  if (matcher.by === "repository") return { label: m.approval_scope_repository({ folder: revealed(matcher.folder) }) };
  if (matcher.glob === "**") return { label: m.approval_scope_any({ tool: revealed(tool) }) };
  const path = literal(matcher.glob);
  return { label: path === null ? m.approval_scope_glob({ tool: revealed(tool), glob: revealed(matcher.glob) }) : m.approval_scope_path({ tool: revealed(tool), path: revealed(path) }) };
}

/** The one path that a glob means, or null when it means more than one. */
export function literal(glob: string): string | null {
  const bare = glob.replace(/\[([*?[\]{}!])\]/g, "");
  return /[*?[\]{}\\]/.test(bare) ? null : glob.replace(/\[([*?[\]{}!])\]/g, "$1");
}

/** One argument of a command so that its borders are seen. */
function token(text: string): string {
  return /^[\p{L}\p{N}_./:=@%+,-]+$/u.test(text) ? text : `"${revealed(text)}"`;
}
