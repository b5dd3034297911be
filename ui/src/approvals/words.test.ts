import { expect, test } from "vitest";
import { countCharacters, indented, shown, WHOLE } from "./command";
import { commandCard, repositoryCard } from "../gallery/calls";
import { reachOf, title, warn } from "./words";

test("p08_a_long_command_hides_a_counted_middle_and_nothing_when_opened", () => {
  const command = `${"echo ok; ".repeat(6655)}; touch MARK`;
  const view = shown(command, false);
  const kept = [...view.head.lines, ...(view.tail?.lines ?? [])].join("");
  expect(view.hidden).toBeGreaterThan(50_000);
  expect(countCharacters(kept) + view.hidden).toBe(countCharacters(command));
  expect(view.tail?.lines.at(-1)).toMatch(/; touch MARK$/);
  expect(shown(command, true)).toEqual({ head: { lines: [command] }, hidden: 0, tail: null });
  expect(shown("😀".repeat(WHOLE), false).hidden).toBe(0);
});

test("indentation stands as it is, anything else at the edges of a line doesn't", () => {
  expect(indented("    then", false)).toEqual({ indent: "    ", rest: "then" });
  expect(indented("  tool", true)).toEqual({ indent: "", rest: "  tool" });
  expect(indented(`${" ".repeat(40)}x`, false).indent).toBe("");
  expect(indented("   ", false).indent).toBe("");
});

test("a program that runs many times in a row inside a command is named once and counted", () => {
  const card = commandCard("cp a b && …", { inner: ["cargo", ...Array.from({ length: 90 }, () => "cp"), "echo"] });
  expect(reachOf(card, null, null).map(({ strong }) => strong)).toContain("cargo › cp ×90 › echo");
});

test("a card for a repository elsewhere names it, and says that it is outside and that what it holds is sent", () => {
  const card = repositoryCard("/r/.git");
  expect(title(card.reason)).toBe("Read the repository /r/.git");
  expect(card.reach.warnings.map(warn)).toEqual(["This folder is a linked worktree: branches, commits and files of every branch are read from /r/.git"]);
  expect(reachOf(card, "~/work", "m").map(({ text }) => text)).toEqual(["what it holds is sent to m", "outside of the workspace", "a repository elsewhere"]);
});
