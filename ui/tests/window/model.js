// The fake model server as a process beside the window, and how a window is told to use it.
// What it answers is decided by each test, in a script or in the words that are sent (see `src-tauri/testkit/src/fake_server.rs`).

import { spawn } from "node:child_process";

import { end, firstLine } from "./display.js";

/** Starts the server on a free port of loopback. It ends with `close`, or with the test process. */
export async function startModel() {
  const binary = process.env.ASSENT_FAKE_SERVER;
  if (!binary) throw new Error("ASSENT_FAKE_SERVER must name the built assent-fake-server; `npm test -- --only window` sets it");
  const server = spawn(binary, [], { stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => server.kill("SIGKILL");
  process.once("exit", stop);
  const root = `http://127.0.0.1:${await firstLine(server, server.stdout, "assent-fake-server")}`;
  const get = async (path) => (await fetch(root + path)).json();
  const post = async (path, body) => {
    const answer = await fetch(root + path, { method: "POST", body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  return {
    root,
    baseUrl: `${root}/v1`,
    /** Every request for an answer so far, as `{ path, authorization, body }`. */
    requests: () => get("/__requests"),
    /** Their bodies, parsed. */
    bodies: async () => (await get("/__requests")).map(({ body }) => (typeof body === "string" ? JSON.parse(body) : body)),
    /** The same for titles and summaries, which no script counts on. */
    asides: async () => (await get("/__asides")).map(({ body }) => (typeof body === "string" ? JSON.parse(body) : body)),
    /** What was wrong with requests; empty is good. */
    violations: () => get("/__violations"),
    state: () => get("/__state"),
    /** Plays this from now on; everything else begins anew. */
    play: (script) => post("/__script", script),
    /** Lets one answer pass at a gate. */
    release: (gate) => post(`/__release/${gate}`),
    async close() {
      process.removeListener("exit", stop);
      await end(server);
    },
  };
}

/**
 * Makes the server's model the one of new conversations, as a person does in the settings.
 * @param {object} [changes] further settings
 */
export async function useModel(app, model, changes = {}) {
  const provider = {
    id: "fake",
    name: "Fake",
    base_url: model.baseUrl,
    protocol: "chat-completions",
    models: ["tiny"],
    key_variable: null,
    window: 128_000,
    echo_reasoning: false,
  };
  await app.call("save_provider", { provider });
  const { settings } = await app.call("overview", {});
  const offered = await app.call("models", {});
  const { choice } = offered.find(({ choice }) => choice.provider === "fake");
  await app.call("save_settings", { settings: { ...settings, ...changes, model: choice } });
}

/**
 * A reply streamed by hand: each text is one event, `{ gate: "name" }` waits there; it ends in good order.
 * @param {(string | { gate: string })[]} parts
 * @param {object} [fields] further fields of the reply
 */
export function streamed(parts, fields = {}) {
  const piece = (delta, finish_reason = null) => ({ event: { choices: [{ index: 0, delta, finish_reason }] } });
  const steps = parts.map((part) => (typeof part === "string" ? piece({ content: part }) : part));
  return { ...fields, steps: [...steps, piece({}, "stop"), { raw: "data: [DONE]\n\n" }] };
}
