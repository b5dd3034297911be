// The few WebDriver calls that the window tests need, over fetch.
// Starts nothing and waits for nothing: one call is one request.

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Names of keys that aren't characters, as the WebDriver standard numbers them. */
const KEYS = {
  Ctrl: "\uE009",
  Shift: "\uE008",
  Alt: "\uE00A",
  Meta: "\uE03D",
  Enter: "\uE007",
  Escape: "\uE00C",
  Tab: "\uE004",
  Backspace: "\uE003",
  Delete: "\uE017",
  Space: " ",
  Home: "\uE011",
  End: "\uE010",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
};

/** An answer of the driver that isn't success; `code` is the standard's word for it, e.g. "no such element". */
export class DriverError extends Error {
  constructor(code, message) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/**
 * Opens a session, which starts the program.
 * @param {string} driver address of the WebDriver server
 * @param {{ binary: string, args: string[] }} program
 */
export async function openSession(driver, program) {
  const { sessionId } = await call(driver, "POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": program } },
  });
  const session = (method, path, body) => call(driver, method, `/session/${sessionId}${path}`, body);
  return {
    title: () => session("GET", "/title"),
    address: () => session("GET", "/url"),
    reload: () => session("POST", "/refresh", {}),
    resize: (width, height) => session("POST", "/window/rect", { x: 0, y: 0, width, height }),
    closeWindow: () => session("DELETE", "/window"),
    close: () => session("DELETE", ""),
    /** All elements that match a CSS selector, in the page's order. */
    async elements(selector) {
      const found = await session("POST", "/elements", { using: "css selector", value: selector });
      return found.map((element) => element[ELEMENT]);
    },
    click: (element) => session("POST", `/element/${element}/click`, {}),
    type: (element, text) => session("POST", `/element/${element}/value`, { text }),
    clear: (element) => session("POST", `/element/${element}/clear`, {}),
    text: (element) => session("GET", `/element/${element}/text`),
    /** Presses keys together, e.g. "Ctrl+Enter": each down in this order, each up in the opposite one. */
    async press(chord) {
      const keys = chord.split("+").map((name) => KEYS[name] ?? name);
      const actions = [
        ...keys.map((value) => ({ type: "keyDown", value })),
        ...keys.toReversed().map((value) => ({ type: "keyUp", value })),
      ];
      await session("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
    },
    /**
     * Runs `work` in the page with `args` (JSON) and returns its result; a promise is waited for.
     * It is sent as text: it sees nothing of the test around it.
     */
    async execute(work, args) {
      const script = `const given = Array.from(arguments), done = given.pop();
        (async () => (${work})(...given))().then(
          (value) => done({ value: value ?? null }),
          (cause) => done({ cause: String(cause?.message ?? cause) }));`;
      const answer = await session("POST", "/execute/async", { script, args });
      if ("cause" in answer) throw new Error(`in the page: ${answer.cause}`);
      return answer.value;
    },
  };
}

async function call(driver, method, path, body) {
  const response = await fetch(driver + path, { method, body: body && JSON.stringify(body) });
  const { value } = await response.json();
  if (!response.ok) throw new DriverError(value.error, value.message);
  return value;
}
