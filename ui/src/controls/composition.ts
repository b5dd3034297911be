// Knows whether an input method is at work in a field, in every order of events the web views have.
// It decides nothing about what a key does.
import { isComposing } from "./keys";

/** No person ends a composition and presses Enter anew within this time (ms); an input method's own Enter comes at once. */
const SAME_KEYSTROKE_MS = 30;

export class Composition {
  #active = false;
  #endedAt = Number.NEGATIVE_INFINITY;

  start(): void {
    this.#active = true;
  }

  end(event: Event): void {
    this.#active = false;
    this.#endedAt = event.timeStamp;
  }

  /** Some input methods never say that they ended when the field loses focus. */
  blur(): void {
    this.#active = false;
    this.#endedAt = Number.NEGATIVE_INFINITY;
  }

  /** True when this key press is the input method's, so that the field must not act on it. */
  owns(event: KeyboardEvent): boolean {
    return this.#active || isComposing(event) || event.timeStamp - this.#endedAt < SAME_KEYSTROKE_MS;
  }
}
