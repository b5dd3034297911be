// Installs what a fresh machine lacks: npm packages, the system's libraries and, for tests, the programs they drive.
// Builds nothing, and installs nothing outside npm, apt and cargo.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir, platform } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The top folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const isWindows = platform() === "win32";

/** What the window is compiled with on Debian and Ubuntu. */
const BUILD_PACKAGES = [
  "build-essential",
  "pkg-config",
  "libwebkit2gtk-4.1-dev",
  "librsvg2-dev",
  "libayatana-appindicator3-dev",
];

/** What the tests drive besides: a browser, the real window on a display of its own, and Chinese text. */
const TEST_PACKAGES = [
  "webkit2gtk-driver",
  "xvfb",
  "dbus-daemon",
  "imagemagick",
  "xdotool",
  "chromium",
  "chromium-driver",
  "fonts-noto-cjk",
  "locales",
];

/** Ubuntu's names for what Debian calls otherwise. */
const ON_UBUNTU = { chromium: "chromium-browser", "chromium-driver": "chromium-chromedriver" };

/** A reason to stop that the person at the terminal can act on. */
export class Missing extends Error {}

/**
 * Makes the machine ready to build, or throws [`Missing`] with what to do.
 * @param {{ forTests: boolean }} purpose
 */
export function setUp({ forTests }) {
  requireCargo();
  installSystemPackages(forTests ? [...BUILD_PACKAGES, ...TEST_PACKAGES] : BUILD_PACKAGES);
  installNpmPackages();
  if (forTests) installNextest();
}

/** Runs a program in the repository with the terminal's output; throws [`Missing`] where it fails. */
function install(what, program, args, environment = {}) {
  console.log(`Installing ${what} …`);
  const { status, error } = start(program, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...environment } });
  if (status !== 0) throw new Missing(`${what} could not be installed (${error?.message ?? `${program} ended with ${status}`}).`);
}

/** Runs a program to its end. On Windows npm is a script, which only a shell starts. */
export function start(program, args, options = {}) {
  return spawnSync(program, args, { cwd: root, shell: isWindows && program === "npm", ...options });
}

/** Whether a program can be started. */
export function has(program, args = ["--version"]) {
  return start(program, args, { stdio: "ignore" }).status === 0;
}

function requireCargo() {
  // rustup puts it here, and a terminal that was open before doesn't know it yet.
  const usual = join(homedir(), ".cargo", "bin");
  if (!has("cargo") && existsSync(usual)) process.env.PATH = `${process.env.PATH}${delimiter}${usual}`;
  if (!has("cargo")) throw new Missing("Rust is missing. Get it from https://rustup.rs and run this again.");
}

function installNpmPackages() {
  const lock = join(root, "package-lock.json");
  // npm writes this file last, so its age is that of the installation.
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) install("npm packages", "npm", ["ci", "--no-audit", "--no-fund"]);
  else if (statSync(installed).mtimeMs < statSync(lock).mtimeMs) install("npm packages", "npm", ["install", "--no-audit", "--no-fund"]);
}

function installNextest() {
  if (!has("cargo", ["nextest", "--version"])) install("cargo-nextest", "cargo", ["install", "cargo-nextest", "--locked"]);
}

function installSystemPackages(wanted) {
  if (platform() !== "linux") return;
  if (!has("dpkg-query") || !has("apt-get")) {
    requireLibraries();
    return;
  }
  const isUbuntu = /^ID=ubuntu$/m.test(readFileSync("/etc/os-release", "utf8"));
  const missing = wanted.map((name) => (isUbuntu ? (ON_UBUNTU[name] ?? name) : name)).filter((name) => !isInstalled(name));
  if (missing.length === 0) return;

  const prefix = aptPrefix();
  const apt = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  if (prefix === null) {
    throw new Missing(`These system packages are missing. Run this line, then try again:\n\n  sudo ${apt.join(" ")}\n`);
  }
  const quiet = { DEBIAN_FRONTEND: "noninteractive" };
  const [program, ...args] = [...prefix, ...apt];
  try {
    install(`system packages (${missing.join(" ")})`, program, args, quiet);
  } catch (cause) {
    if (!(cause instanceof Missing)) throw cause;
    // The list of packages is empty or old on a fresh machine.
    const [updater, ...update] = [...prefix, "apt-get", "update"];
    install("the list of system packages", updater, update, quiet);
    install(`system packages (${missing.join(" ")})`, program, args, quiet);
  }
}

function isInstalled(name) {
  const { stdout } = start("dpkg-query", ["-W", "-f=${db:Status-Status}", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  // Said once per architecture.
  return stdout.startsWith("installed");
}

/** What to put before `apt-get` so that it may install, or `null` where it may not without a password. */
function aptPrefix() {
  if (process.getuid() === 0) return [];
  return has("sudo", ["-n", "true"]) ? ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND"] : null;
}

/** On other kinds of Linux the packages' names differ, so only the libraries are looked for. */
function requireLibraries() {
  if (has("pkg-config", ["--exists", "webkit2gtk-4.1", "librsvg-2.0"])) return;
  throw new Missing(
    "WebKitGTK 4.1 or librsvg is missing, with its development files. Install them, for example:\n\n" +
      "  sudo dnf install webkit2gtk4.1-devel librsvg2-devel libappindicator-gtk3-devel\n" +
      "  sudo pacman -S --needed base-devel webkit2gtk-4.1 librsvg libappindicator-gtk3\n",
  );
}

/** The path of a program that `cargo build` has made, or with `profile` "release" that of `cargo build --release`. */
export function built(name, profile = "debug") {
  const { status, stdout, stderr } = start("cargo", ["metadata", "--no-deps", "--format-version", "1", "--offline"], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Missing(`cargo can't read the workspace:\n${stderr}`);
  return join(JSON.parse(stdout).target_directory, profile, isWindows ? `${name}.exe` : name);
}

/** Runs a script's body, and turns what is missing into one plain line and exit code 1. */
export async function script(body) {
  try {
    await body();
  } catch (cause) {
    if (!(cause instanceof Missing)) throw cause;
    console.error(cause.message);
    process.exit(1);
  }
}
