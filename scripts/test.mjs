// `npm test`: sets the machine up, then runs every check and says which failed.
// A failed step doesn't stop those that don't need it; the exit code tells at the end.
//
//   npm test                        everything
//   npm test -- --only rust,ui      some groups of: rust, ui, window

import { readdirSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";

import { Missing, built, root, script, setUp, start } from "./setup.mjs";

const GROUPS = ["rust", "ui", "window"];

/**
 * The steps in their order. `groups` are those a step belongs to; `needs` are the steps that must have passed;
 * `system` is the only one a step can run on.
 *
 * The page comes first because the window embeds it: built later, it would make every check of the window build anew.
 * Clippy checks and nextest compiles, which share nothing but build scripts; the window and its tests then reuse what nextest
 * compiled, because both ask cargo for the whole workspace with its test dependencies, so that features are the same.
 */
const STEPS = [
  { name: "build the page", groups: ["rust", "ui", "window"], run: npm("ui:build") },
  { name: "format", groups: ["rust"], run: cargo("fmt", "--all", "--", "--check") },
  { name: "lints of Rust", groups: ["rust"], run: cargo("clippy", "--workspace", "--all-targets", "--", "-D", "warnings") },
  { name: "tests of Rust", groups: ["rust"], run: cargo("nextest", "run", "--workspace", "--no-fail-fast") },
  { name: "examples in the documentation", groups: ["rust"], run: cargo("test", "--doc", "--workspace") },
  { name: "types and lints of the page", groups: ["ui"], run: npm("ui:check") },
  { name: "tests of the page", groups: ["ui"], run: npm("ui:test") },
  { name: "build the window", groups: ["window"], needs: ["build the page"], run: cargo("build", "--workspace", "--bins", "--tests") },
  { name: "tests of the window", groups: ["window"], needs: ["build the window"], system: "linux", run: windowTests },
];

await script(() => {
  const groups = chosenGroups();
  const began = Date.now();
  const results = new Map();
  const setup = timed("set-up", () => setUp({ forTests: true }));
  results.set("set-up", setup);

  for (const step of STEPS.filter((step) => step.groups.some((group) => groups.includes(group)))) {
    const why = obstacle(step, results);
    results.set(step.name, why ? { outcome: "skipped", why } : timed(step.name, step.run));
  }
  report(results, Date.now() - began);
});

/** Why a step can't run, in words, or `null`. */
function obstacle(step, results) {
  if (step.system && step.system !== platform()) return `runs on ${step.system} only`;
  const lacking = (step.needs ?? []).find((name) => results.get(name)?.outcome !== "passed");
  return lacking ? `needs "${lacking}"` : null;
}

/** The groups named after `--only`, or all. */
function chosenGroups() {
  const args = process.argv.slice(2);
  if (args.length === 0) return GROUPS;
  const chosen = args.length === 2 && args[0] === "--only" ? args[1].split(",") : [];
  if (chosen.length === 0 || chosen.some((group) => !GROUPS.includes(group))) {
    throw new Missing(`Usage: npm test [-- --only GROUP[,GROUP…]], with groups ${GROUPS.join(", ")}.`);
  }
  return chosen;
}

function cargo(...args) {
  return () => command("cargo", args);
}

function npm(name) {
  return () => command("npm", ["run", "--silent", name]);
}

function windowTests() {
  const folder = join(root, "ui/tests/window");
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => join(folder, name));
  // One after the other: each starts a window, and time limits suffer on a small machine.
  command(process.execPath, ["--test", "--test-concurrency=1", "--test-reporter=spec", ...files], {
    ASSENT_DESKTOP: built("assent-desktop"),
    ASSENT_HEADLESS: built("assent"),
    ASSENT_FAKE_SERVER: built("assent-fake-server"),
  });
}

function command(program, args, environment = {}) {
  const { status, signal, error } = start(program, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Missing(`${program} ${args[0]} ${error ? error.message : `ended with ${status ?? signal}`}`);
}

/** Runs a step under a heading. What it prints stays as it is; only its outcome and time are kept. */
function timed(name, run) {
  console.log(`\n=== ${name} ===`);
  const began = Date.now();
  try {
    run();
    return { outcome: "passed", took: Date.now() - began };
  } catch (cause) {
    if (!(cause instanceof Missing)) throw cause;
    console.error(cause.message);
    return { outcome: "failed", took: Date.now() - began, why: cause.message.split("\n")[0] };
  }
}

function report(results, took) {
  console.log(`\n=== summary (${seconds(took)}) ===`);
  for (const [name, { outcome, took, why }] of results) {
    console.log(`${outcome.padEnd(8)}${(took === undefined ? "" : seconds(took)).padStart(9)}  ${name}${why ? `: ${why}` : ""}`);
  }
  const count = (outcome) => [...results.values()].filter((result) => result.outcome === outcome).length;
  const skipped = count("skipped");
  console.log(`\n${count("passed")} passed, ${count("failed")} failed${skipped ? `, ${skipped} skipped` : ""}`);
  process.exitCode = count("failed") === 0 ? 0 : 1;
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
