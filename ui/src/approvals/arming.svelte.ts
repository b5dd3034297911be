// When a decision may be taken at a card: after it has been on the screen for a moment, in a window that is in use, and once
// nothing of it is hidden. It decides nothing and sends nothing.
import { untrack } from "svelte";

/** A card that comes, moves or changes has to stand still for this long (ms) before a click or a key can mean it. */
export const HOLD_MS = 500;

const all = new Set<Arming>();

/** Where the pointer last really moved to. */
const pointer = { x: Number.NaN, y: Number.NaN };
window.addEventListener("pointermove", ({ clientX, clientY }) => Object.assign(pointer, { x: clientX, y: clientY }), { passive: true, capture: true });

/** A decision makes cards close and others move up: none of them can be meant by the click that is still under way. */
export function rearmAll(): void {
  for (const arming of all) arming.restart();
}

/** True once its condition has held for `HOLD_MS` without a break. */
class Hold {
  held = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  set(condition: boolean): void {
    if (!condition) {
      this.clear();
    } else if (!this.held) {
      this.#timer ??= setTimeout(() => (this.held = true), HOLD_MS);
    }
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.held = false;
  }
}

export class Arming {
  /** What is folded away or not scrolled to; whoever draws the preview keeps it up to date. */
  #folded = $state(0);
  #shown = false;
  #start = $state(false);
  #end = $state(false);
  #active = false;
  readonly #settled = new Hold();
  readonly #ready = new Hold();

  /** The card has stood still for a moment: it may be refused. */
  get settled(): boolean {
    return this.#settled.held;
  }

  /** All of it has been shown, and for long enough: it may be approved. */
  get ready(): boolean {
    return this.#ready.held;
  }

  get folded(): number {
    return this.#folded;
  }

  /** The part of the preview that was not on the screen yet. */
  get unseen(): "start" | "end" | null {
    if (!this.#start) return "start";
    return this.#end ? null : "end";
  }

  fold(count: number): void {
    this.#folded = count;
    this.#settle();
  }

  /** Everything begins anew, as if the card had just come. What was seen stays seen. */
  restart(): void {
    this.#settled.clear();
    this.#ready.clear();
    this.#settle();
  }

  /** To be told of a pointer that is over a button: where it didn't move to itself, the button came to it. */
  entered(event: PointerEvent): void {
    if (event.pointerType === "mouse" && event.clientX === pointer.x && event.clientY === pointer.y) this.restart();
  }

  /** An attachment for the preview, whose first and last child mark its start and end. */
  readonly watch = (preview: HTMLElement): (() => void) => {
    const [start, end] = [preview.firstElementChild, preview.lastElementChild];
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (target === preview) this.#shown = isIntersecting;
        else if (isIntersecting && target === start) this.#start = true;
        else if (isIntersecting && target === end) this.#end = true;
      }
      this.#settle();
    });
    for (const part of [preview, start, end]) if (part) observer.observe(part);

    const use = (): void => {
      this.#active = document.hasFocus() && document.visibilityState === "visible";
      this.#settle();
    };
    const leave = (): void => {
      this.#active = false;
      this.#settle();
    };
    window.addEventListener("focus", use);
    window.addEventListener("blur", leave);
    document.addEventListener("visibilitychange", use);
    all.add(this);
    use();

    return () => {
      observer.disconnect();
      window.removeEventListener("focus", use);
      window.removeEventListener("blur", leave);
      document.removeEventListener("visibilitychange", use);
      all.delete(this);
      this.#shown = false;
      this.#settle();
    };
  };

  #settle(): void {
    untrack(() => {
      const here = this.#shown && this.#active;
      this.#settled.set(here);
      this.#ready.set(here && this.#start && this.#end && this.#folded === 0);
    });
  }
}
