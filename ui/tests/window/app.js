// Starts the real desktop program on a display of its own, drives its page and ends it.
// Contains no expectation about what the page shows.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { end, openDisplay } from "./display.js";
import { DriverError, openSession } from "./webdriver.js";

/** How long a condition may take to come true before the test fails, in milliseconds. */
const PATIENCE = 15_000;
/** Between two looks at a condition, in milliseconds. */
const LOOK_AGAIN = 40;

const shots = process.env.ASSENT_SHOTS ?? join(tmpdir(), "assent-shots");

/** What is still running; ended when the test process ends, however it does. */
const running = new Set();
/** Folders made for tests; removed when the test process ends. */
const folders = new Set();
process.on("exit", () => {
  for (const pid of running) killQuietly(pid);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder, with Chinese and a space in its name, as users' folders have. */
export function temporaryFolder(name = "家 home") {
  const parent = mkdtempSync(join(tmpdir(), "assent-"));
  folders.add(parent);
  const folder = join(parent, name);
  mkdirSync(folder);
  return folder;
}

/**
 * Starts the program and waits until its page has loaded.
 *
 * @param {object} options
 * @param {string} [options.home] data folder; a new one where it is left out
 * @param {Record<string, string>} [options.env] further environment
 * @param {string} [options.folder] the folder named on the command line
 * @param {{ width: number, height: number }} [options.size] of the screen and of the window, in pixels
 * @param {boolean} [options.resize] `false` leaves the window as large as the program opens it
 * @param {"light" | "dark"} [options.theme] of the desktop
 * @param {"en" | "zh-CN"} [options.lang] of the desktop
 */
export async function launch({
  home,
  env,
  folder,
  size = { width: 1280, height: 820 },
  resize = true,
  theme = "light",
  lang = "en",
} = {}) {
  const data = home ?? temporaryFolder();
  const display = await openDisplay(size);
  track(display.process);

  const port = await freePort();
  const driver = spawn(process.env.ASSENT_WEBDRIVER ?? "WebKitWebDriver", [`--port=${port}`], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...desktop({ data, display, theme, lang }), ...env },
  });
  track(driver);
  const output = [];
  for (const stream of [driver.stdout, driver.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => output.push(text));
  }

  const address = `http://127.0.0.1:${port}`;
  let session;
  try {
    await eventually(() => fetch(`${address}/status`).then((answer) => answer.ok, () => false), Boolean, "WebKitWebDriver answers");
    session = await openSession(address, { binary: program(), args: folder ? [folder] : [] });
  } catch (cause) {
    await Promise.all([end(driver, "SIGKILL"), display.close()]);
    throw new Error(`the program didn't start: ${cause.message}\n${output.join("")}`);
  }
  const pid = childOf(driver.pid);
  running.add(pid);

  const app = {
    pid,
    home: data,
    display: display.name,
    session,

    /** Everything the program has printed, its page's console included. */
    output: () => output.join(""),
    /** Lines of the page's console that report an error or a refusal by the content policy. */
    consoleErrors: () =>
      output
        .join("")
        .split("\n")
        .filter((line) => /^CONSOLE \S* ?(ERROR|WARN)|Content Security Policy/i.test(line)),

    /** Waits until `look()` gives something that `until` accepts (anything truthy where it is left out), and returns it. */
    waitFor: (look, { until = Boolean, within = PATIENCE, what = String(look) } = {}) => eventually(look, until, what, within),

    /**
     * The first visible element that matches a CSS selector and, where `text` is given, contains it or has it in its name; waits for it.
     * @returns {Promise<string>} the element's WebDriver id
     */
    find: async (selector, { text, within } = {}) => {
      try {
        return await eventually(() => visible(session, selector, text), Boolean, text ? `${selector} with "${text}"` : selector, within);
      } catch (cause) {
        cause.message += `\nThe page shows:\n${await session.execute(() => document.body.innerText.slice(-2000), [])}`;
        throw cause;
      }
    },

    click: (selector, which) => acting(app, selector, which, (element) => session.click(element)),
    /** Types into an element as a keyboard would. */
    type: (selector, text, which) => acting(app, selector, which, (element) => session.type(element, text)),
    /** The visible text of an element. */
    text: (selector, which) => acting(app, selector, which, (element) => session.text(element)),
    /** Presses keys together where the focus is, e.g. `press("Ctrl+Enter")`. */
    press: (chord) => session.press(chord),
    /** Runs a function in the page; see `webdriver.js`. */
    execute: (work, ...args) => session.execute(work, args),
    /** Calls a command of the backend as the page does. */
    invoke: (command, args = {}) =>
      session.execute((name, given) => window.__TAURI_INTERNALS__.invoke(name, given), [command, args]),
    /** Asks the engine, as the page does. */
    call: (method, params) => app.invoke(method, { params }),
    /** Writes a picture of the window, `NAME.png` in the folder of pictures, and returns its path. */
    async screenshot(name) {
      mkdirSync(shots, { recursive: true });
      const file = join(shots, `${name}.png`);
      await painted(session);
      await display.picture(file);
      return file;
    },

    /** Ends the program in good order, as the end of a desktop session does. */
    quit: () => leave("SIGTERM"),
    /** Ends the program as a crash does. Its data folder stays. */
    kill9: () => leave("SIGKILL"),
    /** Ends it if it still runs. For a test's end. */
    close: () => leave("SIGKILL"),
  };

  async function leave(signal) {
    if (running.has(pid)) {
      killQuietly(pid, signal);
      await eventually(() => !isAlive(pid), Boolean, `the program ends after ${signal}`);
      running.delete(pid);
    }
    await end(driver);
    await display.close();
  }

  try {
    if (resize) await session.resize(size.width, size.height);
    await eventually(() => session.execute(() => document.readyState, []), (state) => state === "complete", "the page has loaded");
  } catch (cause) {
    await app.close();
    throw cause;
  }
  return app;
}

/** The environment of a desktop of its own: no settings, bus or graphics of the one the tests run on. */
function desktop({ data, display, theme, lang }) {
  return {
    ASSENT_HOME: data,
    ASSENT_WEB_CONSOLE: "1",
    // Without these two the driver waits for ever.
    TAURI_AUTOMATION: "true",
    TAURI_WEBVIEW_AUTOMATION: "true",
    DISPLAY: display.name,
    GDK_BACKEND: "x11",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent",
    XDG_CONFIG_HOME: join(data, "xdg-config"),
    XDG_DATA_HOME: join(data, "xdg-data"),
    GTK_THEME: theme === "dark" ? "Adwaita:dark" : "Adwaita",
    NO_AT_BRIDGE: "1",
    // No input method serves this display.
    GTK_IM_MODULE: "",
    XMODIFIERS: "",
    WAYLAND_DISPLAY: "",
    ...(lang === "zh-CN" ? chinese() : { LANG: "C.UTF-8", LC_ALL: "C.UTF-8", LANGUAGE: "en" }),
  };
}

/** The environment of a Chinese desktop. Few machines have that locale, so it is compiled once into a temporary folder. */
function chinese() {
  const folder = join(tmpdir(), "assent-locales");
  if (!existsSync(join(folder, "zh_CN.UTF-8"))) {
    const fresh = mkdtempSync(join(tmpdir(), "assent-locales-"));
    execFileSync("localedef", ["-i", "zh_CN", "-f", "UTF-8", join(fresh, "zh_CN.UTF-8")], { stdio: ["ignore", "inherit", "inherit"] });
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  }
  return { LOCPATH: folder, LANG: "zh_CN.UTF-8", LC_ALL: "zh_CN.UTF-8", LANGUAGE: "zh_CN" };
}

/** The program under test, as `npm test` built it. */
export function program() {
  const binary = process.env.ASSENT_DESKTOP;
  if (!binary) throw new Error("ASSENT_DESKTOP must name the built assent-desktop; `npm test -- --only window` sets it");
  return binary;
}

async function acting(app, selector, which, act) {
  // The page may redraw an element between finding it and acting on it; then it is looked for anew.
  for (;;) {
    const element = await app.find(selector, which);
    try {
      return await act(element);
    } catch (cause) {
      if (!isStale(cause)) throw cause;
    }
  }
}

async function visible(session, selector, text) {
  const index = await session.execute(
    (css, part) =>
      [...document.querySelectorAll(css)].findIndex(
        (element) => element.checkVisibility({ visibilityProperty: true }) && (part === null || element.innerText.includes(part) || (element.ariaLabel ?? "").includes(part)),
      ),
    [selector, text ?? null],
  );
  if (index < 0) return null;
  try {
    return (await session.elements(selector))[index];
  } catch (cause) {
    // The page redrew while the driver listed its elements: the next look finds the new ones.
    if (!isStale(cause)) throw cause;
    return null;
  }
}

function isStale(cause) {
  return cause instanceof DriverError && cause.code === "stale element reference";
}

/** Waits until the page has drawn what it knows by now. */
function painted(session) {
  return session.execute(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))),
    [],
  );
}

async function eventually(look, until, what, within = PATIENCE) {
  const deadline = Date.now() + within;
  for (;;) {
    const seen = await look();
    if (until(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`not within ${within} ms: ${what} (last seen: ${JSON.stringify(seen)})`);
    await new Promise((again) => setTimeout(again, LOOK_AGAIN));
  }
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function track(child) {
  running.add(child.pid);
  child.once("exit", () => running.delete(child.pid));
}

/** The process that WebKitWebDriver started: the program itself. */
function childOf(parent) {
  const found = processes().find(({ parent: of }) => of === parent);
  if (!found) throw new Error("WebKitWebDriver has no child: the program has ended");
  return found.pid;
}

/** Every process with its parent. */
export function processes() {
  const all = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The command stands in parentheses and may contain any character; state and parent follow it.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      all.push({ pid: Number(name), parent: Number(parent), state });
    } catch (cause) {
      if (cause.code !== "ENOENT" && cause.code !== "ESRCH") throw cause;
    }
  }
  return all;
}

/** The command lines of all running processes, with spaces between their parts. */
export function commands() {
  return processes().flatMap(({ pid, state }) => {
    if (state === "Z") return [];
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()];
    } catch (cause) {
      if (cause.code !== "ENOENT" && cause.code !== "ESRCH") throw cause;
      return [];
    }
  });
}

function isAlive(pid) {
  const found = processes().find((entry) => entry.pid === pid);
  return found !== undefined && found.state !== "Z";
}

function killQuietly(pid, signal = "SIGKILL") {
  try {
    process.kill(pid, signal);
  } catch (cause) {
    if (cause.code !== "ESRCH") throw cause;
  }
}
