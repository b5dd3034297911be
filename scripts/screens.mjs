// `npm run screens`: drives the real window through invented work and takes pictures of it. It builds nothing and checks nothing:
// the pictures are there to be looked at. They lie in ASSENT_SHOTS, or in a temporary folder whose path is printed.
//
//   npm run screens -- [--theme light|dark] [--lang en|zh-CN] [--size 1280x820] [--sharp] [--only cards,chat] [--folder DIR] [--slow]
//
// What is left out means: both themes, both languages, one size, all scenes. `--sharp` draws two pixels for each, `--folder` is where
// the projects are put (their path is seen), `--slow` waits for the watchdog as well. The programs are those of `cargo build
// --workspace --bins`, or those that ASSENT_DESKTOP and ASSENT_FAKE_SERVER name.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { Missing, built, script } from "./setup.mjs";

const SCREEN = /^(\d+)x(\d+)$/;

await script(async () => {
  const { values: given } = parseArgs({
    options: {
      theme: { type: "string" },
      lang: { type: "string" },
      size: { type: "string", default: "1280x820" },
      only: { type: "string" },
      folder: { type: "string" },
      sharp: { type: "boolean", default: false },
      slow: { type: "boolean", default: false },
    },
  });
  process.env.ASSENT_SHOTS ??= mkdtempSync(join(tmpdir(), "assent-screens-"));
  process.env.ASSENT_DESKTOP ??= built("assent-desktop");
  process.env.ASSENT_FAKE_SERVER ??= built("assent-fake-server");
  const size = SCREEN.exec(given.size);
  if (!size) throw new Missing("--size wants two numbers of pixels, as 1280x820");
  // They read the environment when they are loaded.
  const { SCENES } = await import("./screens/scenes.mjs");
  const { Stage } = await import("./screens/stage.mjs");
  const names = given.only?.split(",") ?? Object.keys(SCENES).filter((name) => given.slow || name !== "watchdog");
  for (const name of names) if (!(name in SCENES)) throw new Missing(`There is no scene "${name}", only ${Object.keys(SCENES).join(", ")}.`);

  for (const theme of given.theme ? [given.theme] : ["light", "dark"]) {
    for (const lang of given.lang ? [given.lang] : ["en", "zh-CN"]) {
      const look = { theme, lang, sharp: given.sharp, size: { width: Number(size[1]), height: Number(size[2]) } };
      for (const name of names) await play(name, SCENES[name], await Stage.open(look, { folder: given.folder, makeProject }));
    }
  }
  console.log(process.env.ASSENT_SHOTS);
});

/** One scene in a window of its own, so that a scene that goes wrong spoils no other. */
async function play(name, scene, stage) {
  try {
    await scene(stage);
  } catch (cause) {
    console.error(`${name} (${stage.mark}): ${cause.message}`);
    await stage.picture(`${name}-broken`);
    process.exitCode = 1;
  } finally {
    await stage.close();
  }
}

/** A folder under git with these files in it, anew. */
function makeProject(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const git = (...args) => execFileSync("git", ["-C", folder, "-c", "user.name=Sam", "-c", "user.email=sam@example.com", ...args], { stdio: ["ignore", "ignore", "inherit"] });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
}
