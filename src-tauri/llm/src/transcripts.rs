//! Transcripts of streams as files: `fixtures/PROTOCOL/NAME.sse` holds the bytes as they were served, `NAME.expected` what
//! has to come of them; `UPDATE_EXPECT=1` writes the latter anew. A name begins with the case's number where it has one.
//! No network.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use assent_protocol::view::Usage;
use expect_test::expect_file;
use serde::Serialize;

use crate::answer::Machine;
use crate::anthropic_messages::AnthropicForm;
use crate::chat_completions::BodyForm;
use crate::responses::ResponsesForm;
use crate::testing::{Outcome, read_with};
use crate::wire_format::WireFormat;

fn machine(protocol: &str) -> Box<dyn Machine> {
    let none = serde_json::Map::new();
    match protocol {
        "chat-completions" => BodyForm::new(false, false, true, &none).machine(),
        "responses" => ResponsesForm::new(true, &none).machine(),
        _ => AnthropicForm::new(None, &none).machine(),
    }
}

fn folder(protocol: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(protocol)
}

/// Reads one transcript whole, in two parts cut everywhere, and byte by byte; all must come to what is expected.
fn check(protocol: &str, name: &str) {
    let stream = std::fs::read(folder(protocol).join(format!("{name}.sse"))).unwrap();
    let outcome = read_with(|| machine(protocol), &stream);
    expect_file![folder(protocol).join(format!("{name}.expected"))].assert_eq(&printed(&outcome));
}

/// Names of the files with this ending.
fn names(protocol: &str, ending: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder(protocol)).unwrap().map(|entry| entry.unwrap().file_name());
    files.filter_map(|file| file.to_str()?.strip_suffix(ending).map(str::to_owned)).collect()
}

fn printed(outcome: &Outcome) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").unwrap();
    if !outcome.reasoning.is_empty() {
        line(format_args!("reasoning {:?}", outcome.reasoning));
    }
    if !outcome.text.is_empty() {
        line(format_args!("text {:?}", outcome.text));
    }
    if let Some(failure) = &outcome.failure {
        assert!(failure.opened, "a 200 was seen: nothing is asked again");
        for (name, arguments) in &outcome.shown {
            line(format_args!("shown {name} {arguments}"));
        }
        if let Some(usage) = outcome.usage {
            line(format_args!("counted{}", counts(usage)));
        }
        line(format_args!("failed {}: {}", word(&failure.failure), failure.message));
    }
    if let Some(finish) = &outcome.finish {
        for call in &finish.calls {
            let label = call.provider_id.as_deref().unwrap_or("no id");
            line(format_args!("call {} ({label}) {}", call.name, call.arguments));
        }
        for item in &finish.items {
            line(format_args!("kept {}", item.json));
        }
        line(format_args!("finished {}", word(&finish.reason)));
        if let Some(words) = &finish.words {
            line(format_args!("words {words:?}"));
        }
        line(format_args!("usage{}", finish.usage.map_or_else(|| " unknown".to_owned(), counts)));
    }
    text
}

/// A word of the protocol as it is written in the log.
fn word(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap().trim_matches('"').to_owned()
}

fn counts(usage: Usage) -> String {
    let all = [
        ("input", usage.input),
        ("output", usage.output),
        ("cache read", usage.cache_read),
        ("cache write", usage.cache_write),
        ("reasoning", usage.reasoning),
    ];
    all.iter().filter_map(|(name, count)| Some(format!(" {name} {}", (*count)?))).collect()
}

/// A module a protocol: the cases of public streams each as a test of its own, and one that walks the whole folder.
macro_rules! transcripts {
    ($module:ident, $protocol:literal, [$($name:ident),* $(,)?]) => {
        mod $module {
            $(
                #[test]
                fn $name() {
                    super::check($protocol, &stringify!($name).replace('_', "-"));
                }
            )*

            #[test]
            fn every_transcript_comes_to_what_is_expected() {
                let all = super::names($protocol, ".sse");
                all.iter().for_each(|name| super::check($protocol, name));
                assert_eq!(super::names($protocol, ".expected"), all, "an expectation without a transcript");
                let cases = all.into_iter().filter(|name| name.starts_with('p') && name[1..3].parse::<u8>().is_ok());
                let tested = [$(stringify!($name).replace('_', "-")),*];
                assert_eq!(cases.collect::<Vec<_>>(), tested, "a case without a test of its name");
            }
        }
    };
}

transcripts!(
    chat_completions,
    "chat-completions",
    [
        p71_cr_only,
        p71_crlf,
        p72_utf_8_cut_at_every_byte,
        p73_comments_and_missing_spaces,
        p74_two_calls_at_one_index,
        p75_interleaved_pieces,
        p76_finish_said_twice,
        p77_cut_arguments_finish_length,
        p77_cut_arguments_finish_stop,
        p77_cut_arguments_finish_tool_calls,
        p78_error_after_text,
        p78_error_document,
        p78_error_event,
        p78_error_event_in_plain_words,
        p78_error_in_a_chunk,
        p78_error_in_base_resp,
        p78_error_in_the_choice,
        p78_error_says_context_too_long,
        p79_web_page,
        p79_web_page_behind_a_byte_order_mark,
        p80_call_without_a_finish,
        p81_lost_after_the_first_call_was_shown,
    ]
);

transcripts!(
    responses,
    "responses",
    [
        p71_cr_only,
        p71_crlf,
        p72_utf_8_cut_at_every_byte,
        p73_comments_and_missing_spaces,
        p74_two_calls_at_one_index,
        p75_interleaved_pieces,
        p76_finish_said_twice,
        p77_cut_arguments_finish_length,
        p77_cut_arguments_finish_stop,
        p78_error_document,
        p78_error_event,
        p78_error_in_a_chunk,
        p78_error_nested_in_an_event,
        p78_error_says_context_too_long,
        p78_failed_after_text,
        p79_web_page,
        p80_call_without_a_finish,
        p80_call_without_a_finish_but_done,
        p81_lost_after_the_first_call_was_shown,
    ]
);

transcripts!(
    anthropic_messages,
    "anthropic-messages",
    [
        p71_cr_only,
        p71_crlf,
        p72_utf_8_cut_at_every_byte,
        p73_comments_and_missing_spaces,
        p74_two_calls_at_one_index,
        p75_interleaved_pieces,
        p76_finish_said_twice,
        p77_cut_arguments_finish_length,
        p77_cut_arguments_finish_stop,
        p77_cut_arguments_finish_tool_calls,
        p78_error_after_text,
        p78_error_document,
        p78_error_event,
        p78_error_in_a_chunk,
        p78_error_says_context_too_long,
        p78_error_without_a_name,
        p79_web_page,
        p80_call_without_a_finish,
        p80_stop_reason_without_message_stop,
        p81_lost_after_the_first_call_was_shown,
    ]
);
