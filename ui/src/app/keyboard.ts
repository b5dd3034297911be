// Shortcuts that hold in the whole window. It leaves alone what a field, a dialog or an input method has taken.
import { matches } from "../controls";

export class Keyboard {
  readonly #shortcuts: Readonly<Record<string, () => void>>;

  constructor(shortcuts: Readonly<Record<string, () => void>>) {
    this.#shortcuts = shortcuts;
  }

  press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat) return;
    // While a dialog asks, the window behind it does nothing.
    if (document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"]')) return;
    // What is a letter elsewhere is text in a field.
    const isText = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null;
    const found = Object.entries(this.#shortcuts).find(([shortcut]) => matches(event, shortcut) && (shortcut.includes("+") || !isText));
    if (!found) return;
    event.preventDefault();
    found[1]();
  }
}
