// What a menu holds. Shared by Menu and by whoever builds its entries.
import type { Component } from "svelte";

export type MenuItem = {
  label: string;
  run: () => void;
  /** A second line in the quiet tone. */
  detail?: string;
  icon?: Component<{ size?: number | string }>;
  keys?: string;
  disabled?: boolean;
  /** Red: what it does is not easily undone. */
  risk?: boolean;
  /** Given, the entry is a choice that is on or off. */
  checked?: boolean;
};
export type MenuEntry = MenuItem | "line" | { heading: string };
