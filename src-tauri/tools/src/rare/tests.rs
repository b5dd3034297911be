//! What is offered when tools are rare, and what a call in a call is.

use assent_protocol::tool::Cause;
use serde_json::json;

use super::*;
use crate::Registry;

/// A tool of the standard ones, made rare.
struct Rare {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl Tool for Rare {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, arguments: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        self.tool.assess(arguments, looking)
    }
}

fn with_rare(names: &[&str]) -> Registry {
    let standard = Registry::standard();
    Registry::of(standard.tools().map(|tool| {
        let rare = names.contains(&tool.spec().name);
        let spec = ToolSpec { rare, ..tool.spec().clone() };
        let tool: Arc<dyn Tool> = Arc::new(Rare { tool: Arc::clone(tool), spec });
        tool
    }))
}

#[test]
fn rare_tools_are_offered_through_two_others_and_without_any_nothing_is_added() {
    let standard = Registry::standard();
    assert_eq!(with_rare(&[]).definitions(), standard.definitions());
    assert!(standard.get(FIND).is_none() && standard.get(CALL).is_none());
    assert!(standard.offered().iter().all(|spec| spec.name != FIND && spec.name != CALL));
    let registry = with_rare(&["git_log", "delete_file"]);
    let names: Vec<&str> = registry.offered().iter().map(|spec| spec.name).collect();
    assert!(names.is_sorted() && names.contains(&FIND) && names.contains(&CALL), "{names:?}");
    assert!(!names.contains(&"git_log") && !names.contains(&"delete_file"), "{names:?}");
    assert!(registry.get("git_log").is_some() && registry.get(FIND).is_some() && registry.get(CALL).is_none());
    let definitions = registry.definitions();
    assert!(definitions.contains(r#""name":"find_tools""#) && !definitions.contains(r#""name":"git_log""#));
}

#[test]
fn a_call_in_a_call_is_that_call() {
    let registry = with_rare(&["git_log"]);
    let effective = |name: &str, arguments: &str| registry.effective(name, arguments);
    let call = |name: &str, arguments: &str| Ok(Effective { name: name.to_owned(), arguments: arguments.to_owned() });
    assert_eq!(effective("read_file", " {not even json"), call("read_file", " {not even json"));
    let outer = json!({ "name": "git_log", "arguments": { "b": 1, "a": "\u{1f642}" } }).to_string();
    assert_eq!(effective(CALL, &outer), call("git_log", "{\"a\":\"\u{1f642}\",\"b\":1}"));
    assert_eq!(effective(CALL, r#"{"name":"nothing","arguments":{}}"#), call("nothing", "{}"));
    assert_eq!(Registry::standard().effective(CALL, &outer), call(CALL, &outer), "without rare tools it is no tool");
    for (outer, words) in [
        (r#"{"arguments":{}}"#, "`name` is missing"),
        (r#"{"name":"git_log"}"#, "`arguments` is missing"),
        (r#"{"name":"git_log","arguments":"{}"}"#, "`arguments` must be an object"),
        (r#"{"name":"git_log","arguments":{},"approved":true}"#, "approved"),
        (r#"{"name":"git_log","arg"#, "Nothing was called"),
        (r#"{"name":"call_tool","arguments":{"name":"git_log","arguments":{}}}"#, "does not call itself"),
    ] {
        let refusal = effective(CALL, outer).unwrap_err();
        assert!(refusal.cause == Cause::BadArguments && refusal.words.contains(words), "{outer}: {refusal:?}");
    }
}

#[test]
fn found_tools_come_with_their_schemas() {
    let standard = Registry::standard();
    let rare = ["git_log", "git_diff", "delete_file"].map(|name| standard.get(name).unwrap().spec().clone());
    let finder = FindTools { spec: call_spec(), rare: rare.to_vec() };
    let found = |query: &str| String::from_utf8(finder.found(query).full).unwrap();
    let names = |query: &str| rare.iter().map(|spec| spec.name).filter(|name| found(query).contains(name)).count();
    assert_eq!((names(""), names("GIT log"), names("git")), (3, 1, 2));
    let log = &rare[0];
    assert_eq!(found("git_log"), format!("git_log: {}\nArguments: {}\n", log.description, *log.parameters));
    assert_eq!(found("calendar"), "No tool fits \"calendar\". There are: git_log, git_diff, delete_file.");
    assert!(found("delete calendar").starts_with("delete_file: "), "some words fit");
}
