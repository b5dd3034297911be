// How the window is divided: widths, what is open, and what becomes an overlay in a narrow window. Kept by the web view between starts.

const KEY = "assent-layout";
/** Narrower than this (px) the side panel lies over the conversation, and then the sidebar does too. */
const NARROW = { panel: 1000, sidebar: 760 };

export type PanelTab = "inbox" | "tasks" | "context";

export class Layout {
  width = $state(typeof window === "undefined" ? 1440 : window.innerWidth);
  sidebarSize = $state(236);
  panelSize = $state(316);
  /** What the person chose for a wide window. */
  #sidebarWanted = $state(true);
  #panelWanted = $state(false);
  /** What lies over the conversation in a narrow one. */
  #over = $state<"sidebar" | "panel" | null>(null);
  tab = $state<PanelTab>("inbox");
  /** The conversation that was looked at last. */
  last: string | null = null;

  constructor() {
    const kept = read();
    this.sidebarSize = kept.sidebarSize ?? this.sidebarSize;
    this.panelSize = kept.panelSize ?? this.panelSize;
    this.#sidebarWanted = kept.sidebar ?? true;
    this.#panelWanted = kept.panel ?? false;
    this.last = kept.last ?? null;
  }

  get isSidebarOver(): boolean {
    return this.width < NARROW.sidebar;
  }

  get isPanelOver(): boolean {
    return this.width < NARROW.panel;
  }

  get sidebar(): boolean {
    return this.isSidebarOver ? this.#over === "sidebar" : this.#sidebarWanted;
  }

  get panel(): boolean {
    return this.isPanelOver ? this.#over === "panel" : this.#panelWanted;
  }

  /** Whether something lies over the conversation. */
  get hasOverlay(): boolean {
    return (this.sidebar && this.isSidebarOver) || (this.panel && this.isPanelOver);
  }

  showSidebar(shown: boolean): void {
    if (this.isSidebarOver) this.#over = shown ? "sidebar" : null;
    else this.#sidebarWanted = shown;
    this.keep();
  }

  showPanel(shown: boolean): void {
    if (this.isPanelOver) this.#over = shown ? "panel" : null;
    else this.#panelWanted = shown;
    this.keep();
  }

  closeOverlay(): void {
    this.#over = null;
  }

  keep(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify({ sidebarSize: this.sidebarSize, panelSize: this.panelSize, sidebar: this.#sidebarWanted, panel: this.#panelWanted, last: this.last }));
    } catch {
      // Without storage the window opens with its usual widths.
    }
  }
}

type Kept = { sidebarSize?: number; panelSize?: number; sidebar?: boolean; panel?: boolean; last?: string | null };

function read(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Kept) : {};
  } catch {
    return {};
  }
}
