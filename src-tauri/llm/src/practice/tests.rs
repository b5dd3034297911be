//! The practice model in both languages, with results as tools return them.
//! Nothing here runs a tool.

use std::sync::Arc;
use std::time::Duration;

use assent_protocol::ids::{CallId, Sha};
use assent_protocol::view::{ToolChoice, ViewCall};
use futures_util::StreamExt as _;

use super::request::{Request, requests};
use super::*;
use crate::model::Timeouts;

const TOOL_NAMES: [&str; 12] = [
    "append_file",
    "delete_file",
    "file_info",
    "git_diff",
    "git_log",
    "git_status",
    "grep",
    "list_directory",
    "read_file",
    "read_symbol",
    "run_command",
    "write_file",
];

fn tools(names: &[&str]) -> String {
    let tools: Vec<String> = names
        .iter()
        .map(|name| format!(r#"{{"name":"{name}","description":"","parameters":{{"type":"object"}}}}"#))
        .collect();
    format!("[{}]", tools.join(","))
}

fn view(text: &str) -> ModelView {
    ModelView {
        model: NAME.into(),
        epoch: 0,
        system: "Be kind.".into(),
        tools: tools(&TOOL_NAMES).into(),
        messages: vec![Arc::new(ViewMessage::user(text))],
        tool_choice: ToolChoice::Auto,
        contents: Default::default(),
    }
}

/// Puts a reply's calls into the view and answers them.
fn answer(view: &mut ModelView, reply: &Reply, result: &str) {
    let calls: Vec<ViewCall> = reply
        .calls
        .iter()
        .map(|call| ViewCall {
            call: CallId::new(format!("c{}", view.messages.len())),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        })
        .collect();
    let results: Vec<_> = calls
        .iter()
        .map(|call| ViewMessage::ToolResult {
            call: call.call.clone(),
            name: call.name.clone(),
            text: result.to_owned(),
        })
        .collect();
    view.messages.push(Arc::new(ViewMessage::Assistant {
        text: reply.text.clone(),
        reasoning: String::new(),
        calls,
        items: Vec::new(),
    }));
    view.messages.extend(results.into_iter().map(Arc::new));
}

/// Gives one result after the other; says which calls were made and what was said in the end.
fn run(text: &str, results: &[&str]) -> (Vec<String>, String) {
    let mut view = view(text);
    let mut made = Vec::new();
    for result in results {
        let reply = progress::reply(&view);
        assert_eq!(reply.calls.len(), 1, "after {made:?}: {}", reply.text);
        made.push(format!("{} {}", reply.calls[0].name, reply.calls[0].arguments));
        answer(&mut view, &reply, result);
    }
    let last = progress::reply(&view);
    assert!(last.calls.is_empty(), "still calls {:?}", last.calls);
    (made, last.text)
}

#[test]
fn every_request_becomes_its_call_in_both_languages() {
    for (texts, call) in [
        (&["list src", "ls src", "列出 src", "请列出 src 目录"][..], r#"list_directory {"path":"src"}"#),
        (&["list", "列出文件"], r#"list_directory {"path":"."}"#),
        (
            &["read README.md", "Please read `README.md`.", "读取 README.md", "查看 README.md 文件"],
            r#"read_file {"path":"README.md"}"#,
        ),
        (&["find TODO", "search for TODO", "查找 TODO"], r#"grep {"pattern":"TODO"}"#),
        (&["find TODO in src", "在 src 中查找 TODO", "查找 TODO 在 src"], r#"grep {"path":"src","pattern":"TODO"}"#),
        (&["find a.b()"], r#"grep {"pattern":"a\\.b\\(\\)"}"#),
        (&["delete a b.txt", "删除 a b.txt"], r#"delete_file {"path":"a b.txt"}"#),
        (&["outline src/main.rs", "大纲 src/main.rs"], r#"read_symbol {"path":"src/main.rs"}"#),
        (&["run cargo test", "运行 cargo test"], r#"run_command {"command":"cargo test"}"#),
        (&["echo ping"], r#"run_command {"command":"echo ping"}"#),
        (&["status", "Git status.", "状态"], "git_status {}"),
        (&["diff", "差异"], "git_diff {}"),
        (&["log", "提交记录"], "git_log {}"),
    ] {
        for text in texts {
            assert_eq!(run(text, &["done"]).0, [call], "{text}");
        }
    }
}

#[test]
fn renames_in_both_languages() {
    let expected = Request::Rename { from: "a.txt".to_owned(), to: "旧/b.txt".to_owned() };
    for text in
        ["rename a.txt to 旧/b.txt", "把 a.txt 重命名为 旧/b.txt", "重命名 a.txt 为 旧/b.txt", "move a.txt to 旧/b.txt"]
    {
        assert_eq!(requests(text), std::slice::from_ref(&expected), "{text}");
    }
}

#[test]
fn a_file_that_is_there_is_read_before_it_is_written() {
    let (made, said) = run("write notes.md: hello", &["notes.md: file, 3 bytes", "1\told", "Wrote 5 bytes"]);
    assert_eq!(
        made,
        [
            r#"file_info {"path":"notes.md"}"#,
            r#"read_file {"path":"notes.md"}"#,
            r#"write_file {"content":"hello","path":"notes.md"}"#
        ]
    );
    assert!(said.contains("Wrote 5 bytes"), "{said}");

    let (made, said) = run("写入 笔记.md：你好\n第二行", &["notes.md does not exist", "写了 2 行"]);
    assert_eq!(made, [r#"file_info {"path":"笔记.md"}"#, r#"write_file {"content":"你好\n第二行","path":"笔记.md"}"#]);
    assert!(said.contains("写了 2 行"), "{said}");
}

#[test]
fn a_file_that_is_there_is_read_before_text_is_added() {
    for text in ["append notes.md: more", "append to notes.md: more", "追加 notes.md：more"] {
        let (made, _) = run(text, &["kind: text", "1\told", "Added 4 bytes"]);
        assert_eq!(
            made[1..],
            [r#"read_file {"path":"notes.md"}"#, r#"append_file {"content":"more","path":"notes.md"}"#]
        );
        let (made, _) = run(text, &["It did not run: notes.md does not exist", "Created"]);
        assert_eq!(made[1..], [r#"append_file {"content":"more","path":"notes.md"}"#]);
    }
}

#[test]
fn several_requests_are_done_one_after_the_other() {
    let (made, said) = run(
        "list src then read a.md, and then echo hi",
        &["src: 1 folder, 1 other entry\nx/\ny  1 B", "a.md: lines 1 to 1 of 1\n1\ttext", "hi"],
    );
    assert_eq!(made.len(), 3);
    assert!(
        said.contains("`src` has 2 entries") && said.contains("`a.md` came back with 1 line:") && said.contains("hi"),
        "{said}"
    );
    let (made, _) = run("列出 src，然后读取 a.md", &["x", "y"]);
    assert_eq!(made, [r#"list_directory {"path":"src"}"#, r#"read_file {"path":"a.md"}"#]);
}

#[test]
fn a_joint_inside_of_a_text_stays_there() {
    let written = |text| match requests(text).as_slice() {
        [Request::Write { content, .. }] => content.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(written("write a.md: first this then that"), "first this then that");
    assert_eq!(written("写入 a.md: 先这样然后那样"), "先这样然后那样");
    assert_eq!(written(r"write C:\x\a.md: b"), "b");
}

#[test]
fn answers_are_made_from_results() {
    let (_, said) = run("find TODO", &["a.rs:1: TODO one\na.rs:9: TODO two\n2 matches"]);
    assert!(said.contains("in 2 of") && said.contains("a.rs:9: TODO two"), "{said}");
    let long: String = (1..41).map(|line| format!("{line}\tline {line}\n")).collect();
    let (_, said) = run("read a", &[&format!("a: lines 1 to 40 of 40\n{long}")]);
    assert!(said.contains("with 40 lines") && said.contains("line 11") && said.contains("29 more"), "{said}");
    assert!(!said.contains("line 12\n"), "{said}");
    let (_, said) = run("读取 a", &["a: lines 1 to 2 of 2\n1\t```\n2\tfence"]);
    assert!(
        said.contains("返回了 2 行：") && said.contains("````\na: lines") && said.contains("\tfence\n````"),
        "{said}"
    );
    let (_, said) = run("列出 src", &["src: 1,200 folders, 1 other entry\n…"]);
    assert!(said.contains("`src` 有 1201 个条目"), "{said}");
    for (asked, told) in [("read a", "a does not exist"), ("list src", "src does not exist"), ("read a", "a is empty")]
    {
        let (_, said) = run(asked, &[told]);
        assert!(said.contains("The tool says:") && said.contains(told) && !said.contains(" 1 "), "{said}");
    }
}

#[test]
fn a_refusal_is_told_and_ends_the_list() {
    let refusal = "It did not run: the user rejected it. Their note:\n```\nnot today\n```";
    let (made, said) = run("delete a.txt then list src", &[refusal]);
    assert_eq!(made.len(), 1);
    assert!(said.contains("delete `a.txt`") && said.contains("not today"), "{said}");
    let (_, said) = run("运行 rm x", &[refusal]);
    assert!(said.contains("没有执行") && said.contains("not today"), "{said}");
}

#[test]
fn no_call_is_made_where_none_may_be() {
    let mut none = view("list src then read a");
    let first = progress::reply(&none);
    answer(&mut none, &first, "src: 0 folders, 1 other entry\nx  1 B");
    none.tool_choice = ToolChoice::None;
    let reply = progress::reply(&none);
    assert!(reply.calls.is_empty());
    assert!(reply.text.contains("1 entry") && reply.text.contains("may not call") && reply.text.contains("read `a`"));

    let mut toolless = view("运行 ls");
    toolless.tools = "[]".into();
    let reply = progress::reply(&toolless);
    assert!(reply.calls.is_empty() && reply.text.contains("run_command"), "{}", reply.text);
}

#[test]
fn it_says_what_it_is_when_it_does_not_understand() {
    for text in ["what is love?", "help", "what is love then"] {
        let (_, said) = run(text, &[]);
        assert!(said.contains("not a language model"), "{said}");
    }
    let (_, said) = run("爱是什么？", &[]);
    assert!(said.contains("不是语言模型") && said.contains("爱是什么"), "{said}");
}

#[test]
fn arguments_are_named_as_the_tool_wants_them() {
    let mut view = view("rename a to b");
    view.tools =
        r#"[{"name":"rename_file","description":"","parameters":{"properties":{"path":{},"new_path":{}}}}]"#.into();
    let reply = progress::reply(&view);
    assert_eq!(reply.calls[0].arguments, r#"{"new_path":"b","path":"a"}"#);
}

fn call(practice: &Practice, view: ModelView) -> ModelCall {
    let body = practice.body(&view, None);
    assert_eq!(body.digest, Sha::of(&body.bytes));
    let second = Duration::from_secs(1);
    ModelCall {
        body,
        view: Arc::new(view),
        cancel: CancellationToken::new(),
        timeouts: Timeouts { connect: second, first_byte: second, idle: second },
    }
}

#[tokio::test]
async fn it_streams_word_by_word_and_counts_characters() {
    let practice = Practice::with_pace(Duration::ZERO);
    let view = view("读取 a.md");
    let input = characters(&view);
    let batches: Vec<Vec<ModelItem>> = practice.stream(call(&practice, view)).collect().await;
    assert_eq!(batches[0], [ModelItem::Opened]);
    let text: Vec<&str> = batches
        .iter()
        .flatten()
        .filter_map(|item| match item {
            ModelItem::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(text.len() > 5, "{text:?}");
    assert_eq!(text.concat(), "我来读取 `a.md`。");
    let Some([ModelItem::Finished(finish)]) = batches.last().map(Vec::as_slice) else {
        panic!("the last batch is the end");
    };
    assert_eq!(finish.reason, FinishReason::ToolCalls);
    let usage = finish.usage.unwrap();
    assert_eq!(usage.input, Some(input));
    let arguments = r#"{"path":"a.md"}"#;
    assert_eq!(usage.output, Some((text.concat().chars().count() + "read_file".len() + arguments.len()) as u64));
}

#[tokio::test]
async fn a_stop_ends_it() {
    let practice = Practice::with_pace(Duration::from_secs(3600));
    let call = call(&practice, view("help"));
    call.cancel.cancel();
    let batches: Vec<Vec<ModelItem>> = practice.stream(call).collect().await;
    assert!(
        matches!(&batches[..], [only] if matches!(&only[..], [ModelItem::Failed(failure)] if failure.failure == FailureKind::Stopped))
    );
}
