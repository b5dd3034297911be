// Table. What is said and shown in the pictures, in both languages: an invented project, invented questions and answers.

export const FILES = {
  "src/retry.rs": `//! Sends a request, and again where that can't repeat anything.

use std::time::Duration;

use crate::stream::{Error, Request, Response, Stream};

/// Pauses before another attempt.
const WAITS: [Duration; 3] = [Duration::from_millis(200), Duration::from_millis(800), Duration::from_secs(3)];

pub struct Client {
    inner: Stream,
}

impl Client {
    pub fn new(inner: Stream) -> Self {
        Self { inner }
    }

    /// Sends a request and returns its answer.
    pub async fn send(&self, request: &Request) -> Result<Response, Error> {
        let mut waits = WAITS.iter();
        loop {
            match self.inner.stream(request).await {
                Ok(response) => return Ok(response),
                Err(error) => match waits.next() {
                    Some(wait) => tokio::time::sleep(*wait).await,
                    None => return Err(error),
                },
            }
        }
    }
}
`,
  "src/stream.rs": `//! A stream of text from the server.

pub struct Stream;
pub struct Request;
pub struct Response;

#[derive(Debug)]
pub enum Error {
    Connect,
    Cut { after: usize },
}

impl Stream {
    pub async fn stream(&self, _request: &Request) -> Result<Response, Error> {
        Ok(Response)
    }
}
`,
  "src/lib.rs": "pub mod retry;\npub mod stream;\n",
  "src/old/legacy.rs": "pub fn retry() {}\n",
  "tests/retry.rs": "#[test]\nfn keeps_what_arrived() {\n    // The server closes after 12 kB.\n}\n",
  "Cargo.toml": '[package]\nname = "atlas"\nversion = "0.4.0"\nedition = "2024"\n',
  "README.md": "# atlas\n\nA client that keeps what arrived.\n",
};

const RETRY_TEST = `//! A stream that has begun is never begun again.

use atlas::retry::Client;
use atlas::stream::{Error, Request, Stream};

#[tokio::test]
async fn keeps_what_arrived() {
    let client = Client::new(Stream::cut_after(12_000));
    let answer = client.send(&Request::get("/long")).await;
    assert!(matches!(answer, Err(Error::Cut { after: 12_000 })));
    assert_eq!(client.attempts(), 1);
}
`;

const CODE = `\`\`\`rust
pub async fn open(&self, request: &Request) -> Result<Response, Error> {
    for wait in WAITS {
        match self.client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) if error.is_connect() => sleep(wait).await,
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::GaveUp)
}
\`\`\``;

export const TEST_OUTPUT = [
  "\\033[1;32m   Compiling\\033[0m atlas v0.4.0",
  "\\033[1;33mwarning\\033[0m: unused variable: \\`waits\\`",
  "\\033[1;32m    Finished\\033[0m \\`test\\` profile in 1.12s",
  "running 3 tests",
  "test retry::opens_again ... \\033[32mok\\033[0m",
  "test retry::gives_up ... \\033[32mok\\033[0m",
  "test retry::keeps_what_arrived ... \\033[31mFAILED\\033[0m",
];

const en = {
  title: "Retry only before the first byte",
  ask: "Streams are retried after they have begun. Fix it in @src/retry.rs and run the tests.",
  finding: "The loop in `send()` retries on any error, including those that arrive after the first chunk, so a dropped connection repeats text that the user has already seen. I'll retry only until the response has started, and keep what arrived otherwise.",
  thinking: "The report says that text appears twice. That happens when a request is sent again after its answer has begun.",
  explain: "How does the client decide what to send again?",
  explained: `## What is sent again, and what isn't

A request is sent again **only before its answer has begun**. After that, what arrived is kept and the reader is told *why* it ends; see [the notes](https://example.com/notes/streams).

1. Open the connection, at most four times
2. Read until the end
   - what came so far is never thrown away
   - a cut ends in \`Error::Cut\`
3. Say what happened

| what goes wrong | before | now |
|:--|:-:|--:|
| no connection | 3 attempts | 4 attempts |
| cut after 12 kB | text twice | **kept**, with a note |
| 429 with \`retry-after\` | 3 attempts | waits as long as it says |

${CODE}

> A stream that has begun is never begun again.

- [x] Retry before the first byte
- [ ] Tell the user how long it waits`,
  tests: "Now run the tests.",
  failing: "One test fails: `keeps_what_arrived` still expects two attempts. I'll rewrite it.",
  cards: "Write the missing test, update the manifest and tidy up.",
  cardsSaid: "Four changes, and then the whole suite:",
  newTest: RETRY_TEST,
  notes: "interviews/june.md",
  notesText: "# Interviews of June\n\n- 14 talks, 9 of them by phone\n- Most ask for offline use first\n- Two asked where their data lies\n",
  manyLines: "Write the table of all status codes.",
  risky: "Publish it.",
  longCommand: "Set up the whole machine.",
  titles: ["Why do the tests fail on Windows?", "Changelog for 0.4", "Move to rusqlite 0.43", "Which timeouts are there?", "Rename Stream to Channel"],
  others: [
    ["field-notes", ["Interviews of June", "Outline, chapter 3"]],
    ["website", ["Smaller pictures on the start page"]],
  ],
  short: "A short answer: three timeouts, all in `src/stream.rs`.",
  slow: "The tests compare paths as text. On Windows the separator is a backslash, so `src\\\\retry.rs` and `src/retry.rs` are two different files for them. ",
  next: "then update the changelog",
  soon: "Mind the CRLF files",
  stopped: "Read everything and give me a summary",
  stoppedSaid: "I've read three of eleven parts. So far nothing touches the retry loop; ",
  cut: "What should be tried first?",
  cutSaid: "The first thing to look at is the connection: it is opened once and then ",
  fails: "Which version is this?",
  rejectNote: "Leave the manifest alone",
  search: "nothing like that",
};

const zh = {
  title: "首字节之前才重试",
  ask: "流开始之后还会被重试。请在 @src/retry.rs 中修复，并运行测试。",
  finding: "`send()` 中的循环会在任何错误后重试，包括第一个数据块到达之后的错误，所以连接断开时，用户会再次看到已经读过的文字。我会改成只在响应开始之前重试，其余情况保留已经收到的内容。",
  thinking: "报告说文字出现了两次。请求在回答开始之后又被发送了一次，就会这样。",
  explain: "客户端如何决定哪些请求要重新发送？",
  explained: `## 什么会重发，什么不会

请求**只在回答开始之前**重新发送。开始之后，已经收到的内容会保留，并告诉读者*为什么*到此为止；参见[说明](https://example.com/notes/streams)。这样，无论网络在哪一刻断开，用户看到的文字都不会重复，也不会凭空消失；即使中途切换到别的对话再回来，显示的也正是收到的那些内容。

1. 建立连接，最多四次
2. 一直读到结束
   - 已经收到的内容绝不丢弃
   - 中断时返回 \`Error::Cut\`
3. 说明发生了什么

| 出了什么问题 | 以前 | 现在 |
|:--|:-:|--:|
| 无法连接 | 尝试 3 次 | 尝试 4 次 |
| 收到 12 kB 后中断 | 文字重复 | **保留**并说明 |
| 429 与 \`retry-after\` | 尝试 3 次 | 按要求等待 |

${CODE}

> 已经开始的流，绝不会再次开始。

- [x] 在第一个字节之前重试
- [ ] 告诉用户要等多久`,
  tests: "现在运行测试。",
  failing: "有一个测试失败：`keeps_what_arrived` 仍然期望两次尝试。我来改写它。",
  cards: "补上缺少的测试，更新清单，然后清理一下。",
  cardsSaid: "四处改动，然后运行全部测试：",
  newTest: RETRY_TEST.replace("A stream that has begun is never begun again.", "已经开始的流，绝不会再次开始。"),
  notes: "访谈/六月.md",
  notesText: "# 六月的访谈\n\n- 14 次谈话，其中 9 次通过电话\n- 大多数人首先希望离线可用\n- 两位询问数据存放在哪里\n",
  manyLines: "写出所有状态码的表格。",
  risky: "发布它。",
  longCommand: "把整台机器设置好。",
  titles: ["为什么测试在 Windows 上失败", "0.4 版更新日志", "升级到 rusqlite 0.43", "有哪些超时设置？", "把 Stream 改名为 Channel"],
  others: [
    ["田野笔记", ["整理六月的访谈", "第三章提纲"]],
    ["website", ["首页图片再小一些"]],
  ],
  short: "简短回答：三个超时，都在 `src/stream.rs` 中。",
  slow: "测试把路径当作文本比较。在 Windows 上分隔符是反斜杠，所以 `src\\\\retry.rs` 与 `src/retry.rs` 被当成了两个文件。",
  next: "然后补写更新日志",
  soon: "注意 CRLF 文件",
  stopped: "通读全部内容并总结",
  stoppedSaid: "我已经读完十一部分中的三部分。目前还没有内容涉及重试循环；",
  cut: "应该先尝试什么？",
  cutSaid: "首先要看的是连接：它只打开一次，然后",
  fails: "这是哪个版本？",
  rejectNote: "不要动清单文件",
  search: "没有这样的",
};

export const WORDS = { en, "zh-CN": zh };
