//! Questions to a person (2.1, part 5): kept over a restart, answered once, closed by a stop, and holding up nothing but
//! what comes behind them.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    Answer, Script, answer, approve, call, check, check_on_both, delete, fork, inbox, on, request, restart, say,
    script, send, set_slots, standing, steer, stop, together,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, writes};

fn asks(question: &str, options: &[&str]) -> Answer {
    call("ask_user", json!({ "question": question, "options": options }))
}

fn with_questions() -> Script {
    script().with_all_tools().file("a", "A\n")
}

#[test]
fn the_turn_waits_for_the_answer_and_goes_on_with_it() {
    let script = with_questions()
        .model([asks("Which database?", &["SQLite", "Postgres"]), say("SQLite it is.")])
        .acts([send("set it up"), standing(), inbox(), answer(1, " SQLite, ```no``` server "), inbox()]);
    check_on_both(
        script,
        expect![[r#"
        > sends "set it up" (NextTurn)
        user/message next-turn "set it up"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":["SQLite","Postgres"],"question":"Which database?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which database?" ["SQLite", "Postgres"]
        = waits for a person, 1 pending
        = inbox asks "Which database?"
        > answers c1 " SQLite, ```no``` server "
        question/answered c1 "SQLite, ```no``` server"
        tool/result c1 ok "The user answered:\n````\nSQLite, ```no``` server\n````"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "SQLite it is."
        assistant/message r2 "SQLite it is." stop
        iteration/end 2
        turn/end completed
        = inbox
    "#]],
    );
}

#[test]
fn in_every_mode_it_is_asked() {
    let script = with_questions().mode(Mode::Plan).model([asks("Really?", &[]), say("planned")]).acts([
        send("plan"),
        standing(),
        answer(1, "yes"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "plan" (NextTurn)
        user/message next-turn "plan"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":"Really?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Really?"
        = waits for a person, 1 pending
        > answers c1 "yes"
        question/answered c1 "yes"
        tool/result c1 ok "The user answered:\n```\nyes\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "planned"
        assistant/message r2 "planned" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_fork_from_behind_it_has_its_answer() {
    let script = with_questions().model([asks("Which one?", &["a", "b"]), say("b then"), say("in the fork")]).acts([
        send("go"),
        answer(1, "b"),
        fork(2, "b"),
        on("b", send("and now?")),
        on("b", request(2)),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":["a","b"],"question":"Which one?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which one?" ["a", "b"]
        > answers c1 "b"
        question/answered c1 "b"
        tool/result c1 ok "The user answered:\n```\nb\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "b then"
        assistant/message r2 "b then" stop
        iteration/end 2
        turn/end completed
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 17
        b title/set "go" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b > sends "and now?" (NextTurn)
        b user/message next-turn "and now?"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        b assistant/chunk r3 text "in the fork"
        b assistant/message r3 "in the fork" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"go","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"options\":[\"a\",\"b\"],\"question\":\"Which one?\"}","name":"ask_user"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"The user answered:\n```\nb\n```","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"and now?","role":"user"}
    "#]],
    );
}

#[test]
fn after_a_restart_it_is_there_again() {
    let script = with_questions().model([asks("Which one?", &["a", "b"]).reads("a"), say("b then")]).acts([
        send("go"),
        restart(),
        inbox(),
        standing(),
        answer(1, "b"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":["a","b"],"question":"Which one?"} c2=read_file {"path":"a"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        question/asked c1 "Which one?" ["a", "b"]
        tool/started c2 reads
        tool/result c2 ok "a: lines 1 to 1 of 1\n1\tA\n"
        > restart
        = inbox asks "Which one?"
        = waits for a person, 1 pending
        > answers c1 "b"
        question/answered c1 "b"
        tool/result c1 ok "The user answered:\n```\nb\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "b then"
        assistant/message r2 "b then" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn it_is_answered_once() {
    let script = with_questions().model([asks("Which one?", &[]), say("so be it")]).acts([
        send("go"),
        answer(1, "  "),
        together([answer(1, "this"), answer(1, "that")]),
        answer(1, "late"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":"Which one?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which one?"
        > answers c1 "  "
        ! Invalid: the answer is empty
        > together: answers c1 "this"; answers c1 "that"
        ! NotPending: that question isn't open: somebody answered it, or its turn was stopped
        = done
        question/answered c1 "this"
        tool/result c1 ok "The user answered:\n```\nthis\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "so be it"
        assistant/message r2 "so be it" stop
        iteration/end 2
        turn/end completed
        > answers c1 "late"
        ! NotPending: that question isn't open: somebody answered it, or its turn was stopped
    "#]],
    );
}

#[test]
fn reads_beside_it_run_and_changes_behind_it_wait() {
    let script = with_questions()
        .model([reads("a").call("ask_user", json!({ "question": "May I?" })).reads("a").writes("b", "B\n")])
        .acts([send("go"), inbox(), answer(2, "yes"), inbox(), stop()]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=ask_user {"question":"May I?"} c3=read_file {"path":"a"} c4=write_file {"content":"B\n","path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/call c2 low: run by tool
        tool/call c3 low: run by tool
        question/asked c2 "May I?"
        tool/started c1 reads
        tool/started c3 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/result c3 ok "a: lines 1 to 1 of 1\n1\tA\n"
        = inbox asks "May I?"
        > answers c2 "yes"
        question/answered c2 "yes"
        tool/result c2 ok "The user answered:\n```\nyes\n```"
        tool/call c4 medium: ask
        approval/requested c4 medium "Create b: 1 line"
        = inbox write_file "Create b: 1 line"
        > stops
        turn/stop
        tool/result c4 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn a_stop_and_a_deletion_close_it() {
    let script = with_questions().model([asks("Which one?", &[])]).conversation("b", [asks("And you?", &[])]).acts([
        send("go"),
        stop(),
        answer(1, "late"),
        on("b", send("go")),
        on("b", delete()),
        inbox(),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":"Which one?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which one?"
        > stops
        turn/stop
        tool/result c1 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
        > answers c1 "late"
        ! NotPending: that question isn't open: somebody answered it, or its turn was stopped
        b > sends "go" (NextTurn)
        b user/message next-turn "go"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/message r2 c2=ask_user {"options":[],"question":"And you?"} tool-calls
        b tool/call c2 low: run by tool
        b question/asked c2 "And you?"
        b > deletes the conversation
        b turn/stop
        b tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
        b iteration/end 1
        b turn/end stopped
        = inbox
    "#]],
    );
}

#[test]
fn it_holds_no_place_and_a_message_waits_behind_it() {
    let script = with_questions()
        .slots(1, 1)
        .model([asks("Which one?", &[]), say("done"), say("more")])
        .conversation("b", [say("b done")])
        .acts([send("go"), on("b", send("talk")), send("next"), answer(1, "this"), set_slots(2, 1)]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":"Which one?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which one?"
        b > sends "talk" (NextTurn)
        b user/message next-turn "talk"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "b done"
        b assistant/message r2 "b done" stop
        b iteration/end 1
        b turn/end completed
        > sends "next" (NextTurn)
        queue/edited i1 added next-turn "next"
        > answers c1 "this"
        question/answered c1 "this"
        tool/result c1 ok "The user answered:\n```\nthis\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "done"
        assistant/message r3 "done" stop
        iteration/end 2
        turn/end completed
        queue/taken i1
        user/message next-turn "next"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "more"
        assistant/message r4 "more" stop
        iteration/end 1
        turn/end completed
        > sets the slots to 2 and 1
    "#]],
    );
}

#[test]
fn a_steer_goes_in_after_the_answer() {
    let script = with_questions().model([asks("Which one?", &[]), say("done")]).acts([
        send("go"),
        steer("and hurry"),
        answer(1, "this"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":"Which one?"} tool-calls
        tool/call c1 low: run by tool
        question/asked c1 "Which one?"
        > sends "and hurry" (NextStep)
        queue/edited i1 added next-step "and hurry"
        > answers c1 "this"
        question/answered c1 "this"
        tool/result c1 ok "The user answered:\n```\nthis\n```"
        iteration/end 1
        queue/taken i1
        user/message next-step "and hurry"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn what_is_no_question_is_not_asked() {
    let script = with_questions()
        .model([asks(" ", &[]).call("ask_user", json!({ "question": "Which?", "options": ["a", "a"] })), say("sorry")])
        .acts([send("go"), inbox()]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=ask_user {"options":[],"question":" "} c2=ask_user {"options":["a","a"],"question":"Which?"} tool-calls
        tool/call c1 no tier: refuse by tool "It was not asked: the question is empty." (bad-arguments)
        tool/call c2 no tier: refuse by tool "It was not asked: an option stands there twice." (bad-arguments)
        tool/result c1 error (bad-arguments) "It was not asked: the question is empty."
        tool/result c2 error (bad-arguments) "It was not asked: an option stands there twice."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "sorry"
        assistant/message r2 "sorry" stop
        iteration/end 2
        turn/end completed
        = inbox
    "#]],
    );
}

#[test]
fn cards_and_questions_wait_together() {
    let script = with_questions()
        .file(".env", "KEY=1\n")
        .model([reads(".env").call("ask_user", json!({ "question": "Which name?" }))])
        .acts([send("go"), inbox(), standing(), answer(2, "b"), standing(), stop()]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":".env"} c2=ask_user {"question":"Which name?"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Read .env, which may hold secrets, and send it to the model"
        tool/call c2 low: run by tool
        question/asked c2 "Which name?"
        = inbox read_file "Read .env, which may hold secrets, and send it to the model" asks "Which name?"
        = waits for a person, 2 pending
        > answers c2 "b"
        question/answered c2 "b"
        tool/result c2 ok "The user answered:\n```\nb\n```"
        = waits for a person, 1 pending
        > stops
        turn/stop
        tool/result c1 stopped (stop) "It did not run: the user stopped the turn."
        iteration/end 1
        turn/end stopped
    "#]],
    );
}

#[test]
fn behind_a_change_of_the_same_message_it_waits_for_that() {
    let script = with_questions()
        .model([writes("b", "B\n").call("ask_user", json!({ "question": "And now?" })), say("done")])
        .acts([send("go"), inbox(), approve(1), inbox(), answer(2, "stop")]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"B\n","path":"b"} c2=ask_user {"question":"And now?"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create b: 1 line"
        tool/call c2 low: run by tool
        = inbox write_file "Create b: 1 line"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create b
        tool/result c1 ok [b created] "Created b: 1 line."
        question/asked c2 "And now?"
        = inbox asks "And now?"
        > answers c2 "stop"
        question/answered c2 "stop"
        tool/result c2 ok "The user answered:\n```\nstop\n```"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}
