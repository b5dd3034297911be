import { expect, test } from "vitest";
import { breadth, literal } from ".";

test("a rule says what it covers, and a glob that means one path is that path", () => {
  expect(breadth({ tool: "write_file", matcher: { by: "path", glob: "src/main.rs" } }).label).toBe("write_file to src/main.rs, in this conversation");
  expect(breadth({ tool: "write_file", matcher: { by: "path", glob: "**" } }).label).toBe("Any file with write_file, in this conversation");
  expect(breadth({ tool: "write_file", matcher: { by: "path", glob: "src/*.rs" } }).label).toContain("that fit src/*.rs");
  expect(breadth({ tool: "run_command", matcher: { by: "command", argv: ["tool ", "a b", "-x"] } })).toEqual({ label: "Exactly this command, in this conversation", detail: '"tool⟨U+0020⟩" "a b" -x' });
  expect(breadth({ tool: "git", matcher: { by: "repository", folder: "/home/ann/main\u202e/.git" } }).label).toBe("Git reads of /home/ann/main⟨U+202E⟩/.git, in this conversation");
  expect([literal("a[[]b[]]/[*].rs"), literal("a*b"), literal("[ab]"), literal("{a,b}")]).toEqual(["a[b]/*.rs", null, null, null]);
});

test("p54_a_rule_for_a_call_without_arguments_says_that_it_covers_exactly_those", () => {
  expect(breadth({ tool: "git_status", matcher: { by: "arguments", digest: "0".repeat(64) } }).label).toBe("git_status with exactly these arguments, in this conversation");
});
