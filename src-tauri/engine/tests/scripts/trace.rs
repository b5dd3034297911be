//! The shortest turns, whole: what a log begins with, and the trace that the spec gives (2.1).
//! Both with the scripted model and over HTTP.

use assent_testkit::stage::{check, check_on_both, say, script, send};
use expect_test::expect;

use crate::{reads, with_commands};

#[test]
fn a_log_from_its_first_event() {
    check(
        script().whole().model([say("pong")]).acts([send("echo ping")]),
        expect![[r#"
        conversation/created ROOT
        model/set a window 128000
        mode/set ask
        limits/set max 10 retries 3
        > sends "echo ping" (NextTurn)
        prompt/set
        tools/set 15 tools, 9 reading
        title/set "echo ping" by tool
        user/message next-turn "echo ping"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "pong"
        assistant/message r1 "pong" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_turn_with_a_read() {
    let script = script()
        .file("a.txt", "one\ntwo\n")
        .model([reads("a.txt"), say("It says one and two.")])
        .acts([send("what does a.txt say?")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "what does a.txt say?" (NextTurn)
        user/message next-turn "what does a.txt say?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a.txt"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a.txt: lines 1 to 2 of 2\n1\tone\n2\ttwo\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "It says one and two."
        assistant/message r2 "It says one and two." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn reasoning_and_words_before_a_call() {
    let script = script()
        .file("a.txt", "one\n")
        .model([reads("a.txt").think("I should look.").say("Let me look. "), say("one")])
        .acts([send("look")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 reasoning "I should look."
        assistant/chunk r1 text "Let me look. "
        assistant/message r1 "Let me look. " c1=read_file {"path":"a.txt"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a.txt: lines 1 to 1 of 1\n1\tone\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "one"
        assistant/message r2 "one" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_conversation_without_a_folder_has_no_tools() {
    let script = script().without_folder().model([reads("a.txt"), say("I can't.")]).acts([send("read a.txt")]);
    check_on_both(
        script,
        expect![[r#"
        > sends "read a.txt" (NextTurn)
        user/message next-turn "read a.txt"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a.txt"} tool-calls
        tool/call c1 no tier: refuse by tool "It did not run: there is no tool named \"read_file\". Tools: none in this conversation." (unknown-tool)
        tool/result c1 error (unknown-tool) "It did not run: there is no tool named \"read_file\". Tools: none in this conversation."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "I can't."
        assistant/message r2 "I can't." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_command_runs_when_it_was_approved() {
    use assent_testkit::stage::approve;
    let script = with_commands()
        .model([crate::runs("printf ping > pong.txt; cat pong.txt"), say("pong")])
        .acts([send("ping"), approve(1)]);
    check_on_both(
        script,
        expect![[r#"
        > sends "ping" (NextTurn)
        user/message next-turn "ping"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"printf ping > pong.txt; cat pong.txt"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run printf ping > pong.txt; cat pong.txt"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "ping\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "pong"
        assistant/message r2 "pong" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn the_state_of_the_repository_goes_with_the_first_message_and_with_changes() {
    use assent_testkit::stage::write_outside;
    let script = script().file("a.txt", "one\n").in_git().model([say("1"), say("2"), say("3")]).acts([
        send("first"),
        send("second"),
        write_outside("a.txt", "two\n"),
        send("third"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "first" (NextTurn)
        user/message next-turn "[Workspace: branch main, 0 changed files]" "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "1"
        assistant/message r1 "1" stop
        iteration/end 1
        turn/end completed
        > sends "second" (NextTurn)
        user/message next-turn "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "2"
        assistant/message r2 "2" stop
        iteration/end 1
        turn/end completed
        > another program writes a.txt
        > sends "third" (NextTurn)
        user/message next-turn "[Workspace: branch main, 1 changed files]" "third"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "3"
        assistant/message r3 "3" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}
