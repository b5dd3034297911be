//! What the fake server does without a script: it obeys the last user message.
//! Keeps nothing between requests; how far it is follows from the messages.

use serde_json::Value;

use super::dialect::Dialect;
use super::script::{Call, Reply, Step};

/// One thing of a history, whatever the protocol.
#[derive(Debug, PartialEq)]
enum Said {
    User(String),
    /// An answer of the model.
    Answer,
    /// What a tool returned.
    Result(String),
}

/// The text of the last message of a user.
pub(super) fn last_user_text(dialect: Dialect, body: &Value) -> String {
    let last = history(dialect, body).into_iter().rev().find_map(|said| match said {
        Said::User(text) => Some(text),
        _ => None,
    });
    last.map(|text| without_notes(&text).to_owned()).unwrap_or_default()
}

/// All that was said, in order. What one answer holds counts once.
fn history(dialect: Dialect, body: &Value) -> Vec<Said> {
    let list = body.get(if dialect == Dialect::Responses { "input" } else { "messages" }).and_then(Value::as_array);
    let mut history = Vec::new();
    for item in list.into_iter().flatten() {
        let content = item.get("content").unwrap_or(&Value::Null);
        match (text(item, "role"), text(item, "type")) {
            ("user", _) => said_by_user(content, &mut history),
            ("tool", _) => history.push(Said::Result(text_of(content))),
            (_, "function_call_output") => history.push(Said::Result(text(item, "output").to_owned())),
            ("assistant", _) | (_, "function_call" | "reasoning") if history.last() != Some(&Said::Answer) => {
                history.push(Said::Answer);
            }
            _ => {}
        }
    }
    history
}

/// A user's message may hold results and several texts.
fn said_by_user(content: &Value, history: &mut Vec<Said>) {
    let Value::Array(blocks) = content else { return history.push(Said::User(text_of(content))) };
    history.extend(blocks.iter().map(|block| match text(block, "type") {
        "tool_result" => Said::Result(text_of(block.get("content").unwrap_or(&Value::Null))),
        _ => Said::User(text(block, "text").to_owned()),
    }));
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn text_of(content: &Value) -> String {
    content.as_str().unwrap_or_default().to_owned()
}

/// A message without the bracketed notes that a client puts in front of a person's words.
fn without_notes(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(line) = rest.lines().next().filter(|line| line.starts_with('[') && line.ends_with(']')) {
        rest = rest[line.len()..].trim_start();
        for end in ["</summary>", "</memory>"] {
            if rest.starts_with(&end.replace('/', "")) {
                rest = rest.split_once(end).map_or("", |(_, after)| after).trim_start();
            }
        }
    }
    rest
}

/// The reply to a request for a title or a summary: its first words, or what the script has for it, else how much was to be
/// read; none: it is another one.
pub(super) fn aside(dialect: Dialect, raw: &str, body: &Value, summary: Option<&Reply>) -> Option<Reply> {
    let text = || last_user_text(dialect, body);
    if raw.contains("You name conversations. You are shown how one began.") {
        let text = text();
        let said = text.split_once("<user>").map_or(text.as_str(), |(_, said)| said);
        let words: Vec<&str> = said.split_whitespace().take_while(|word| *word != "</user>").take(5).collect();
        return Some(Reply::say(&format!("About {}", words.join(" "))));
    }
    let is_summary = raw.contains("You summarise a conversation between a user and an assistant");
    let counted = || Reply::say(&format!("## Goal\nA summary of {} characters.", text().chars().count()));
    is_summary.then(|| summary.cloned().unwrap_or_else(counted))
}

/// The reply to a request.
pub(super) fn reply(dialect: Dialect, body: &Value) -> Reply {
    let text = last_user_text(dialect, body);
    let mut after = history(dialect, body);
    let last = after.iter().rposition(|said| matches!(said, Said::User(_)));
    after.drain(..last.map_or(0, |last| last + 1));
    let done = after.iter().filter(|said| **said == Said::Answer).count();
    let results: Vec<&str> = after
        .iter()
        .filter_map(|said| match said {
            Said::Result(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    match orders(dialect, text.trim()).into_iter().nth(done) {
        Some(order) => order,
        None if results.is_empty() => Reply::say("Done."),
        None => Reply::say(&format!("Done. The tools returned:\n{}", results.join("\n"))),
    }
}

/// The orders in a text, one for each request.
fn orders(dialect: Dialect, text: &str) -> Vec<Reply> {
    let mut orders = Vec::new();
    let mut rest = text;
    loop {
        let (reply, after) = match rest.strip_prefix("call ") {
            Some(calls) => calls_of(calls),
            None => {
                let (order, after) = rest.split_once(" then ").map_or((rest, None), |(one, after)| (one, Some(after)));
                (order_of(dialect, order.trim()), after)
            }
        };
        orders.push(reply);
        match after {
            Some(after) => rest = after.trim(),
            None => return orders,
        }
    }
}

fn order_of(dialect: Dialect, order: &str) -> Reply {
    let words: Vec<&str> = order.split(' ').collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
    match (words.as_slice(), number(1), number(2)) {
        (["say", _, "tokens"], Some(count), _) => Reply::tokens(count, 1),
        (["say", _, "tokens", "every", pause, "ms"], Some(count), _) => {
            Reply::tokens(count, 1).paced(pause.parse::<u64>().unwrap_or(1) * 1000)
        }
        (["think", _, "tokens"], Some(count), _) => Reply::answer(&"hm ".repeat(count), "So.", &[]),
        (["fail", _, rest @ ..], Some(status), _) => {
            let status = status as u16;
            let message = dialect.error(status, &rest.join(" "));
            Reply::plain(status, &[("content-type", "application/json")], &message.to_string())
        }
        (["cut", "after", _, "tokens"], _, Some(count)) => broken(count, Step::Cut),
        (["hang", "after", _, "tokens"], _, Some(count)) => broken(count, Step::Hang),
        (["wait", "at", gate], _, _) => Reply::say(&format!("Went through {gate}.")).behind(gate),
        (["say", ..], _, _) => Reply::say(order["say".len()..].trim()),
        _ => Reply::say(&format!("You said: {order}")),
    }
}

fn broken(count: usize, end: Step) -> Reply {
    Reply::steps([Step::Tokens { count, per_write: 1 }, end])
}

/// `NAME with JSON`, more of them behind ` and call ` or ` and `; and what follows ` then `.
fn calls_of(text: &str) -> (Reply, Option<&str>) {
    let mut calls = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = rest.split_once(" with ").unwrap_or((rest, "{}"));
        let mut documents = serde_json::Deserializer::from_str(after).into_iter::<Value>();
        let arguments = documents.next();
        let Some(Ok(arguments)) = arguments else {
            // Arguments that are no JSON are sent as they are: that, too, wants to be tested.
            calls.push(Call { id: None, name: name.trim().to_owned(), arguments: after.to_owned() });
            return (Reply::answer("", "", &calls), None);
        };
        let end = documents.byte_offset();
        calls.push(Call { id: None, name: name.trim().to_owned(), arguments: arguments.to_string() });
        rest = after[end..].trim_start();
        if let Some(more) = rest.strip_prefix("and ") {
            rest = more.strip_prefix("call ").unwrap_or(more);
        } else {
            return (Reply::answer("", "", &calls), rest.strip_prefix("then "));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn replies_to(text: &str) -> Vec<Reply> {
        orders(Dialect::ChatCompletions, text)
    }

    #[test]
    fn orders_are_understood() {
        assert_eq!(replies_to("say 5 tokens"), [Reply::tokens(5, 1)]);
        assert_eq!(replies_to("say 5 tokens every 2 ms"), [Reply::tokens(5, 1).paced(2000)]);
        assert_eq!(replies_to("say it"), [Reply::say("it")]);
        assert_eq!(replies_to("hello"), [Reply::say("You said: hello")]);
        assert_eq!(replies_to("fail 429 slow down")[0].status, 429);
        assert_eq!(replies_to("wait at x")[0].gate.as_deref(), Some("x"));
        assert_eq!(replies_to("cut after 3 tokens")[0].steps.last(), Some(&Step::Cut));
    }

    #[test]
    fn calls_keep_their_json_and_come_in_order() {
        let text = r#"call write_file with {"path":"a","content":"x then y and z"} and call read_file with {"path":"b"} then say done"#;
        let replies = replies_to(text);
        let expected = Reply::call(&[
            ("write_file", json!({ "path": "a", "content": "x then y and z" })),
            ("read_file", json!({ "path": "b" })),
        ]);
        assert_eq!(replies, [expected, Reply::say("done")]);
    }

    #[test]
    fn what_was_done_is_not_done_again() {
        let mut messages = vec![json!({ "role": "user", "content": "call f with {} then say bye" })];
        assert_eq!(reply(Dialect::ChatCompletions, &json!({ "messages": messages })), Reply::call(&[("f", json!({}))]));
        messages.push(json!({ "role": "assistant", "content": null }));
        messages.push(json!({ "role": "tool", "content": "r" }));
        assert_eq!(reply(Dialect::ChatCompletions, &json!({ "messages": messages })), Reply::say("bye"));
        messages.push(json!({ "role": "assistant", "content": "bye" }));
        assert_eq!(
            reply(Dialect::ChatCompletions, &json!({ "messages": messages })),
            Reply::say("Done. The tools returned:\nr")
        );
    }

    #[test]
    fn a_history_is_the_same_in_every_protocol() {
        let chat = json!({ "messages": [
            { "role": "user", "content": "call f with {} then say bye" },
            { "role": "assistant", "content": null }, { "role": "tool", "content": "r" },
        ] });
        let responses = json!({ "input": [
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "call f with {} then say bye" }] },
            { "type": "reasoning" }, { "type": "function_call" }, { "type": "function_call_output", "output": "r" },
        ] });
        let anthropic = json!({ "messages": [
            { "role": "user", "content": [{ "type": "text", "text": "call f with {} then say bye" }] },
            { "role": "assistant", "content": [{ "type": "thinking" }, { "type": "tool_use" }] },
            { "role": "user", "content": [{ "type": "tool_result", "content": "r" }] },
        ] });
        for (dialect, body) in
            [(Dialect::ChatCompletions, chat), (Dialect::Responses, responses), (Dialect::AnthropicMessages, anthropic)]
        {
            assert_eq!(reply(dialect, &body), Reply::say("bye"), "{dialect:?}");
            assert_eq!(history(dialect, &body)[2], Said::Result("r".to_owned()), "{dialect:?}");
        }
    }
}
