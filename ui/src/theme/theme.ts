// Which colours the window wears: the system's, or the person's own choice.
// It keeps nothing; whoever owns the settings calls it with the chosen value.

export type Theme = "system" | "light" | "dark";

/** Puts the choice on the page's root; "system" leaves the decision to `prefers-color-scheme`. */
export function wearTheme(theme: Theme, root: HTMLElement = document.documentElement): void {
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
}
