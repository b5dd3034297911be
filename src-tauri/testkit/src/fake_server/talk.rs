//! What the fake server does without a script: it obeys the last user message.
//! Keeps nothing between requests; how far it is follows from the messages.

use serde_json::Value;

use super::script::{Call, Reply, Step};

/// The text of the last message of a user.
pub(super) fn last_user_text(body: &Value) -> String {
    let messages = body.get("messages").and_then(Value::as_array);
    let last = messages.into_iter().flatten().rfind(|message| role(message) == "user");
    last.map(|message| without_notes(&content(message)).to_owned()).unwrap_or_default()
}

/// A message without the bracketed notes that a client puts in front of a person's words.
fn without_notes(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(line) = rest.lines().next().filter(|line| line.starts_with('[') && line.ends_with(']')) {
        rest = rest[line.len()..].trim_start();
    }
    rest
}

/// The reply to a request.
pub(super) fn reply(body: &Value) -> Reply {
    let text = last_user_text(body);
    let after = after_last_user(body);
    let done = after.iter().filter(|message| role(message) == "assistant").count();
    let results: Vec<String> = after.iter().filter(|message| role(message) == "tool").map(content).collect();
    match orders(text.trim()).into_iter().nth(done) {
        Some(order) => order,
        None if results.is_empty() => Reply::say("Done."),
        None => Reply::say(&format!("Done. The tools returned:\n{}", results.join("\n"))),
    }
}

fn after_last_user(body: &Value) -> &[Value] {
    let messages = body.get("messages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let last = messages.iter().rposition(|message| role(message) == "user");
    last.map_or(&[], |last| &messages[last + 1..])
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn content(message: &Value) -> String {
    message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The orders in a text, one for each request.
fn orders(text: &str) -> Vec<Reply> {
    let mut orders = Vec::new();
    let mut rest = text;
    loop {
        let (reply, after) = match rest.strip_prefix("call ") {
            Some(calls) => calls_of(calls),
            None => {
                let (order, after) = rest.split_once(" then ").map_or((rest, None), |(one, after)| (one, Some(after)));
                (order_of(order.trim()), after)
            }
        };
        orders.push(reply);
        match after {
            Some(after) => rest = after.trim(),
            None => return orders,
        }
    }
}

fn order_of(order: &str) -> Reply {
    let words: Vec<&str> = order.split(' ').collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
    match (words.as_slice(), number(1), number(2)) {
        (["say", _, "tokens"], Some(count), _) => Reply::tokens(count, 1),
        (["say", _, "tokens", "every", pause, "ms"], Some(count), _) => {
            Reply::tokens(count, 1).paced(pause.parse::<u64>().unwrap_or(1) * 1000)
        }
        (["think", _, "tokens"], Some(count), _) => Reply::answer(&"hm ".repeat(count), "So.", &[]),
        (["fail", _, rest @ ..], Some(status), _) => {
            let message = serde_json::json!({ "error": { "message": rest.join(" ") } });
            Reply::plain(status as u16, &[("content-type", "application/json")], &message.to_string())
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
        orders(text)
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
        assert_eq!(reply(&json!({ "messages": messages })), Reply::call(&[("f", json!({}))]));
        messages.push(json!({ "role": "assistant", "content": null }));
        messages.push(json!({ "role": "tool", "content": "r" }));
        assert_eq!(reply(&json!({ "messages": messages })), Reply::say("bye"));
        messages.push(json!({ "role": "assistant", "content": "bye" }));
        assert_eq!(reply(&json!({ "messages": messages })), Reply::say("Done. The tools returned:\nr"));
    }
}
