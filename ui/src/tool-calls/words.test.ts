import { afterEach, expect, test } from "vitest";
import { everyState, makeCall, read } from "../gallery/calls";
import { language } from "../locales";
import type { Cause, Decider, Outcome } from "../protocol";
import { readArguments } from "./arguments";
import { rows } from "./rows";
import { verbOf } from "./verbs";
import { brief, revertible, status, unresolved } from "./words";

afterEach(() => language.set("en"));

test("results are said in a few words, in both languages", () => {
  expect(brief({ says: "lines", first: 1, last: 212, total: 640 })).toBe("lines 1–212 of 640");
  expect(brief({ says: "lines", first: 1, last: 88, total: 88 })).toBe("88 lines");
  expect(brief({ says: "matches", count: 7, files: 3, more: false })).toBe("7 matches in 3 files");
  expect(brief({ says: "matches", count: 1, files: 1, more: false })).toBe("1 match in 1 file");
  expect(brief({ says: "matches", count: 0, files: 0, more: false })).toBe("no matches");
  expect(brief({ says: "changed", added: 4, removed: 3 })).toBe("+4 −3");
  expect(brief({ says: "exit", code: 0, signal: null })).toBe("exit 0");
  expect(brief({ says: "exit", code: null, signal: 9 })).toBe("ended by signal 9");
  language.set("zh-CN");
  expect(brief({ says: "matches", count: 7, files: 3, more: false })).toBe("3 个文件中的 7 处匹配");
});

test("who refused is said, and an interruption is never called a rejection", () => {
  const words = (outcome: Outcome, cause: Cause | null): string => status(makeCall("write_file", "a", { result: { outcome, cause } }), undefined)[0]?.text ?? "";
  expect(words("rejected", "user")).toBe("rejected by you");
  expect(words("rejected", "mode")).toBe("refused by the mode");
  expect(words("rejected", "rule")).toBe("refused by a rule");
  expect(words("rejected", "repeated")).toBe("not run again: it had the same result twice");
  expect(words("rejected", "bad-arguments")).toBe("not run: the arguments don't fit");
  expect(words("stopped", "interrupted")).toBe("interrupted by a restart");
  expect(words("stopped", "timeout")).toBe("stopped: out of time");
  expect(words("error", "unknown-tool")).toBe("there is no such tool");
  expect(words("unknown", null)).toBe("outcome unknown");
  for (const cause of ["interrupted", "timeout", "stop"] as const) expect(words("stopped", cause)).not.toMatch(/reject|refus/);
});

test("a call that ran unasked says who let it run", () => {
  const words = (name: string, by: Decider): (string | undefined)[] => status(makeCall(name, "a", { verdict: { answer: "run", by }, result: { outcome: "ok" } }), undefined).map(({ text }) => text);
  expect(words("write_file", "mode")).toEqual(["allowed by mode Auto"]);
  expect(words("write_file", "rule")).toEqual(["allowed by a rule of yours"]);
  expect(words("read_file", "tool")).toEqual([]);
});

test("a rule that was taken back is known by the calls that it let run", () => {
  const rule = { tool: "write_file", matcher: { by: "path", glob: "a" } } as const;
  const call = makeCall("write_file", "a", { read_only: false, tier: "medium", verdict: { answer: "run", by: "rule", rule } });
  call.revoked({ tool: "write_file", matcher: { by: "path", glob: "b" } });
  expect([call.rule, call.ruleRevoked]).toEqual([rule, false]);
  call.revoked(rule);
  expect(call.ruleRevoked).toBe(true);
});

test("only neighbouring reads that went well share a row", () => {
  const failed = makeCall("read_file", "x", { result: { outcome: "error" } });
  const running = makeCall("read_file", "y");
  const grouped = rows([read("a", 1), read("b", 1), failed, read("c", 1), running, makeCall("grep", "z", { result: { outcome: "ok" } }), read("d", 1), read("e", 1), read("f", 1)]);
  expect(grouped.map(({ calls }) => calls.length)).toEqual([2, 1, 1, 1, 1, 3]);
});

test("what can be taken back and what must be settled is known", () => {
  const calls = everyState();
  expect(calls.filter(revertible).map(({ target }) => target)).toEqual(["src/retry.rs", "CHANGELOG.md"]);
  expect(calls.filter(unresolved).map(({ target }) => target)).toEqual(["./deploy.sh staging"]);
});

test("arguments are read without trust", () => {
  expect(readArguments('{"path":"a","edits":[{"old":"x"}],"n":3}')?.map(({ name, form }) => [name, form])).toEqual([["path", "short"], ["edits", "block"], ["n", "short"]]);
  expect(readArguments("{}")).toEqual([]);
  for (const raw of ['{"a":', "[1]", "null", "7"]) expect(readArguments(raw)).toBeNull();
});

test("a tool without a verb of its own is called by its name, also when it is named like something of the language", () => {
  for (const name of ["mcp_calendar_add", "constructor", "toString", "__proto__"]) expect(verbOf(name).done()).toBe(name);
});
