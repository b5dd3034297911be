// Shortcuts: how they are written on this platform, when an event is one, and when a key belongs to an input method.
// It binds no key to anything.
import { m } from "../locales";

export type Platform = "mac" | "other";

/** What the keyboard's modifier keys are called here. */
export function platform(agent: string = typeof navigator === "undefined" ? "" : navigator.userAgent): Platform {
  return /Mac|iPhone|iPad/.test(agent) ? "mac" : "other";
}

const glyphs: Record<string, string> = { Enter: "↵", Escape: "esc", Backspace: "⌫", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Mod: "⌘", Shift: "⇧", Alt: "⌥" };

/** Writes a shortcut such as "Mod+Enter" as people on `on` read it: ⌘↵ there, Ctrl+Enter here. */
export function spell(shortcut: string, on: Platform = platform()): string {
  const parts = shortcut.split("+");
  if (on === "mac") return parts.map((part) => glyphs[part] ?? part).join("");
  const words: Record<string, string> = {
    Mod: m.key_ctrl(), Shift: m.key_shift(), Alt: m.key_alt(), Enter: m.key_enter(), Escape: m.key_escape(), Backspace: m.key_backspace(),
    ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→",
  };
  return parts.map((part) => words[part] ?? part).join("+");
}

/** The shortcut in the form of `aria-keyshortcuts`. */
export function ariaShortcut(shortcut: string, on: Platform = platform()): string {
  return shortcut.replace("Mod", on === "mac" ? "Meta" : "Control");
}

/** True when the event is exactly this shortcut, with no further modifier, and is not an input method's. */
export function matches(event: KeyboardEvent, shortcut: string, on: Platform = platform()): boolean {
  if (isComposing(event)) return false;
  const parts = shortcut.split("+");
  const key = parts[parts.length - 1] ?? "";
  const mod = on === "mac" ? event.metaKey : event.ctrlKey;
  const otherMod = on === "mac" ? event.ctrlKey : event.metaKey;
  if (otherMod) return false;
  if (mod !== parts.includes("Mod") || event.altKey !== parts.includes("Alt")) return false;
  // A sign such as "?" needs Shift on many keyboards; only letters and named keys mind it.
  const mindsShift = key.length > 1 || /[a-z]/i.test(key);
  if (mindsShift && event.shiftKey !== parts.includes("Shift")) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

/** True when the key press belongs to an input method, by either of the two ways browsers tell. */
export function isComposing(event: KeyboardEvent): boolean {
  // WebKit ends the composition before the key event and then says 229 only.
  return event.isComposing || event.keyCode === 229;
}
