//! Forks: what goes along, what stays, what is closed, and that the one doesn't touch the other.
//! That logs are read across them is tested with the store.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    approve, approve_wide, check, check_on_both, delete, fork, inbox, on, request, resend, restart, say, script, send,
    set_mode, stop,
};
use expect_test::expect;

use crate::{More as _, reads, writes};

#[test]
fn an_edited_message_is_said_in_a_fork_from_before_it_and_the_origin_goes_on() {
    let script = script().model([say("one"), say("two"), say("other two"), say("three")]).acts([
        send("first"),
        send("second"),
        resend(3, "second, better", "b"),
        on("b", request(2)),
        send("third"),
    ]);
    check_on_both(
        script,
        expect![[r#"
        > sends "first" (NextTurn)
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        > sends "second" (NextTurn)
        user/message next-turn "second"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "two"
        assistant/message r2 "two" stop
        iteration/end 1
        turn/end completed
        a > says message 3 anew as "second, better" in b
        b conversation/created ROOT, forked at 15
        b title/set "first" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b user/message next-turn "second, better"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        b assistant/chunk r3 text "other two"
        b assistant/message r3 "other two" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"first","role":"user"}
        = {"content":"one","role":"assistant"}
        = {"content":"second, better","role":"user"}
        > sends "third" (NextTurn)
        user/message next-turn "third"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "three"
        assistant/message r4 "three" stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_fork_goes_on_from_behind_an_answer_with_its_calls_across_a_restart() {
    let script = script().file("x", "X\n").model([reads("x"), say("read"), say("later"), say("in the fork")]).acts([
        send("look"),
        send("more"),
        fork(2, "b"),
        restart(),
        on("b", send("and now?")),
        on("b", request(2)),
    ]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"x"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "x: lines 1 to 1 of 1\n1\tX\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "read"
        assistant/message r2 "read" stop
        iteration/end 2
        turn/end completed
        > sends "more" (NextTurn)
        user/message next-turn "more"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "later"
        assistant/message r3 "later" stop
        iteration/end 1
        turn/end completed
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 16
        b title/set "look" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        > restart
        b > sends "and now?" (NextTurn)
        b user/message next-turn "and now?"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r4
        b assistant/chunk r4 text "in the fork"
        b assistant/message r4 "in the fork" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"look","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"x\"}","name":"read_file"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"x: lines 1 to 1 of 1\n1\tX\n","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"and now?","role":"user"}
    "#]],
    );
}

#[test]
fn a_card_stays_with_the_origin_and_its_call_is_closed_in_the_fork() {
    let script = script().model([writes("x", "X\n").writes("y", "Y\n"), say("forked"), say("written")]).acts([
        send("write"),
        fork(2, "b"),
        inbox(),
        on("b", send("don't")),
        on("b", request(2)),
        approve(1),
        approve(2),
    ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"X\n","path":"x"} c2=write_file {"content":"Y\n","path":"y"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create x: 1 line"
        tool/call c2 medium: ask
        approval/requested c2 medium "Create y: 1 line"
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 16
        b title/set "write" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        = inbox write_file "Create x: 1 line" write_file "Create y: 1 line"
        b > sends "don't" (NextTurn)
        b user/message next-turn "don't"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "forked"
        b assistant/message r2 "forked" stop
        b iteration/end 1
        b turn/end completed
        = {"content":"write","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"content\":\"X\\n\",\"path\":\"x\"}","name":"write_file"},"id":"call_00000000000070008000000000000005","type":"function"},{"function":{"arguments":"{\"content\":\"Y\\n\",\"path\":\"y\"}","name":"write_file"},"id":"call_00000000000070008000000000000006","type":"function"}]}
        = {"content":"The conversation was forked here before this call ended, so its result is not known in this one. Look at the present state before you repeat it.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"The conversation was forked here before this call ended, so its result is not known in this one. Look at the present state before you repeat it.","role":"tool","tool_call_id":"call_00000000000070008000000000000006"}
        = {"content":"don't","role":"user"}
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create x
        tool/result c1 ok [x created] "Created x: 1 line."
        > approves c2
        approval/decided c2 approved by user
        tool/started c2 attempt 1 create y
        tool/result c2 ok [y created] "Created y: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "written"
        assistant/message r3 "written" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rule_is_asked_for_anew_in_a_fork() {
    let script = script().model([writes("x", "1\n"), say("done"), writes("x", "2\n")]).acts([
        send("write"),
        approve_wide(1, 1),
        fork(3, "b"),
        on("b", send("again")),
        inbox(),
        on("b", stop()),
    ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"x"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create x: 1 line"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"x"}}
        tool/started c1 attempt 1 create x
        tool/result c1 ok [x created] "Created x: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "done"
        assistant/message r2 "done" stop
        iteration/end 2
        turn/end completed
        a > forks at message 3 as b
        b conversation/created ROOT, forked at 24
        b title/set "write" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b > sends "again" (NextTurn)
        b user/message next-turn "again"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        b assistant/message r3 c2=write_file {"content":"2\n","path":"x"} tool-calls
        b tool/call c2 medium: ask
        b approval/requested c2 medium "Overwrite x: +1 -1 lines"
        = inbox write_file "Overwrite x: +1 -1 lines"
        b > stops
        b turn/stop
        b tool/result c2 stopped (stop) "It did not run: the user stopped the turn."
        b iteration/end 1
        b turn/end stopped
    "#]],
    );
}

#[test]
fn a_fork_of_a_fork_outlives_what_it_goes_on_from() {
    let script = script().model([say("one"), say("two"), say("three")]).acts([
        send("first"),
        fork(2, "b"),
        on("b", send("second")),
        on("b", fork(4, "c")),
        delete(),
        on("b", delete()),
        restart(),
        on("c", send("third")),
        on("c", request(3)),
    ]);
    check(
        script,
        expect![[r#"
        > sends "first" (NextTurn)
        user/message next-turn "first"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "one"
        assistant/message r1 "one" stop
        iteration/end 1
        turn/end completed
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 15
        b title/set "first" by tool
        b model/set a window 128000
        b mode/set ask
        b limits/set max 10 retries 3
        b > sends "second" (NextTurn)
        b user/message next-turn "second"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r2
        b assistant/chunk r2 text "two"
        b assistant/message r2 "two" stop
        b iteration/end 1
        b turn/end completed
        b > forks at message 4 as c
        c conversation/created ROOT, forked at 28
        c title/set "first" by tool
        c model/set a window 128000
        c mode/set ask
        c limits/set max 10 retries 3
        > deletes the conversation
        b > deletes the conversation
        > restart
        c > sends "third" (NextTurn)
        c user/message next-turn "third"
        c turn/start message
        c iteration/start 1 (1 since a person acted)
        c request/sent r3
        c assistant/chunk r3 text "three"
        c assistant/message r3 "three" stop
        c iteration/end 1
        c turn/end completed
        = {"content":"first","role":"user"}
        = {"content":"one","role":"assistant"}
        = {"content":"second","role":"user"}
        = {"content":"two","role":"assistant"}
        = {"content":"third","role":"user"}
    "#]],
    );
}

#[test]
fn what_happens_beside_a_call_does_not_part_it_from_its_result() {
    let script = script().model([writes("x", "X\n"), say("written"), say("in the fork")]).acts([
        send("write"),
        set_mode(Mode::Auto),
        approve(1),
        fork(2, "b"),
        on("b", send("and now?")),
        on("b", request(2)),
    ]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"X\n","path":"x"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create x: 1 line"
        > sets the mode to Auto
        mode/set auto
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create x
        tool/result c1 ok [x created] "Created x: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "written"
        assistant/message r2 "written" stop
        iteration/end 2
        turn/end completed
        a > forks at message 2 as b
        b conversation/created ROOT, forked at 19
        b title/set "write" by tool
        b model/set a window 128000
        b mode/set auto
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
        = {"content":"write","role":"user"}
        = {"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{\"content\":\"X\\n\",\"path\":\"x\"}","name":"write_file"},"id":"call_00000000000070008000000000000005","type":"function"}]}
        = {"content":"Created x: 1 line.","role":"tool","tool_call_id":"call_00000000000070008000000000000005"}
        = {"content":"and now?","role":"user"}
    "#]],
    );
}
