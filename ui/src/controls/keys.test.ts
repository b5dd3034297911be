import { expect, test } from "vitest";
import { Composition } from "./composition";
import { ariaShortcut, matches, platform, spell } from "./keys";

type Press = Partial<Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey" | "isComposing" | "keyCode" | "timeStamp">>;
const press = (event: Press): KeyboardEvent => ({ key: "Enter", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, isComposing: false, keyCode: 13, timeStamp: 5000, ...event }) as KeyboardEvent;

test("shortcuts are written as the platform writes them", () => {
  expect(platform("Mozilla/5.0 (Macintosh; Intel Mac OS X)")).toBe("mac");
  expect(platform("Mozilla/5.0 (X11; Linux x86_64)")).toBe("other");
  expect([spell("Mod+Enter", "mac"), spell("Mod+Enter", "other"), spell("J", "other"), spell("Mod+Shift+K", "mac")]).toEqual(["⌘↵", "Ctrl+Enter", "J", "⌘⇧K"]);
  expect([ariaShortcut("Mod+K", "mac"), ariaShortcut("Mod+K", "other")]).toEqual(["Meta+K", "Control+K"]);
});

test("a shortcut is met exactly or not at all", () => {
  expect(matches(press({ ctrlKey: true }), "Mod+Enter", "other")).toBe(true);
  expect(matches(press({ metaKey: true }), "Mod+Enter", "mac")).toBe(true);
  expect(matches(press({ metaKey: true }), "Mod+Enter", "other")).toBe(false);
  expect(matches(press({}), "Mod+Enter", "other")).toBe(false);
  expect(matches(press({ ctrlKey: true, shiftKey: true }), "Mod+Enter", "other")).toBe(false);
  expect(matches(press({ key: "a" }), "A", "other")).toBe(true);
  expect(matches(press({ key: "A", shiftKey: true }), "A", "other")).toBe(false);
  expect(matches(press({ key: "?", shiftKey: true }), "?", "other")).toBe(true);
  expect(matches(press({ ctrlKey: true, isComposing: true }), "Mod+Enter", "other")).toBe(false);
});

test("Enter that ends a composition belongs to the input method, in Chromium's order of events", () => {
  const composition = new Composition();
  composition.start();
  expect(composition.owns(press({ isComposing: true, keyCode: 229 }))).toBe(true);
  composition.end({ timeStamp: 5001 } as Event);
  expect(composition.owns(press({ timeStamp: 5400 }))).toBe(false);
});

test("Enter that ends a composition belongs to the input method, in WebKit's order of events", () => {
  const composition = new Composition();
  composition.start();
  composition.end({ timeStamp: 5000 } as Event);
  expect(composition.owns(press({ keyCode: 229, timeStamp: 5000.4 }))).toBe(true);
  expect(composition.owns(press({ keyCode: 13, timeStamp: 5001 })), "an input method that does not say 229").toBe(true);
  expect(composition.owns(press({ timeStamp: 5300 }))).toBe(false);
});

test("a composition that never ends is forgotten when the field loses focus", () => {
  const composition = new Composition();
  composition.start();
  expect(composition.owns(press({}))).toBe(true);
  composition.blur();
  expect(composition.owns(press({}))).toBe(false);
});
