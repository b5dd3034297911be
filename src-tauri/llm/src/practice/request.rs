//! From a person's words to requests, in English and Chinese.
//! Understands verbs at the beginning of a clause and nothing else; it never guesses.

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    List {
        path: String,
    },
    Read {
        path: String,
    },
    Find {
        pattern: String,
        path: Option<String>,
    },
    Write {
        path: String,
        content: String,
    },
    Append {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    Outline {
        path: String,
    },
    Run {
        command: String,
    },
    Status,
    Diff,
    Log,
    Help,
    /// Words that aren't understood.
    Unknown {
        text: String,
    },
}

/// The language of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Chinese,
}

/// Chinese if there is a Chinese character outside of what is to be written or run.
pub(super) fn language(text: &str) -> Language {
    let clause = text.split([':', '：']).next().unwrap_or_default();
    match clause.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter)) {
        true => Language::Chinese,
        false => Language::English,
    }
}

/// What a person asks for, in order. Clauses are joined by "then" or "然后"; such a word inside of a text to be written
/// stays there, unless a request follows it.
pub(super) fn requests(text: &str) -> Vec<Request> {
    let mut requests = Vec::new();
    let mut rest = text.trim();
    while let Some((clause, after)) = split(rest) {
        requests.push(request(clause));
        rest = after;
    }
    requests.push(request(rest));
    requests
}

const JOINTS: [&str; 11] = [
    ", and then ",
    " and then ",
    ", then ",
    "; then ",
    " then ",
    "\nthen ",
    "，然后",
    "。然后",
    "然后",
    "，接着",
    "接着",
];

/// The first clause and what follows it, if something that is understood follows.
fn split(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    let mut joints: Vec<(usize, usize)> =
        JOINTS.iter().flat_map(|joint| lower.match_indices(joint).map(|(at, found)| (at, found.len()))).collect();
    // At one place the longest joint counts.
    joints.sort_by_key(|(at, len)| (*at, usize::MAX - len));
    joints.into_iter().find_map(|(at, len)| {
        let (clause, after) = (text[..at].trim(), text[at + len..].trim());
        (!clause.is_empty() && is_understood(&request(after))).then_some((clause, after))
    })
}

fn is_understood(request: &Request) -> bool {
    !matches!(request, Request::Unknown { .. })
}

fn request(clause: &str) -> Request {
    let clause = clause.trim();
    english(clause).or_else(|| chinese(clause)).unwrap_or_else(|| Request::Unknown { text: clause.to_owned() })
}

fn english(clause: &str) -> Option<Request> {
    let clause = strip_word(clause, "please").unwrap_or(clause);
    let plain = clause.trim_end_matches(['.', '!', '?']).to_ascii_lowercase();
    match plain.as_str() {
        "status" | "git status" => return Some(Request::Status),
        "diff" | "git diff" => return Some(Request::Diff),
        "log" | "git log" | "history" => return Some(Request::Log),
        "help" | "hello" | "hi" | "what can you do" | "who are you" => return Some(Request::Help),
        "list" | "ls" => return Some(Request::List { path: ".".to_owned() }),
        _ => {}
    }
    let (verb, rest) = clause.split_once(char::is_whitespace)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return None;
    }
    match verb.to_ascii_lowercase().as_str() {
        "list" | "ls" => Some(Request::List { path: path(strip_first(rest, &["files in", "the folder", "folder"])) }),
        "read" | "show" | "cat" | "open" => {
            Some(Request::Read { path: path(strip_first(rest, &["the file", "file"])) })
        }
        "find" | "search" | "grep" => Some(find(strip_first(rest, &["for"]), " in ")),
        "write" | "create" => with_content(rest).map(|(path, content)| Request::Write { path, content }),
        "append" => with_content(strip_first(rest, &["to"])).map(|(path, content)| Request::Append { path, content }),
        "delete" | "remove" => Some(Request::Delete { path: path(strip_first(rest, &["the file", "file"])) }),
        "rename" | "move" => rename(rest, " to "),
        "outline" => Some(Request::Outline { path: path(rest) }),
        "run" | "execute" => Some(Request::Run { command: unquoted(rest) }),
        "echo" => Some(Request::Run { command: clause.to_owned() }),
        _ => None,
    }
}

fn chinese(clause: &str) -> Option<Request> {
    let clause = clause.strip_prefix('请').unwrap_or(clause).trim();
    let plain = clause.trim_end_matches(['。', '！', '？', '!', '?']);
    match plain {
        "状态" | "查看状态" | "git 状态" => return Some(Request::Status),
        "差异" | "查看差异" | "改动" | "查看改动" => return Some(Request::Diff),
        "日志" | "查看日志" | "提交记录" | "历史" => return Some(Request::Log),
        "帮助" | "你好" | "您好" | "你是谁" | "你能做什么" => return Some(Request::Help),
        "列出" | "列出文件" => return Some(Request::List { path: ".".to_owned() }),
        _ => {}
    }
    if let Some(rest) = clause.strip_prefix('把') {
        for verb in ["重命名为", "改名为", "移动到", "重命名成", "改成"] {
            if let Some(found) = rename(rest, verb) {
                return Some(found);
            }
        }
    }
    if let Some(rest) = clause.strip_prefix('在')
        && let Some((place, pattern)) = split_once_any(rest, &["中查找", "里查找", "中搜索", "里搜索"])
    {
        return Some(Request::Find { pattern: unquoted(pattern), path: Some(path(place)) });
    }
    let after = |verbs: &[&str]| {
        let verb = verbs.iter().find(|verb| clause.starts_with(**verb))?;
        Some(clause[verb.len()..].trim()).filter(|rest| !rest.is_empty())
    };
    if let Some(rest) = after(&["列出"]) {
        return Some(Request::List { path: path(rest.trim_end_matches("目录")) });
    }
    if let Some(rest) = after(&["查找", "搜索"]) {
        return Some(find(rest, " 在 "));
    }
    if let Some(rest) = after(&["读取", "查看", "打开", "读"]) {
        return Some(Request::Read { path: path(rest.trim_end_matches("文件")) });
    }
    if let Some(rest) = after(&["写入", "创建"]) {
        return with_content(rest).map(|(path, content)| Request::Write { path, content });
    }
    if let Some(rest) = after(&["追加到", "追加"]) {
        return with_content(rest).map(|(path, content)| Request::Append { path, content });
    }
    if let Some(rest) = after(&["删除"]) {
        return Some(Request::Delete { path: path(rest) });
    }
    if let Some(rest) = after(&["重命名", "改名", "移动"]) {
        return [" 为 ", " 到 ", " 成 ", "为", "到"].iter().find_map(|joint| rename(rest, joint));
    }
    if let Some(rest) = after(&["大纲", "结构"]) {
        return Some(Request::Outline { path: path(rest) });
    }
    after(&["运行", "执行"]).map(|rest| Request::Run { command: unquoted(rest) })
}

fn find(rest: &str, joint: &str) -> Request {
    match rest.rsplit_once(joint) {
        Some((pattern, place)) if !pattern.trim().is_empty() => {
            Request::Find { pattern: unquoted(pattern), path: Some(path(place)) }
        }
        _ => Request::Find { pattern: unquoted(rest), path: None },
    }
}

fn rename(rest: &str, joint: &str) -> Option<Request> {
    let (from, to) = rest.split_once(joint)?;
    let (from, to) = (path(from), path(to));
    (!from.is_empty() && !to.is_empty()).then_some(Request::Rename { from, to })
}

/// `path: content`; the content may have several lines and is taken as it is.
fn with_content(rest: &str) -> Option<(String, String)> {
    // A drive letter's colon is no separator.
    let start = usize::from(rest.as_bytes().get(1) == Some(&b':') && rest.is_char_boundary(2)) * 2;
    let (at, colon) = rest.char_indices().find(|(at, letter)| *at >= start && matches!(letter, ':' | '：'))?;
    let content = &rest[at + colon.len_utf8()..];
    let content = content.strip_prefix([' ', '\n']).unwrap_or(content);
    Some((path(&rest[..at]), content.to_owned())).filter(|(path, _)| !path.is_empty())
}

/// A path as written, less quotes and the full stop of the sentence.
fn path(text: &str) -> String {
    const STOPS: [char; 4] = ['.', '!', '。', '！'];
    let text = text.trim();
    let ends_a_sentence = text.len() > 2 && text.ends_with(STOPS) && !text.ends_with("..");
    unquoted(if ends_a_sentence { text.trim_end_matches(STOPS) } else { text })
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let pairs = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('「', '」')];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.unwrap_or(text).to_owned()
}

fn strip_first<'a>(text: &'a str, words: &[&str]) -> &'a str {
    words.iter().find_map(|word| strip_word(text, word)).unwrap_or(text)
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let start = text.get(..word.len())?;
    let rest = text[word.len()..].strip_prefix(' ')?;
    start.eq_ignore_ascii_case(word).then(|| rest.trim_start())
}

fn split_once_any<'a>(text: &'a str, joints: &[&str]) -> Option<(&'a str, &'a str)> {
    joints.iter().find_map(|joint| text.split_once(joint))
}
