// A screen of its own for each app under test, so that a picture of the screen is a picture of one window.
// Knows nothing of WebDriver or of Assent.

import { spawn, execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Starts Xvfb on the first free display.
 * @param {{ width: number, height: number }} size of the screen, in pixels
 */
export async function openDisplay({ width, height }) {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const name = `:${await firstLine(server, server.stdio[3], "Xvfb")}`;
  return {
    name,
    process: server,
    /** Writes the whole screen to `file` as PNG. (WebKitWebDriver's own screenshot never answers.) */
    async picture(file) {
      await run("import", ["-display", name, "-window", "root", file]);
    },
    close: () => end(server),
  };
}

/** A message bus of its own, for tests in which two processes have to find each other. */
export async function openBus() {
  const daemon = spawn("dbus-daemon", ["--session", "--nofork", "--print-address=3"], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const address = await firstLine(daemon, daemon.stdio[3], "dbus-daemon");
  return { address, close: () => end(daemon) };
}

/** Ends a process that a test started and waits until it is gone. */
export async function end(child, signal = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await gone;
}

/** What `child` writes first to `stream`; fails with its error output where it ends or can't start instead. */
export function firstLine(child, stream, program) {
  return new Promise((done, fail) => {
    let said = "";
    let complaint = "";
    child.stderr?.on("data", (bytes) => (complaint += bytes));
    child.once("error", (cause) => fail(new Error(`${program} can't be started: ${cause.message}`)));
    child.once("exit", (code) => fail(new Error(`${program} ended at once (${code}): ${complaint}`)));
    stream.on("data", (bytes) => {
      said += bytes;
      const line = said.indexOf("\n");
      if (line >= 0) done(said.slice(0, line).trim());
    });
  });
}
