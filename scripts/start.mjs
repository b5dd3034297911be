// `npm start`: installs what is missing, builds, and opens the window; without a display, the terminal program.
// What is built already is not built again: cargo decides that for the programs, file times for the page.
//
//   npm start                 opens the window
//   npm start -- FOLDER       opens it with that folder

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { platform } from "node:os";
import { join, resolve } from "node:path";

import { Missing, built, root, script, setUp, start } from "./setup.mjs";

/** What the page is made from, beneath the repository. */
const PAGE_SOURCES = ["ui/src", "ui/index.html", "ui/vite.config.ts", "ui/svelte.config.js", "ui/project.inlang", "package-lock.json"];

await script(async () => {
  setUp({ forTests: false });
  if (!isPageFresh()) build("the page", "npm", ["run", "--silent", "ui:build"]);
  if (hasDisplay()) {
    build("the window", "cargo", ["build", "--package", "assent-desktop"]);
    await open("assent-desktop", folders());
  } else {
    console.log("There is no display here, so Assent opens in this terminal.");
    build("the terminal program", "cargo", ["build", "--package", "assent-headless"]);
    await open("assent", ["chat", ...folders().flatMap((folder) => ["--workspace", folder])]);
  }
});

function hasDisplay() {
  return platform() !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Folders are named from where `npm start` was called, not from the repository. */
function folders() {
  const from = process.env.INIT_CWD ?? process.cwd();
  return process.argv.slice(2).map((folder) => resolve(from, folder));
}

function build(what, program, args) {
  console.log(`Building ${what} …`);
  const { status, error } = start(program, args, { stdio: "inherit" });
  if (status !== 0) throw new Missing(`${what} could not be built (${error?.message ?? `${program} ended with ${status}`}).`);
}

/** Runs a built program until it ends, and ends as it did. */
async function open(name, args) {
  const program = spawn(built(name), args, { stdio: "inherit", cwd: process.env.INIT_CWD ?? root });
  // Ctrl+C reaches the program itself, which may take it as "stop this turn"; this process only waits.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => program.kill(signal));
  const [code] = await once(program, "exit");
  process.exitCode = code ?? 1;
}

function isPageFresh() {
  const page = statSync(join(root, "ui/dist/index.html"), { throwIfNoEntry: false });
  // The build script of the window leaves a sentence here where the page was missing; that has no scripts beside it.
  const scripts = statSync(join(root, "ui/dist/assets"), { throwIfNoEntry: false });
  return Boolean(page && scripts) && PAGE_SOURCES.every((source) => newest(join(root, source)) <= page.mtimeMs);
}

/** When the newest file at or beneath `path` was written, in milliseconds; generated words don't count. */
function newest(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path)
    .filter((name) => name !== "paraglide" && name !== "cache")
    .reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}
