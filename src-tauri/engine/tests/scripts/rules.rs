//! Rules of a conversation over time (2.7): what a call says that one let pass, and how one is taken back.
//! What they cover is told in `permission`.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    approve, approve_wide, at, call, check, open, reject, restart, revoke_rule, say, script, send, trust,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn what_runs_unasked_says_by_which_rule_and_shows_its_change() {
    let script =
        script().model([writes("a", "1\n"), writes("a", "2\n"), say("done")]).acts([send("write"), approve_wide(1, 2)]);
    check(
        script,
        expect![[r#"
            > sends "write" (NextTurn)
            user/message next-turn "write"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Create a: 1 line"
            > approves c1 with offer 2
            approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
            tool/started c1 attempt 1 create a
            tool/result c1 ok [a created] "Created a: 1 line."
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r2
            assistant/message r2 c2=write_file {"content":"2\n","path":"a"} tool-calls
            tool/call c2 medium: run by rule {"tool":"write_file","matcher":{"by":"path","glob":"**"}}, shows "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-1\n+2\n"
            tool/started c2 attempt 1 rewrite a
            tool/result c2 ok [a changed] "Changed a: +1 -1 lines."
            iteration/end 2
            iteration/start 3 (2 since a person acted)
            request/sent r3
            assistant/chunk r3 text "done"
            assistant/message r3 "done" stop
            iteration/end 3
            turn/end completed
        "#]],
    );
}

#[test]
fn what_runs_by_the_mode_shows_its_change() {
    let script = script().mode(Mode::Auto).model([writes("a", "1\n"), say("done")]).acts([send("write")]);
    check(
        script,
        expect![[r#"
            > sends "write" (NextTurn)
            user/message next-turn "write"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
            tool/call c1 medium: run by mode, shows "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+1\n"
            tool/started c1 attempt 1 create a
            tool/result c1 ok [a created] "Created a: 1 line."
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/chunk r2 text "done"
            assistant/message r2 "done" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn a_rule_that_was_taken_back_lets_nothing_pass() {
    let script = script().model([writes("a", "1\n"), say("one"), writes("a", "2\n"), say("two")]).acts([
        send("write"),
        approve_wide(1, 2),
        revoke_rule(1),
        revoke_rule(1),
        send("again"),
        reject(2),
    ]);
    check(
        script,
        expect![[r#"
            > sends "write" (NextTurn)
            user/message next-turn "write"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Create a: 1 line"
            > approves c1 with offer 2
            approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
            tool/started c1 attempt 1 create a
            tool/result c1 ok [a created] "Created a: 1 line."
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r2
            assistant/chunk r2 text "one"
            assistant/message r2 "one" stop
            iteration/end 2
            turn/end completed
            > takes back the rule made with c1
            rule/revoked {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
            > takes back the rule made with c1
            ! NotFound: there is no such rule in this conversation
            > sends "again" (NextTurn)
            user/message next-turn "again"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r3
            assistant/message r3 c2=write_file {"content":"2\n","path":"a"} tool-calls
            tool/call c2 medium: ask
            approval/requested c2 medium "Overwrite a: +1 -1 lines"
            > rejects c2
            approval/decided c2 rejected by user
            tool/result c2 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r4
            assistant/chunk r4 text "two"
            assistant/message r4 "two" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}

#[test]
fn a_call_that_a_rule_had_cleared_is_asked_for_when_the_rule_goes_before_it_runs() {
    let script = script()
        .file("r", "R\n")
        .holds(&["before read_file r"])
        .model([writes("a", "1\n"), reads("r").writes("a", "2\n").writes("b", "3\n"), say("done")])
        .acts([
            send("write"),
            approve_wide(1, 2),
            at("before read_file r"),
            revoke_rule(1),
            open("before read_file r"),
            approve(3),
            reject(4),
        ]);
    check(
        script,
        expect![[r#"
            > sends "write" (NextTurn)
            user/message next-turn "write"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
            tool/call c1 medium: ask
            approval/requested c1 medium "Create a: 1 line"
            > approves c1 with offer 2
            > at "before read_file r"
            approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
            tool/started c1 attempt 1 create a
            tool/result c1 ok [a created] "Created a: 1 line."
            iteration/end 1
            iteration/start 2 (1 since a person acted)
            request/sent r2
            assistant/message r2 c2=read_file {"path":"r"} c3=write_file {"content":"2\n","path":"a"} c4=write_file {"content":"3\n","path":"b"} tool-calls
            tool/call c2 low: run by tool
            tool/started c2 reads
            > takes back the rule made with c1
            rule/revoked {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
            > open "before read_file r"
            tool/result c2 ok "r: lines 1 to 1 of 1\n1\tR\n"
            tool/call c3 medium: ask
            approval/requested c3 medium "Overwrite a: +1 -1 lines"
            tool/call c4 medium: ask
            approval/requested c4 medium "Create b: 1 line"
            > approves c3
            approval/decided c3 approved by user
            tool/started c3 attempt 1 rewrite a
            tool/result c3 ok [a changed] "Changed a: +1 -1 lines."
            > rejects c4
            approval/decided c4 rejected by user
            tool/result c4 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
            iteration/end 2
            iteration/start 3 (1 since a person acted)
            request/sent r3
            assistant/chunk r3 text "done"
            assistant/message r3 "done" stop
            iteration/end 3
            turn/end completed
        "#]],
    );
}

#[test]
fn a_rule_for_a_command_holds_in_the_folder_it_was_made_in() {
    let in_folder = |folder: &str| call("run_command", json!({ "command": "ls", "folder": folder }));
    let script = with_commands()
        .file("sub/x", "X\n")
        .file("other/y", "Y\n")
        .model([runs("ls"), in_folder("sub"), in_folder("sub"), in_folder("other"), say("done")])
        .acts([send("look"), approve_wide(1, 1), approve_wide(2, 1), reject(4)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"ls"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run ls"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"run_command","matcher":{"by":"command","argv":["ls"]}}
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "other\nsub\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=run_command {"command":"ls","folder":"sub"} tool-calls
        tool/call c2 high: ask
        approval/requested c2 high "Run ls"
        > approves c2 with offer 1
        approval/decided c2 approved by user and whatever fits {"tool":"run_command","matcher":{"by":"arguments","digest":"2eb6db6a5f98d63568133b4b08a794110fcaf873ee6ba967c9e2f855e3b9cead"}}
        tool/started c2 attempt 1 command
        tool/result c2 ok exit 0 "x\n[exit code 0]"
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=run_command {"command":"ls","folder":"sub"} tool-calls
        tool/call c3 high: run by rule {"tool":"run_command","matcher":{"by":"arguments","digest":"2eb6db6a5f98d63568133b4b08a794110fcaf873ee6ba967c9e2f855e3b9cead"}}
        tool/started c3 attempt 1 command
        tool/result c3 ok exit 0 "x\n[exit code 0]"
        iteration/end 3
        iteration/start 4 (2 since a person acted)
        request/sent r4
        assistant/message r4 c4=run_command {"command":"ls","folder":"other"} tool-calls
        tool/call c4 high: ask
        approval/requested c4 high "Run ls"
        > rejects c4
        approval/decided c4 rejected by user
        tool/result c4 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 4
        iteration/start 5 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "done"
        assistant/message r5 "done" stop
        iteration/end 5
        turn/end completed
    "#]],
    );
}

#[test]
fn p06_no_flag_is_judged_by_its_name_and_an_abbreviated_one_lowers_nothing() {
    let script = with_commands()
        .file("f", "b\na\n")
        .model([runs("sort f"), runs("sort --compress-prog=./x f"), runs("sort --comp=./x f"), say("done")])
        .acts([send("sort"), approve_wide(1, 1), reject(2), reject(3)]);
    check(
        script,
        expect![[r#"
        > sends "sort" (NextTurn)
        user/message next-turn "sort"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"sort f"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run sort f"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"run_command","matcher":{"by":"command","argv":["sort","f"]}}
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "a\nb\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=run_command {"command":"sort --compress-prog=./x f"} tool-calls
        tool/call c2 high: ask
        approval/requested c2 high "Run sort --compress-prog=./x f"
        > rejects c2
        approval/decided c2 rejected by user
        tool/result c2 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=run_command {"command":"sort --comp=./x f"} tool-calls
        tool/call c3 high: ask
        approval/requested c3 high "Run sort --comp=./x f"
        > rejects c3
        approval/decided c3 rejected by user
        tool/result c3 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "done"
        assistant/message r4 "done" stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}

#[test]
fn rules_of_folders_come_once_behind_the_first_result_from_there() {
    let script = script()
        .file("AGENTS.md", "At the root.\n")
        .file("sub/AGENTS.md", "Use tabs.\n")
        .file("sub/CLAUDE.md", "Only where there is no other.\n")
        .file("sub/deep/CLAUDE.md", "Hidden \u{200b}here.\n")
        .file("sub/deep/x", "X\n")
        .model([reads("sub/deep/x"), reads("sub/AGENTS.md"), say("read"), reads("sub/deep/x"), say("again")])
        .acts([trust(&["sub/AGENTS.md", "sub/deep/CLAUDE.md"]), send("look"), restart(), send("again")]);
    check(
        script,
        expect![[r#"
            > trusts sub/AGENTS.md, sub/deep/CLAUDE.md
            > sends "look" (NextTurn)
            user/message next-turn "look"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"sub/deep/x"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "sub/deep/x: lines 1 to 1 of 1\n1\tX\n" + "[Project rules for this folder, from sub/AGENTS.md:]\n<rules>\nUse tabs.\n</rules>\n…56 more…:]\n<rules>\nHidden ⟨U+200B⟩here.\n</rules>"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/message r2 c2=read_file {"path":"sub/AGENTS.md"} tool-calls
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "sub/AGENTS.md: lines 1 to 1 of 1\n1\tUse tabs.\n"
            iteration/end 2
            iteration/start 3 (3 since a person acted)
            request/sent r3
            assistant/chunk r3 text "read"
            assistant/message r3 "read" stop
            iteration/end 3
            turn/end completed
            > restart
            > sends "again" (NextTurn)
            user/message next-turn "again"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r4
            assistant/message r4 c3=read_file {"path":"sub/deep/x"} tool-calls
            tool/call c3 low: run by tool
            tool/started c3 reads
            tool/result c3 ok "sub/deep/x: lines 1 to 1 of 1\n1\tX\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r5
            assistant/chunk r5 text "again"
            assistant/message r5 "again" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}
