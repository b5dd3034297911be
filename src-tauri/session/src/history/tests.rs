//! What goes to whom: reasoning and items of a provider's own go back to the model that made them, to no other, and come
//! back when it is asked again. Which model is asked is folded in `asked`.

use super::*;

fn model(base_url: &str, protocol: Protocol, model: &str) -> Origin {
    Origin { base_url: base_url.to_owned(), protocol, model: model.to_owned() }
}

fn first() -> Origin {
    model("https://a.example/v1", Protocol::Responses, "one")
}

fn second() -> Origin {
    model("https://b.example/v1", Protocol::AnthropicMessages, "two")
}

fn item() -> ProviderItem {
    let json = r#"{"type":"reasoning","encrypted_content":"b3BhcXVl"}"#.to_owned();
    ProviderItem { protocol: Protocol::Responses, json }
}

fn call(id: &str) -> ViewCall {
    ViewCall { call: CallId::new(id), name: "read_file".to_owned(), arguments: "{}".into() }
}

fn said(text: &str) -> Said {
    Said { text: text.to_owned(), attachments: Vec::new() }
}

/// A question, an answer of this model with a call and its result.
fn exchange(history: &mut History, seq: u64, origin: Origin, words: &str) {
    history.speak_to(origin, Takes::default());
    history.push_user(seq, said(&format!("ask {words}")));
    history.asked();
    let id = format!("c{seq}");
    history.push_assistant(seq + 1, words, &format!("think {words}"), vec![call(&id)], vec![item()]);
    history.push_result(CallId::new(&id), "read_file", &format!("result {words}"));
}

/// What is sent in short, `*` where reasoning goes along, `+` where items do.
fn sent(history: &History) -> Vec<String> {
    let shown = history.shown().iter().map(|message| match message.as_ref() {
        ViewMessage::User { text, .. } | ViewMessage::ToolResult { text, .. } => text.clone(),
        ViewMessage::Assistant { text, reasoning, calls, items } => {
            assert_eq!(calls.len(), 1, "calls stay, or their results would belong to nothing");
            let (own, more) = (!reasoning.is_empty(), !items.is_empty());
            format!("{text}{}{}", if own { "*" } else { "" }, if more { "+" } else { "" })
        }
    });
    shown.collect()
}

/// Sums that are kept up to date are those of what is sent.
fn check_sums(history: &History) {
    let weight: f64 = history.shown().iter().map(|message| weight_of(message)).sum();
    assert!((history.weight() - weight).abs() < 1e-6, "{} is kept for {weight}", history.weight());
    assert_eq!(history.characters(), history.shown().iter().map(|message| characters_of(message)).sum::<u64>());
    if history.keep_from() == 0 {
        let entries: f64 = history.entries().iter().map(|entry| history.sent_weight(entry)).sum();
        assert!((entries - weight).abs() < 1e-6, "{entries} by entry, {weight} in all");
    }
}

#[test]
fn a_providers_own_goes_back_to_it_alone_and_comes_back_with_it() {
    let mut history = History::default();
    exchange(&mut history, 1, first(), "one");
    assert_eq!(sent(&history), ["ask one", "one*+", "result one"]);
    let (before, epoch) = (history.shown().to_vec(), history.epoch());
    exchange(&mut history, 4, second(), "two");
    assert_eq!(sent(&history), ["ask one", "one", "result one", "ask two", "two*+", "result two"]);
    assert!(history.epoch() > epoch, "what was sent is another now");
    check_sums(&history);
    exchange(&mut history, 7, first(), "three");
    let all =
        ["ask one", "one*+", "result one", "ask two", "two", "result two", "ask three", "three*+", "result three"];
    assert_eq!(sent(&history), all);
    assert_eq!(history.shown()[..3], before[..], "as it was, to the letter");
    check_sums(&history);
}

#[test]
fn the_same_name_elsewhere_or_in_another_format_is_another_model() {
    for other in [
        Origin { base_url: "https://b.example/v1".to_owned(), ..first() },
        Origin { protocol: Protocol::ChatCompletions, ..first() },
        Origin { model: "one-mini".to_owned(), ..first() },
    ] {
        let mut history = History::default();
        exchange(&mut history, 1, first(), "one");
        history.speak_to(other.clone(), Takes::default());
        assert_eq!(sent(&history), ["ask one", "one", "result one"], "{other:?}");
        let epoch = history.epoch();
        history.speak_to(other, Takes::default());
        assert_eq!(history.epoch(), epoch, "the same again changes nothing");
        check_sums(&history);
    }
}

#[test]
fn where_nobody_left_anything_of_their_own_what_was_sent_stays() {
    let mut history = History::default();
    history.speak_to(first(), Takes::default());
    history.push_user(1, said("ask"));
    history.asked();
    history.push_assistant(2, "plain", "", vec![call("c")], Vec::new());
    let epoch = history.epoch();
    history.speak_to(second(), Takes::default());
    assert_eq!(history.epoch(), epoch);
    assert_eq!(sent(&history), ["ask", "plain"]);
}

#[test]
fn an_answer_is_of_the_model_that_was_asked_even_when_another_took_its_place_meanwhile() {
    let mut history = History::default();
    history.speak_to(first(), Takes::default());
    history.push_user(1, said("ask"));
    history.asked();
    history.speak_to(second(), Takes::default());
    history.push_assistant(2, "late", "think", vec![call("c")], vec![item()]);
    assert_eq!(sent(&history), ["ask", "late"]);
    check_sums(&history);
    history.speak_to(first(), Takes::default());
    assert_eq!(sent(&history), ["ask", "late*+"]);
    check_sums(&history);
}

#[test]
fn a_window_cut_holds_for_every_model() {
    let mut history = History::default();
    exchange(&mut history, 1, first(), "one");
    exchange(&mut history, 4, second(), "two");
    exchange(&mut history, 7, first(), &"three ".repeat(100));
    // The first question and answer go, one result becomes a note, and of the last answer the ends are sent.
    history.cut(4, &[CallId::new("c4")], &[CutText { message: 8, keep: 20 }]);
    let begins = |history: &History| -> Vec<String> {
        sent(history)
            .iter()
            .map(|text| format!("{}{}", text.chars().take(14).collect::<String>(), marks(text)))
            .collect()
    };
    let of_first = begins(&history);
    assert_eq!(of_first[..3], ["[Earlier messa", "two", "[This result o"].map(str::to_owned)[..]);
    assert!(of_first[4].ends_with("*+") && of_first[4].starts_with("three"), "{of_first:?}");
    check_sums(&history);
    history.speak_to(second(), Takes::default());
    let of_second = begins(&history);
    assert_eq!(of_second[1], "two*+");
    assert!(!of_second[4].ends_with('+') && of_second[4].starts_with("three"), "{of_second:?}");
    assert_eq!((of_second.len(), &of_second[2]), (of_first.len(), &of_first[2]), "what was cut stays cut");
    check_sums(&history);
    history.speak_to(first(), Takes::default());
    assert_eq!(begins(&history), of_first);
    check_sums(&history);
}

/// The marks at the end of a short form that is longer than what is looked at.
fn marks(text: &str) -> &str {
    if text.chars().count() > 14 { text.trim_start_matches(|letter| !matches!(letter, '*' | '+')) } else { "" }
}
