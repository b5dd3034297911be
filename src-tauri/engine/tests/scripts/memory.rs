//! Facts that are remembered (part 4): asked for with a card, claimed and probed as every write, and taken back.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    Answer, Script, approve, at, call, check, in_home, request, restart, revert, say, script, send, trust,
    write_outside,
};
use expect_test::expect;
use serde_json::json;

fn remembers(scope: &str, text: &str) -> Answer {
    call("memory", json!({ "action": "add", "scope": scope, "text": text }))
}

fn with_memory() -> Script {
    script().with_all_tools()
}

#[test]
fn a_fact_of_the_project_is_asked_for_and_taken_back() {
    let script = with_memory().model([remembers("project", "Tests need Postgres"), say("noted")]).acts([
        send("remember it"),
        approve(1),
        revert(1),
    ]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"project","text":"Tests need Postgres"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create .assent/MEMORY.md: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create .assent/MEMORY.md
        tool/result c1 ok [.assent/MEMORY.md created] "Created .assent/MEMORY.md: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "noted"
        assistant/message r2 "noted" stop
        iteration/end 2
        turn/end completed
        > takes c1 back
        effect/reverted c1 [.assent/MEMORY.md gone]
    "#]],
    );
}

#[test]
fn a_fact_of_the_person_is_kept_in_the_apps_own_folder() {
    let script = with_memory()
        .model([remembers("user", "prefers short answers"), remembers("user", "in Chinese"), say("noted")])
        .acts([
            send("remember it"),
            approve(1),
            in_home("looks into the file", |home| {
                assert_eq!(std::fs::read_to_string(home.join("USER.md")).unwrap(), "- prefers short answers\n");
            }),
            approve(2),
            revert(2),
            in_home("looks again", |home| {
                assert_eq!(std::fs::read_to_string(home.join("USER.md")).unwrap(), "- prefers short answers\n");
            }),
        ]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"user","text":"prefers short answers"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create BASE/home/USER.md: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create BASE/home/USER.md
        tool/result c1 ok [BASE/home/USER.md created] "Created BASE/home/USER.md: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=memory {"action":"add","scope":"user","text":"in Chinese"} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Edit BASE/home/USER.md: +1 -0 lines"
        > looks into the file
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 rewrite BASE/home/USER.md
        tool/result c2 ok [BASE/home/USER.md changed] "Changed BASE/home/USER.md: +1 line."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "noted"
        assistant/message r3 "noted" stop
        iteration/end 3
        turn/end completed
        > takes c2 back
        effect/reverted c2 [BASE/home/USER.md changed]
        > looks again
    "#]],
    );
}

#[test]
fn in_auto_it_runs_and_in_plan_it_does_not() {
    let script =
        with_memory().mode(Mode::Auto).model([remembers("user", "one"), say("noted")]).acts([send("remember it")]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"user","text":"one"} tool-calls
        tool/call c1 medium: run by mode, shows "--- /dev/null\n+++ b/BASE/home/USER.md\n@@ -0,0 +1,1 @@\n+- one\n"
        tool/started c1 attempt 1 create BASE/home/USER.md
        tool/result c1 ok [BASE/home/USER.md created] "Created BASE/home/USER.md: 1 line."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "noted"
        assistant/message r2 "noted" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
    let script = with_memory()
        .mode(Mode::Plan)
        .model([remembers("user", "one"), say("as you wish")])
        .acts([send("remember it")]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"user","text":"one"} tool-calls
        tool/call c1 medium: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c1 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "as you wish"
        assistant/message r2 "as you wish" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_crash_after_the_write_is_found_out_by_looking_at_the_file() {
    let script = with_memory().holds(&["after memory "]).model([remembers("user", "one")]).acts([
        send("remember it"),
        approve(1),
        at("after memory "),
        restart(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"user","text":"one"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create BASE/home/USER.md: 1 line"
        > approves c1
        > at "after memory "
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create BASE/home/USER.md
        > restart
        tool/result c1 ok (interrupted) recovered [BASE/home/USER.md created] "It ran: the program was interrupted before the result was written, and the files show that the effect is there."
        iteration/end 1
        turn/end interrupted
    "#]],
    );
}

#[test]
fn a_crash_before_the_write_leaves_the_file() {
    let script = with_memory().holds(&["before memory "]).model([remembers("user", "one")]).acts([
        send("remember it"),
        approve(1),
        at("before memory "),
        restart(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"user","text":"one"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create BASE/home/USER.md: 1 line"
        > approves c1
        > at "before memory "
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create BASE/home/USER.md
        > restart
        tool/result c1 error (interrupted) recovered "It did not run: the program was interrupted, and the files show that nothing changed. Call it again if it is still wanted."
        iteration/end 1
        turn/end interrupted
    "#]],
    );
}

#[test]
fn a_file_that_changed_since_the_card_is_shown_anew() {
    let script = with_memory()
        .file(".assent/MEMORY.md", "- one\n")
        .model([remembers("project", "two"), say("noted")])
        .acts([send("remember it"), write_outside(".assent/MEMORY.md", "- three\n"), approve(1), approve(1)]);
    check(
        script,
        expect![[r#"
            > sends "remember it" (NextTurn)
            memory/set some
            user/message next-turn "remember it"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=memory {"action":"add","scope":"project","text":"two"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Edit .assent/MEMORY.md: +1 -0 lines"
            > another program writes .assent/MEMORY.md
            > approves c1
            approval/decided c1 approved by user
            approval/requested c1 medium "Edit .assent/MEMORY.md: +1 -0 lines" again: changed
            > approves c1
            approval/decided c1 approved by user
            tool/started c1 attempt 1 rewrite .assent/MEMORY.md
            tool/result c1 ok [.assent/MEMORY.md changed] "Changed .assent/MEMORY.md: +1 line."
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r2
            assistant/chunk r2 text "noted"
            assistant/message r2 "noted" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn what_is_remembered_stands_ahead_of_the_history_and_a_change_is_told_behind_it() {
    let model = [say("One."), say("Two."), say("Three.")];
    let file = ".assent/MEMORY.md";
    let acts = [
        trust(&[file]),
        send("first"),
        request(1),
        write_outside(file, "- tabs\n- no emoji\n"),
        trust(&[file]),
        send("second"),
        request(2),
        send("third"),
    ];
    check(
        script().file(file, "- tabs\n").model(model).acts(acts),
        expect![[r#"
        > trusts .assent/MEMORY.md
        > sends "first" (NextTurn)
        memory/set some
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One."
        assistant/message r1 "One." stop
        iteration/end 1
        turn/end completed
        = {"content":"[Memory: what the user and earlier conversations noted down. Not part of this conversation.]\n<memory>\nOf this project:\n- tabs\n</memory>\n\nfirst","role":"user"}
        > another program writes .assent/MEMORY.md
        > trusts .assent/MEMORY.md
        > sends "second" (NextTurn)
        memory/set some told with the next message
        user/message next-turn "[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n- no emoji\n</memory>" "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Two."
        assistant/message r2 "Two." stop
        iteration/end 1
        turn/end completed
        = {"content":"[Memory: what the user and earlier conversations noted down. Not part of this conversation.]\n<memory>\nOf this project:\n- tabs\n</memory>\n\nfirst","role":"user"}
        = {"content":"One.","role":"assistant"}
        = {"content":"[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n- no emoji\n</memory>\n\nsecond","role":"user"}
        > sends "third" (NextTurn)
        user/message next-turn "third"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Three."
        assistant/message r3 "Three." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn what_came_with_a_folder_is_not_remembered_before_a_person_saw_it() {
    let acts = [send("first"), request(1)];
    let script = script().file(".assent/MEMORY.md", "- obey this\n").model([say("One.")]);
    check(
        script.acts(acts),
        expect![[r#"
        > sends "first" (NextTurn)
        memory/set some
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "One."
        assistant/message r1 "One." stop
        iteration/end 1
        turn/end completed
        = {"content":"[Memory: what the user and earlier conversations noted down. Not part of this conversation.]\n<memory>\nOf this project:\n[.assent/MEMORY.md is left out: the user has not trusted it.]\n</memory>\n\nfirst","role":"user"}
    "#]],
    );
}

#[test]
fn what_a_person_approved_is_trusted() {
    let model = [remembers("project", "tabs"), say("noted"), say("Two.")];
    let acts = [send("remember it"), approve(1), send("second"), request(3)];
    check(
        with_memory().model(model).acts(acts),
        expect![[r#"
        > sends "remember it" (NextTurn)
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"project","text":"tabs"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create .assent/MEMORY.md: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create .assent/MEMORY.md
        tool/result c1 ok [.assent/MEMORY.md created] "Created .assent/MEMORY.md: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "noted"
        assistant/message r2 "noted" stop
        iteration/end 2
        turn/end completed
        > sends "second" (NextTurn)
        memory/set some told with the next message
        user/message next-turn "[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n</memory>" "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Two."
        assistant/message r3 "Two." stop
        iteration/end 1
        turn/end completed
        = {"content":"remember it","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"action\":\"add\",\"scope\":\"project\",\"text\":\"tabs\"}","name":"memory"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"Created .assent/MEMORY.md: 1 line.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"noted","role":"assistant"}
        = {"content":"[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n</memory>\n\nsecond","role":"user"}
    "#]],
    );
}

#[test]
fn an_approved_fact_doesnt_vouch_for_what_stood_there_before() {
    let model = [remembers("project", "tabs"), say("noted"), say("Two.")];
    let acts = [send("remember it"), approve(1), send("second"), request(3)];
    check(
        with_memory().file(".assent/MEMORY.md", "- obey this\n").model(model).acts(acts),
        expect![[r#"
        > sends "remember it" (NextTurn)
        memory/set some
        user/message next-turn "remember it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=memory {"action":"add","scope":"project","text":"tabs"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Edit .assent/MEMORY.md: +1 -0 lines"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 rewrite .assent/MEMORY.md
        tool/result c1 ok [.assent/MEMORY.md changed] "Changed .assent/MEMORY.md: +1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "noted"
        assistant/message r2 "noted" stop
        iteration/end 2
        turn/end completed
        > sends "second" (NextTurn)
        user/message next-turn "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "Two."
        assistant/message r3 "Two." stop
        iteration/end 1
        turn/end completed
        = {"content":"[Memory: what the user and earlier conversations noted down. Not part of this conversation.]\n<memory>\nOf this project:\n[.assent/MEMORY.md is left out: the user has not trusted it.]\n</memory>\n\nremember it","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"action\":\"add\",\"scope\":\"project\",\"text\":\"tabs\"}","name":"memory"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"Changed .assent/MEMORY.md: +1 line.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"noted","role":"assistant"}
        = {"content":"second","role":"user"}
    "#]],
    );
}

#[test]
fn what_a_person_approved_counts_although_a_crash_came_between() {
    let acts = [send("remember it"), approve(1), at("after memory "), restart(), send("second"), request(2)];
    check(
        with_memory().holds(&["after memory "]).model([remembers("project", "tabs"), say("Two.")]).acts(acts),
        expect![[r#"
            > sends "remember it" (NextTurn)
            user/message next-turn "remember it"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=memory {"action":"add","scope":"project","text":"tabs"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Create .assent/MEMORY.md: 1 line"
            > approves c1
            > at "after memory "
            approval/decided c1 approved by user
            tool/started c1 attempt 1 create .assent/MEMORY.md
            > restart
            tool/result c1 ok (interrupted) recovered [.assent/MEMORY.md created] "It ran: the program was interrupted before the result was written, and the files show that the effect is there."
            iteration/end 1
            turn/end interrupted
            > sends "second" (NextTurn)
            memory/set some told with the next message
            user/message next-turn "[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n</memory>" "second"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r2
            assistant/chunk r2 text "Two."
            assistant/message r2 "Two." stop
            iteration/end 1
            turn/end completed
            = {"content":"remember it","role":"user"}
            = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"action\":\"add\",\"scope\":\"project\",\"text\":\"tabs\"}","name":"memory"},"id":"call_00000000000070008000000000000005","type":"function"}]}
            = {"content":"It ran: the program was interrupted before the result was written, and the files show that the effect is there.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
            = {"content":"[Memory changed. It says now:]\n<memory>\nOf this project:\n- tabs\n</memory>\n\nsecond","role":"user"}
        "#]],
    );
}
