//! The list of steps (part 5): replaced as a whole, refused as a whole, and the same after a restart.

use assent_testkit::stage::{Answer, Script, call, check, check_on_both, restart, say, script, send, todo};
use expect_test::expect;
use serde_json::{Value, json};

fn steps(states: &[(&str, &str)]) -> Value {
    let items: Vec<Value> = states.iter().map(|(text, state)| json!({ "text": text, "state": state })).collect();
    json!({ "items": items })
}

fn keeps(states: &[(&str, &str)]) -> Answer {
    call("todo", steps(states))
}

fn with_todo() -> Script {
    script().with_all_tools()
}

#[test]
fn each_call_replaces_the_list() {
    let script = with_todo()
        .model([
            keeps(&[("Read", "active"), ("Write", "pending")]),
            keeps(&[("Read", "done"), ("Write", "active"), ("测试", "pending")]),
            say("Two to go."),
        ])
        .acts([send("go"), todo()]);
    check_on_both(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=todo {"items":[{"state":"active","text":"Read"},{"state":"pending","text":"Write"}]} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "The list is kept: 0 of 2 done, now: Read."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=todo {"items":[{"state":"done","text":"Read"},{"state":"active","text":"Write"},{"state":"pending","text":"测试"}]} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok "The list is kept: 1 of 3 done, now: Write."
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Two to go."
        assistant/message r3 "Two to go." stop
        iteration/end 3
        turn/end completed
        = steps Done "Read" Active "Write" Pending "测试"
    "#]],
    );
}

#[test]
fn a_list_that_does_not_fit_leaves_the_old_one() {
    let script = with_todo()
        .model([
            keeps(&[("Read", "active")]),
            keeps(&[("Read", "active"), ("Write", "active")]),
            keeps(&[("", "done")]),
            say("One is enough."),
        ])
        .acts([send("go"), todo(), restart(), todo()]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=todo {"items":[{"state":"active","text":"Read"}]} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "The list is kept: 0 of 1 done, now: Read."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=todo {"items":[{"state":"active","text":"Read"},{"state":"active","text":"Write"}]} tool-calls
        tool/call c2 no tier: refuse by tool "The list stays as it was: at most one step is active." (bad-arguments)
        tool/result c2 error (bad-arguments) "The list stays as it was: at most one step is active."
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=todo {"items":[{"state":"done","text":""}]} tool-calls
        tool/call c3 no tier: refuse by tool "The list stays as it was: a step has one to 200 characters." (bad-arguments)
        tool/result c3 error (bad-arguments) "The list stays as it was: a step has one to 200 characters."
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/chunk r4 text "One is enough."
        assistant/message r4 "One is enough." stop
        iteration/end 4
        turn/end completed
        = steps Active "Read"
        > restart
        = steps Active "Read"
    "#]],
    );
}

#[test]
fn of_several_calls_of_a_message_the_last_one_counts() {
    let first = keeps(&[("Read", "active")]);
    let script =
        with_todo().model([first.call("todo", steps(&[("Write", "active")])), say("done")]).acts([send("go"), todo()]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=todo {"items":[{"state":"active","text":"Read"}]} c2=todo {"items":[{"state":"active","text":"Write"}]} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/started c1 reads
        tool/started c2 reads
        tool/result c1 ok "The list is kept: 0 of 1 done, now: Read."
        tool/result c2 ok "The list is kept: 0 of 1 done, now: Write."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
        = steps Active "Write"
    "#]],
    );
}
