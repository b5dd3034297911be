//! Tests of searching: what is found by which words, what never is, in which order, and what a hit tells.
//! That the index is what the log says is tested with the table.

use assent_protocol::event::{ForkOrigin, Payload};
use assent_protocol::ids::ProjectId;
use assent_protocol::permission::Decider;

use super::*;
use crate::tests::{append, begin, check_whole, id, proposing, user};

const DAY: i64 = 86_400_000;

fn search(query: &str) -> Search {
    Search { query: query.to_owned(), any: false, among: Among::All, limit: 50, now: 100 * DAY }
}

fn title(text: &str) -> Payload {
    Payload::TitleSet { title: text.to_owned(), by: Decider::User }
}

fn answer(text: &str) -> Payload {
    let Payload::AssistantMessage(mut message) = proposing(&format!("answer {text}"), &[]) else { unreachable!() };
    message.text = text.into();
    Payload::AssistantMessage(message)
}

/// One conversation in which each of these was said by a person.
fn saying(texts: &[&str]) -> Store {
    let store = Store::memory().unwrap();
    begin(&store, "a");
    append(&store, "a", texts.iter().map(|text| user("a", text)).collect());
    store
}

/// The hits, each as its text with what matched in brackets, sorted.
fn found(store: &Store, query: &str) -> Vec<String> {
    let mut hits: Vec<String> =
        store.search(search(query)).unwrap().hits.iter().map(|hit| marked(&hit.snippet)).collect();
    hits.sort();
    hits
}

fn marked(parts: &[assent_protocol::search::SnippetPart]) -> String {
    parts.iter().map(|part| if part.hit { format!("[{}]", part.text) } else { part.text.clone() }).collect()
}

#[test]
fn chinese_is_found_by_one_two_and_more_characters() {
    let store = saying(&["先把数据库连接池调大", "据说数学很难", "没有关系"]);
    assert_eq!(found(&store, "数据"), ["先把[数据]库连接池调大"]);
    assert_eq!(found(&store, "数据库"), ["先把[数据库]连接池调大"]);
    assert_eq!(found(&store, "连接池调大"), ["先把数据库[连接池调大]"]);
    assert_eq!(found(&store, "数"), ["先把[数]据库连接池调大", "据说[数]学很难"]);
    assert_eq!(found(&store, "大"), ["先把数据库连接池调[大]"]);
    assert_eq!(found(&store, "据库 调大"), ["先把数[据库]连接池[调大]"]);
    assert_eq!(found(&store, "数据连接"), Vec::<String>::new(), "they don't follow one another");
    assert_eq!(found(&store, "据数"), Vec::<String>::new());
}

#[test]
fn mixed_text_is_found_by_either_part_and_by_both() {
    let store = saying(&["用 Rust 写数据库", "Rust写的解析器 v2.0", "写 Go"]);
    assert_eq!(found(&store, "rust"), ["[Rust]写的解析器 v2.0", "用 [Rust] 写数据库"]);
    assert_eq!(found(&store, "rust写"), ["[Rust写]的解析器 v2.0", "用 [Rust 写]数据库"]);
    assert_eq!(found(&store, "Rust写数据"), ["用 [Rust 写数据]库"]);
    assert_eq!(found(&store, "写 rus"), ["[Rust写]的解析器 v2.0", "用 [Rust] [写]数据库"]);
    assert_eq!(found(&store, "v2.0"), ["Rust写的解析器 [v2.0]"]);
}

#[test]
fn words_are_found_without_case_and_marks_and_the_last_by_its_beginning() {
    let store = saying(&["Un Café près de la gare", "cafes and cafeterias", "the decaf"]);
    assert_eq!(found(&store, "CAFE"), ["Un [Café] près de la gare", "[cafes] and [cafeterias]"]);
    assert_eq!(found(&store, "caf gare"), Vec::<String>::new(), "only the last word may be a beginning");
    assert_eq!(found(&store, "gare caf"), ["Un [Café] près de la [gare]"]);
    assert_eq!(found(&store, "\"cafe\""), ["Un [Café] près de la gare"]);
    assert_eq!(found(&store, "\"cafe pres\""), ["Un [Café près] de la gare"]);
    assert_eq!(found(&store, "\"pres cafe\""), Vec::<String>::new());
}

#[test]
fn quotes_operators_and_signs_are_text() {
    let store = saying(&["a OR b AND c", "NEAR and far", "column:terms -not ^first", "it's \"quoted\"", "100% sure"]);
    assert_eq!(found(&store, "a OR b"), ["[a] [OR] [b] AND c"]);
    assert_eq!(found(&store, "NEAR(and far)"), ["[NEAR and] [far]"]);
    assert_eq!(found(&store, "column:terms"), ["[column:terms] -not ^first"]);
    assert_eq!(found(&store, "-not"), ["column:terms -[not] ^first"]);
    assert_eq!(found(&store, "it's \"quoted"), ["[it's] \"[quoted]\""]);
    assert_eq!(found(&store, "100%"), ["[100]% sure"]);
    for typed in [
        "\"", "\"\"\"", "*", "a*b", "(", ")", "{x}", "^", "terms:", ": :", "'", "\0", "--", "a\"b\"c", "𰻝", "\u{301}",
        "ี",
    ] {
        assert!(store.search(search(typed)).is_ok(), "{typed:?}");
    }
}

#[test]
fn answers_and_titles_are_found_and_streamed_text_is_not() {
    let store = saying(&["ask"]);
    append(&store, "a", vec![crate::tests::chunk("r", "streamed"), answer("the answer"), title("Answers of the day")]);
    append(&store, "a", vec![title("Another title: answering")]);
    let hits = store.search(search("answer")).unwrap().hits;
    let told: Vec<_> =
        hits.iter().map(|hit| (hit.who, hit.seq.is_some(), hit.message.is_some(), marked(&hit.snippet))).collect();
    assert!(told.contains(&(Who::Title, false, false, "Another title: [answering]".to_owned())), "{told:?}");
    assert!(told.contains(&(Who::Assistant, true, true, "the [answer]".to_owned())), "{told:?}");
    assert_eq!(told.len(), 2, "the old title is none any more: {told:?}");
    assert_eq!(found(&store, "streamed"), Vec::<String>::new());
    assert!(hits.iter().all(|hit| hit.title == "Another title: answering"));
    check_whole(&store);
}

#[test]
fn deleted_conversations_are_not_found_and_archived_ones_say_so() {
    let store = saying(&["needle"]);
    assert!(!store.search(search("needle")).unwrap().hits[0].archived);
    append(&store, "a", vec![Payload::ConversationArchived { archived: true }]);
    assert!(store.search(search("needle")).unwrap().hits[0].archived);
    store.delete(&id("a"), 1).wait().unwrap();
    assert_eq!(found(&store, "needle"), Vec::<String>::new());
    store.restore(&id("a")).wait().unwrap();
    assert_eq!(found(&store, "needle"), ["[needle]"]);
}

#[test]
fn what_is_new_comes_before_what_is_old_and_titles_before_messages() {
    let store = Store::memory().unwrap();
    for (name, at) in [("old", 1), ("new", 99 * DAY), ("middle", 60 * DAY)] {
        begin(&store, name);
        let said = vec![user(name, "the needle")];
        store.append(&id(name), at, said, Durability::Light, Vec::new()).wait().unwrap();
    }
    let order = |store: &Store| -> Vec<String> {
        let hits = store.search(search("needle")).unwrap().hits;
        hits.iter().map(|hit| format!("{} {:?}", hit.conversation, hit.who)).collect()
    };
    assert_eq!(order(&store), ["new User", "middle User", "old User"]);
    store.append(&id("new"), 99 * DAY, vec![title("The needle")], Durability::Light, Vec::new()).wait().unwrap();
    assert_eq!(order(&store)[0], "new Title");
    let limited = store.search(Search { limit: 2, ..search("needle") }).unwrap().hits;
    assert_eq!(limited.len(), 2);
}

#[test]
fn any_phrase_is_enough_where_that_is_asked_for() {
    let store = saying(&["retry loop", "retry only", "nothing"]);
    assert_eq!(found(&store, "retry loop"), ["[retry] [loop]"]);
    let any = store.search(Search { any: true, ..search("retry loop") }).unwrap().hits;
    assert_eq!(any.iter().map(|hit| marked(&hit.snippet)).collect::<Vec<_>>(), ["[retry] [loop]", "[retry] only"]);
}

#[test]
fn beside_a_conversation_are_those_of_its_project() {
    let store = Store::memory().unwrap();
    let create = |name: &str, project: Option<&str>, workspace: Option<&str>| {
        let created = Payload::ConversationCreated {
            project: project.map(ProjectId::new),
            workspace: workspace.map(str::to_owned),
            fork: None,
            parent: name.strip_prefix("agent of ").map(|of| assent_protocol::event::ParentCall {
                conversation: id(of),
                call: assent_protocol::ids::CallId::new("c"),
            }),
        };
        store.create_conversation(&id(name), 1, vec![created, user(name, "needle")], Vec::new()).wait().unwrap();
    };
    create("a1", Some("a"), Some("/a"));
    create("a2", Some("a"), Some("/a"));
    create("agent of a2", Some("a"), Some("/a"));
    create("b", Some("b"), Some("/b"));
    create("folder1", None, Some("/a"));
    create("folder2", None, Some("/a"));
    create("bare1", None, None);
    create("bare2", None, None);
    let beside = |name: &str| -> Vec<String> {
        let hits = store.search(Search { among: Among::Beside(id(name)), ..search("needle") }).unwrap().hits;
        hits.iter().map(|hit| hit.conversation.to_string()).collect()
    };
    assert_eq!(beside("a1"), ["a2"]);
    assert_eq!(beside("b"), Vec::<String>::new());
    assert_eq!(beside("folder1"), ["folder2"]);
    assert_eq!(beside("bare1"), ["bare2"]);
    assert_eq!(store.search(search("needle")).unwrap().hits.len(), 7);
}

#[test]
fn what_a_deleted_conversation_said_is_found_in_the_fork_that_has_it() {
    let store = saying(&["the needle", "the needle again"]);
    append(&store, "a", vec![title("Needles")]);
    let first = store.search(search("needle")).unwrap().hits.iter().filter_map(|hit| hit.seq).min().unwrap();
    let fork = |name: &str, origin: &str, seq: u64, at: i64| {
        let fork = Some(ForkOrigin { conversation: id(origin), seq, imported: false });
        let created = Payload::ConversationCreated { project: None, workspace: None, fork, parent: None };
        store.create_conversation(&id(name), at, vec![created, title(name)], Vec::new()).wait().unwrap();
    };
    fork("older", "a", first, 30);
    fork("newer", "a", first, 40);
    fork("of newer", "newer", first + 1, 35);
    fork("from before it", "a", first - 1, 50);
    let places = |search: Search| -> Vec<(String, Option<u64>, String)> {
        let hits = store.search(search).unwrap().hits;
        let mut places: Vec<_> =
            hits.into_iter().map(|hit| (hit.conversation.to_string(), hit.seq, marked(&hit.snippet))).collect();
        places.sort();
        places
    };
    let place = |conversation: &str| (conversation.to_owned(), Some(first), "the [needle]".to_owned());
    let all = places(search("needle"));
    assert_eq!((all.len(), all.iter().all(|(conversation, ..)| conversation == "a")), (3, true), "once each: {all:?}");

    store.delete(&id("a"), 1).wait().unwrap();
    assert_eq!(places(search("needle")), [place("newer")]);
    let opened = store.events(&id("newer"), first - 1, 1).unwrap();
    assert!(matches!(&opened[0].payload, Payload::UserMessage { text, .. } if &**text == "the needle"), "{opened:?}");
    let beside = |name: &str| places(Search { among: Among::Beside(id(name)), ..search("needle") });
    assert_eq!(beside("of newer"), [], "it has that message itself");
    assert_eq!(beside("from before it"), [place("newer")]);
    store.delete(&id("newer"), 2).wait().unwrap();
    assert_eq!(places(search("needle")), [place("of newer")]);
    store.delete(&id("of newer"), 3).wait().unwrap();
    assert_eq!(places(search("needle")), [place("older")]);
    store.delete(&id("older"), 4).wait().unwrap();
    assert_eq!(places(search("needle")), []);
    store.restore(&id("a")).wait().unwrap();
    assert_eq!(places(search("needle")), all);
    check_whole(&store);
}
