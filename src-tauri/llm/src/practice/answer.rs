//! The practice model's sentences, in both languages, made from what tools returned.
//! Decides nothing; a sentence never says more than the result it is made from.

use super::request::{Language, Request};
use super::tool_call::PlannedCall;

/// How many lines of a result are quoted.
const MAX_LINES: usize = 12;

/// How many characters of one line are quoted.
const MAX_LINE: usize = 200;

/// A request that is done, refused, or needed no tool.
pub(super) struct Told {
    request: Request,
    result: Option<String>,
    was_refused: bool,
}

impl Told {
    /// What became of a request.
    pub(super) fn new(request: &Request, result: Option<&str>, was_refused: bool) -> Self {
        Self { request: request.clone(), result: result.map(str::to_owned), was_refused }
    }
}

/// The final answer: a paragraph for each request.
pub(super) fn report(told: &[Told], language: Language) -> String {
    told.iter().map(|told| paragraph(told, language)).collect::<Vec<_>>().join("\n\n")
}

/// What is said before a call.
pub(super) fn announcement(planned: &PlannedCall, language: Language) -> String {
    let about = planned.arguments.first().map_or("", |(_, value)| value.as_str());
    let about = short(about.lines().next().unwrap_or_default());
    let english = language == Language::English;
    match planned.tool {
        "list_directory" if english => format!("I list `{about}`."),
        "list_directory" => format!("我来列出 `{about}`。"),
        "read_file" if english => format!("I read `{about}`."),
        "read_file" => format!("我来读取 `{about}`。"),
        "file_info" if english => format!("I look whether `{about}` is there already."),
        "file_info" => format!("我先看看 `{about}` 是否已经存在。"),
        "grep" if english => format!("I look for `{about}`."),
        "grep" => format!("我来查找 `{about}`。"),
        "write_file" if english => format!("I write `{about}`."),
        "write_file" => format!("我来写入 `{about}`。"),
        "run_command" if english => format!("I run `{about}`."),
        "run_command" => format!("我来运行 `{about}`。"),
        tool if english => format!("I call `{tool}`."),
        tool => format!("我来调用 `{tool}`。"),
    }
}

/// No more calls may be made.
pub(super) fn may_not_call(request: &Request, language: Language) -> String {
    let what = name(request, language);
    match language {
        Language::English => format!("I may not call tools any more, so this is still to do: {what}."),
        Language::Chinese => format!("我现在不能再调用工具，这一项还没有做：{what}。"),
    }
}

/// The tool for it isn't there.
pub(super) fn has_no_tool(tool: &str, language: Language) -> String {
    match language {
        Language::English => format!("For this I would need the tool `{tool}`, which this conversation doesn't have."),
        Language::Chinese => format!("这需要工具 `{tool}`，而当前对话没有它。"),
    }
}

fn paragraph(told: &Told, language: Language) -> String {
    let result = told.result.as_deref().unwrap_or_default();
    if told.was_refused {
        return refusal(&told.request, result, language);
    }
    match &told.request {
        Request::Help => help(language).to_owned(),
        Request::Unknown { text } => unknown(text, language),
        Request::List { path } => {
            let head = match (entries(result), language) {
                (Some(count), Language::English) => {
                    format!("`{path}` has {count} {}:", plural(count, "entry", "entries"))
                }
                (Some(count), Language::Chinese) => format!("`{path}` 有 {count} 个条目："),
                (None, _) => asked_for(&told.request, language),
            };
            with_quote(&head, result, language)
        }
        Request::Read { path } => {
            let head = match (numbered_lines(result), language) {
                (0, _) => asked_for(&told.request, language),
                (count, Language::English) => {
                    format!("`{path}` came back with {count} {}:", plural(count, "line", "lines"))
                }
                (count, Language::Chinese) => format!("`{path}` 返回了 {count} 行："),
            };
            with_quote(&head, result, language)
        }
        Request::Find { pattern, .. } => {
            let count = lines(result).filter(|line| line.contains(pattern.as_str())).count();
            let head = match language {
                Language::English => {
                    format!("`{pattern}` stands in {count} of the returned lines:")
                }
                Language::Chinese => format!("返回的内容里有 {count} 行含有 `{pattern}`："),
            };
            with_quote(&head, result, language)
        }
        other => with_quote(&asked_for(other, language), result, language),
    }
}

fn asked_for(request: &Request, language: Language) -> String {
    let what = name(request, language);
    match language {
        Language::English => format!("Asked for: {what}. The tool says:"),
        Language::Chinese => format!("请求：{what}。工具返回："),
    }
}

/// Entries of a folder, from the line that the listing begins with: `src: 1 folder, 1,200 other entries`.
fn entries(result: &str) -> Option<usize> {
    let (_, counts) = result.lines().next()?.rsplit_once(": ")?;
    let (folders, others) = counts.split_once(", ")?;
    let count = |words: &str, noun: &str| -> Option<usize> {
        let (number, rest) = words.split_once(' ')?;
        if rest.starts_with(noun) { number.replace(',', "").parse().ok() } else { None }
    };
    Some(count(folders, "folder")? + count(others, "other entr")?)
}

/// Lines that a read numbered: what it says about the file isn't one of them.
fn numbered_lines(result: &str) -> usize {
    let is_numbered = |line: &&str| line.split_once('\t').is_some_and(|(number, _)| number.parse::<u64>().is_ok());
    result.lines().filter(is_numbered).count()
}

fn refusal(request: &Request, result: &str, language: Language) -> String {
    let what = name(request, language);
    let head = match language {
        Language::English => format!("This did not run: {what}. I leave it at that. What I was told:"),
        Language::Chinese => format!("这一项没有执行：{what}。我就此停下。收到的说明："),
    };
    with_quote(&head, result, language)
}

fn name(request: &Request, language: Language) -> String {
    let english = language == Language::English;
    match request {
        Request::List { path } if english => format!("list `{path}`"),
        Request::List { path } => format!("列出 `{path}`"),
        Request::Read { path } if english => format!("read `{path}`"),
        Request::Read { path } => format!("读取 `{path}`"),
        Request::Find { pattern, .. } if english => format!("find `{pattern}`"),
        Request::Find { pattern, .. } => format!("查找 `{pattern}`"),
        Request::Write { path, content } if english => {
            format!("write {} characters to `{path}`", content.chars().count())
        }
        Request::Write { path, content } => format!("把 {} 个字符写入 `{path}`", content.chars().count()),
        Request::Append { path, content } if english => {
            format!("append {} characters to `{path}`", content.chars().count())
        }
        Request::Append { path, content } => format!("向 `{path}` 追加 {} 个字符", content.chars().count()),
        Request::Delete { path } if english => format!("delete `{path}`"),
        Request::Delete { path } => format!("删除 `{path}`"),
        Request::Rename { from, to } if english => format!("rename `{from}` to `{to}`"),
        Request::Rename { from, to } => format!("把 `{from}` 重命名为 `{to}`"),
        Request::Outline { path } if english => format!("outline `{path}`"),
        Request::Outline { path } => format!("`{path}` 的大纲"),
        Request::Run { command } if english => format!("run `{command}`"),
        Request::Run { command } => format!("运行 `{command}`"),
        Request::Status if english => "git status".to_owned(),
        Request::Status => "git 状态".to_owned(),
        Request::Diff if english => "git diff".to_owned(),
        Request::Diff => "git 差异".to_owned(),
        Request::Log if english => "git log".to_owned(),
        Request::Log => "git 日志".to_owned(),
        Request::Help if english => "help".to_owned(),
        Request::Help => "帮助".to_owned(),
        Request::Unknown { text } => short(text),
    }
}

fn help(language: Language) -> &'static str {
    match language {
        Language::English => {
            "I am the practice model: a small program inside of Assent, not a language model. I work offline and \
             understand requests like these:\n\n\
             - `list src`, `read README.md`, `outline src/main.rs`, `find TODO in src`\n\
             - `write notes.md: hello`, `append notes.md: more`, `rename a.txt to b.txt`, `delete a.txt`\n\
             - `run cargo test`, `echo ping`, `status`, `diff`, `log`\n\n\
             Join several with `then`."
        }
        Language::Chinese => {
            "我是练习模型：Assent 内置的一个小程序，不是语言模型。我离线工作，能听懂这样的请求：\n\n\
             - `列出 src`、`读取 README.md`、`大纲 src/main.rs`、`在 src 中查找 TODO`\n\
             - `写入 notes.md: 你好`、`追加 notes.md: 更多`、`把 a.txt 重命名为 b.txt`、`删除 a.txt`\n\
             - `运行 cargo test`、`状态`、`差异`、`日志`\n\n\
             多个请求用“然后”连接。"
        }
    }
}

fn unknown(text: &str, language: Language) -> String {
    let said = short(text.lines().next().unwrap_or_default());
    match language {
        Language::English => format!("I don't understand “{said}”. {}", help(language)),
        Language::Chinese => format!("我听不懂“{said}”。{}", help(language)),
    }
}

/// A sentence and the beginning of a result below it, in a fence that the result can't close.
fn with_quote(head: &str, result: &str, language: Language) -> String {
    let total = result.lines().count();
    if total == 0 {
        return match language {
            Language::English => format!("{head} nothing."),
            Language::Chinese => format!("{head}没有内容。"),
        };
    }
    let longest = result.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let quoted: Vec<String> = result.lines().take(MAX_LINES).map(short).collect();
    let more = match (total.saturating_sub(MAX_LINES), language) {
        (0, _) => String::new(),
        (left, Language::English) => format!("\n\nAnd {left} more {}.", plural(left, "line", "lines")),
        (left, Language::Chinese) => format!("\n\n另有 {left} 行。"),
    };
    format!("{head}\n\n{fence}\n{}\n{fence}{more}", quoted.join("\n"))
}

fn lines(result: &str) -> impl Iterator<Item = &str> {
    result.lines().filter(|line| !line.trim().is_empty())
}

fn short(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}
