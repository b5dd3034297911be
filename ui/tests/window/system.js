// Windows of the system that belong to the program and that no WebDriver reaches: looked for, typed into and closed as by a keyboard.
// Knows nothing of what they are for.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The windows with this title on the app's display. */
async function windows(app, title) {
  try {
    return (await xdotool(app, "search", "--onlyvisible", "--name", title)).split("\n").filter(Boolean);
  } catch (cause) {
    // It ends with 1 where nothing is found.
    if (cause.code === 1) return [];
    throw cause;
  }
}

async function xdotool(app, ...args) {
  const { stdout } = await run("xdotool", args, { env: { ...process.env, DISPLAY: app.display } });
  return stdout.trim();
}

/** Waits for a dialog of the system and gives it the focus: there is no window manager that would. */
export async function systemDialog(app, title) {
  const [dialog] = await app.waitFor(() => windows(app, title), { until: (found) => found.length > 0, what: `the system's dialog "${title}"` });
  await xdotool(app, "windowfocus", "--sync", dialog);
  return {
    type: (text) => xdotool(app, "type", "--delay", "5", text),
    press: (key) => xdotool(app, "key", key),
    /** Waits until it is gone. */
    gone: () => app.waitFor(() => windows(app, title), { until: (found) => found.length === 0, what: `"${title}" is closed` }),
  };
}
