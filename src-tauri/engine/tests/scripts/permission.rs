//! Modes and the rules that a person makes for a conversation (2.7): what they cover, and what they never do.
//! The table of verdicts itself is tested in `policy`.

use assent_protocol::permission::Mode;
use assent_testkit::stage::{
    approve, approve_wide, call, check, on, reject, revoke_rule, say, script, send, set_mode, write_outside,
};
use expect_test::expect;
use serde_json::json;

use crate::{More as _, reads, runs, with_commands, writes};

#[test]
fn p01_p13_a_rule_for_a_command_covers_exactly_that_command() {
    let script = with_commands()
        .model([
            runs("ls"),
            runs("ls"),
            runs("ls && touch MARK"),
            runs("ls -a"),
            runs("ls\ntouch MARK"),
            say("that was all"),
        ])
        .acts([send("look"), approve_wide(1, 1), reject(3), reject(4), approve(5)]);
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
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=run_command {"command":"ls"} tool-calls
        tool/call c2 high: run by rule {"tool":"run_command","matcher":{"by":"command","argv":["ls"]}}
        tool/started c2 attempt 1 command
        tool/result c2 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/message r3 c3=run_command {"command":"ls && touch MARK"} tool-calls
        tool/call c3 high: ask
        approval/requested c3 high "Run ls && touch MARK"
        > rejects c3
        approval/decided c3 rejected by user
        tool/result c3 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/message r4 c4=run_command {"command":"ls -a"} tool-calls
        tool/call c4 high: ask
        approval/requested c4 high "Run ls -a"
        > rejects c4
        approval/decided c4 rejected by user
        tool/result c4 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 4
        iteration/start 5 (1 since a person acted)
        request/sent r5
        assistant/message r5 c5=run_command {"command":"ls\ntouch MARK"} tool-calls
        tool/call c5 high: ask
        approval/requested c5 high "Run a command of 13 characters: ls…"
        > approves c5
        approval/decided c5 approved by user
        tool/started c5 attempt 1 command
        tool/result c5 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 5
        iteration/start 6 (1 since a person acted)
        request/sent r6
        assistant/chunk r6 text "that was all"
        assistant/message r6 "that was all" stop
        iteration/end 6
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rule_for_one_secret_covers_no_other() {
    let script = script()
        .file(".env", "KEY=1\n")
        .model([reads(".env"), reads(".env"), reads("sub/.env"), say("secrets")])
        .file("sub/.env", "KEY=2\n")
        .acts([send("look"), approve_wide(1, 1), approve(3)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":".env"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Read .env, which may hold secrets, and send it to the model"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"read_file","matcher":{"by":"path","glob":".env"}}
        tool/started c1 reads
        tool/result c1 ok ".env: lines 1 to 1 of 1\n1\tKEY=1\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":".env"} tool-calls
        tool/call c2 low: run by tool
        tool/started c2 reads
        tool/result c2 ok ".env: lines 1 to 1 of 1\n1\tKEY=1\n"
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/message r3 c3=read_file {"path":"sub/.env"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Read sub/.env, which may hold secrets, and send it to the model"
        > approves c3
        approval/decided c3 approved by user
        tool/started c3 reads
        tool/result c3 ok "sub/.env: lines 1 to 1 of 1\n1\tKEY=2\n"
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "secrets"
        assistant/message r4 "secrets" stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}

/// What `.git` holds when it points to the other repository that has the workspace for a worktree.
const OTHER: &str = "gitdir: ../other/.git/worktrees/second\n";

#[test]
fn a_repository_elsewhere_is_asked_for_until_it_is_allowed_for_the_conversation_and_another_is_asked_for_anew() {
    let looks = |tool| call(tool, json!({}));
    let script = script()
        .file("a.txt", "one\n")
        .in_worktree()
        .model([
            looks("git_status"),
            looks("git_status"),
            looks("git_diff"),
            say("clean"),
            looks("git_log"),
            say("one commit"),
            looks("git_log"),
            say("asked again"),
            looks("git_log"),
            say("no"),
        ])
        .acts([
            send("look"),
            approve(1),
            approve_wide(2, 1),
            send("the history"),
            revoke_rule(2),
            send("once more"),
            approve_wide(5, 1),
            write_outside(".git", OTHER),
            send("and there?"),
            reject(6),
        ]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=git_status {} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Read the repository BASE/repo/.git, which this linked worktree belongs to, and send what it holds to the model"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 reads
        tool/result c1 ok "branch side at 32f77f8c first\nnothing to commit, work tree clean\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=git_status {} tool-calls
        tool/call c2 medium: ask
        approval/requested c2 medium "Read the repository BASE/repo/.git, which this linked worktree belongs to, and send what it holds to the model"
        > approves c2 with offer 1
        approval/decided c2 approved by user and whatever fits {"tool":"git","matcher":{"by":"repository","folder":"BASE/repo/.git"}}
        tool/started c2 reads
        tool/result c2 ok "branch side at 32f77f8c first\nnothing to commit, work tree clean\n"
        iteration/end 2
        iteration/start 3 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=git_diff {} tool-calls
        tool/call c3 medium: run by rule {"tool":"git","matcher":{"by":"repository","folder":"BASE/repo/.git"}}
        tool/started c3 reads
        tool/result c3 ok "[no differences]\n"
        iteration/end 3
        iteration/start 4 (2 since a person acted)
        request/sent r4
        assistant/chunk r4 text "clean"
        assistant/message r4 "clean" stop
        iteration/end 4
        turn/end completed
        > sends "the history" (NextTurn)
        user/message next-turn "[Workspace: branch side, 0 changed files]" "the history"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/message r5 c4=git_log {} tool-calls
        tool/call c4 medium: run by rule {"tool":"git","matcher":{"by":"repository","folder":"BASE/repo/.git"}}
        tool/started c4 reads
        tool/result c4 ok "32f77f8c 2026-11-03 14:05 +0800 a: first\n"
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r6
        assistant/chunk r6 text "one commit"
        assistant/message r6 "one commit" stop
        iteration/end 2
        turn/end completed
        > takes back the rule made with c2
        rule/revoked {"tool":"git","matcher":{"by":"repository","folder":"BASE/repo/.git"}}
        > sends "once more" (NextTurn)
        user/message next-turn "once more"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r7
        assistant/message r7 c5=git_log {} tool-calls
        tool/call c5 medium: ask
        approval/requested c5 medium "Read the repository BASE/repo/.git, which this linked worktree belongs to, and send what it holds to the model"
        > approves c5 with offer 1
        approval/decided c5 approved by user and whatever fits {"tool":"git","matcher":{"by":"repository","folder":"BASE/repo/.git"}}
        tool/started c5 reads
        tool/result c5 ok "32f77f8c 2026-11-03 14:05 +0800 a: first\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "asked again"
        assistant/message r8 "asked again" stop
        iteration/end 2
        turn/end completed
        > another program writes .git
        > sends "and there?" (NextTurn)
        user/message next-turn "and there?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/message r9 c6=git_log {} tool-calls
        tool/call c6 medium: ask
        approval/requested c6 medium "Read the repository BASE/other/.git, which this linked worktree belongs to, and send what it holds to the model"
        > rejects c6
        approval/decided c6 rejected by user
        tool/result c6 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "no"
        assistant/message r10 "no" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn what_was_approved_of_one_repository_elsewhere_reads_no_other() {
    let script = script()
        .file("a.txt", "one\n")
        .in_worktree()
        .model([call("git_status", json!({})), say("read")])
        .acts([send("look"), write_outside(".git", OTHER), approve(1), approve(1)]);
    check(
        script,
        expect![[r#"
        > sends "look" (NextTurn)
        user/message next-turn "look"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=git_status {} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Read the repository BASE/repo/.git, which this linked worktree belongs to, and send what it holds to the model"
        > another program writes .git
        > approves c1
        approval/decided c1 approved by user
        tool/call c1 medium: ask
        approval/requested c1 medium "Read the repository BASE/other/.git, which this linked worktree belongs to, and send what it holds to the model" again: changed
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 reads
        tool/result c1 ok "branch foreign at 5c504b58 first\nchanged, not staged:\n  D foreign.txt\nnot tracked:\n  a.txt\n"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "read"
        assistant/message r2 "read" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rule_for_a_path_covers_that_path_and_one_for_all_covers_medium_only() {
    let script = with_commands()
        .model([
            writes("a*b", "1\n"),
            writes("a*b", "2\n"),
            writes("axb", "3\n"),
            writes("d/e", "4\n"),
            writes("Makefile", "all:\n"),
            runs("true"),
            say("done"),
        ])
        .acts([send("write"), approve_wide(1, 1), approve_wide(3, 2), approve(5), reject(6)]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a*b"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create a*b: 1 line"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"a[*]b"}}
        tool/started c1 attempt 1 create a*b
        tool/result c1 ok [a*b created] "Created a*b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"2\n","path":"a*b"} tool-calls
        tool/call c2 medium: run by rule {"tool":"write_file","matcher":{"by":"path","glob":"a[*]b"}}, shows "--- a/a*b\n+++ b/a*b\n@@ -1,1 +1,1 @@\n-1\n+2\n"
        tool/started c2 attempt 1 rewrite a*b
        tool/result c2 ok [a*b changed] "Changed a*b: +1 -1 lines."
        iteration/end 2
        iteration/start 3 (2 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"3\n","path":"axb"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create axb: 1 line"
        > approves c3 with offer 2
        approval/decided c3 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
        tool/started c3 attempt 1 create axb
        tool/result c3 ok [axb created] "Created axb: 1 line."
        iteration/end 3
        iteration/start 4 (1 since a person acted)
        request/sent r4
        assistant/message r4 c4=write_file {"content":"4\n","path":"d/e"} tool-calls
        tool/call c4 medium: run by rule {"tool":"write_file","matcher":{"by":"path","glob":"**"}}, shows "--- /dev/null\n+++ b/d/e\n@@ -0,0 +1,1 @@\n+4\n"
        tool/started c4 attempt 1 create d/e
        tool/result c4 ok [d/e created] "Created d/e: 1 line."
        iteration/end 4
        iteration/start 5 (2 since a person acted)
        request/sent r5
        assistant/message r5 c5=write_file {"content":"all:\n","path":"Makefile"} tool-calls
        tool/call c5 high: ask
        approval/requested c5 high "Create Makefile: 1 line"
        > approves c5
        approval/decided c5 approved by user
        tool/started c5 attempt 1 create Makefile
        tool/result c5 ok [Makefile created] "Created Makefile: 1 line."
        iteration/end 5
        iteration/start 6 (1 since a person acted)
        request/sent r6
        assistant/message r6 c6=run_command {"command":"true"} tool-calls
        tool/call c6 high: ask
        approval/requested c6 high "Run true"
        > rejects c6
        approval/decided c6 rejected by user
        tool/result c6 rejected (user) "It did not run: the user rejected it. Don't send the same call again; ask what is wanted instead, or go on without it."
        iteration/end 6
        iteration/start 7 (1 since a person acted)
        request/sent r7
        assistant/chunk r7 text "done"
        assistant/message r7 "done" stop
        iteration/end 7
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rule_holds_in_its_own_conversation_only() {
    let script = script()
        .conversation("a", [writes("x", "1\n"), say("a")])
        .conversation("b", [writes("x2", "2\n"), say("b")])
        .acts([send("write"), approve_wide(1, 2), on("b", send("write")), on("b", approve(2))]);
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
        > approves c1 with offer 2
        approval/decided c1 approved by user and whatever fits {"tool":"write_file","matcher":{"by":"path","glob":"**"}}
        tool/started c1 attempt 1 create x
        tool/result c1 ok [x created] "Created x: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "a"
        assistant/message r2 "a" stop
        iteration/end 2
        turn/end completed
        b > sends "write" (NextTurn)
        b user/message next-turn "write"
        b turn/start message
        b iteration/start 1 (1 since a person acted)
        b request/sent r3
        b assistant/message r3 c2=write_file {"content":"2\n","path":"x2"} tool-calls
        b tool/call c2 medium: ask
        b approval/requested c2 medium "Create x2: 1 line"
        b > approves c2
        b approval/decided c2 approved by user
        b tool/started c2 attempt 1 create x2
        b tool/result c2 ok [x2 created] "Created x2: 1 line."
        b iteration/end 1
        b iteration/start 2 (1 since a person acted)
        b request/sent r4
        b assistant/chunk r4 text "b"
        b assistant/message r4 "b" stop
        b iteration/end 2
        b turn/end completed
    "#]],
    );
}

#[test]
fn auto_runs_medium_and_refuses_high_in_words() {
    let script = with_commands()
        .mode(Mode::Auto)
        .model([writes("a", "x\n").runs("touch MARK"), say("without it")])
        .acts([send("go")]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"a"} c2=run_command {"command":"touch MARK"} tool-calls
        tool/call c1 medium: run by mode, shows "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n"
        tool/call c2 high: refuse by mode "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask." (mode)
        tool/result c2 rejected (mode) "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask."
        tool/started c1 attempt 1 create a
        tool/result c1 ok [a created] "Created a: 1 line."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "without it"
        assistant/message r2 "without it" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn plan_runs_low_and_refuses_the_rest_until_the_mode_is_set() {
    let script = script()
        .file("a", "A\n")
        .mode(Mode::Plan)
        .model([reads("a").writes("b", "x\n"), say("I would write b."), writes("b", "x\n"), say("written")])
        .acts([send("plan it"), set_mode(Mode::Ask), send("do it"), approve(3)]);
    check(
        script,
        expect![[r#"
        > sends "plan it" (NextTurn)
        user/message next-turn "plan it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=read_file {"path":"a"} c2=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c1 low: run by tool
        tool/started c1 reads
        tool/result c1 ok "a: lines 1 to 1 of 1\n1\tA\n"
        tool/call c2 medium: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c2 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/chunk r2 text "I would write b."
        assistant/message r2 "I would write b." stop
        iteration/end 2
        turn/end completed
        > sets the mode to Ask
        mode/set ask
        > sends "do it" (NextTurn)
        user/message next-turn "do it"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"x\n","path":"b"} tool-calls
        tool/call c3 medium: ask
        approval/requested c3 medium "Create b: 1 line"
        > approves c3
        approval/decided c3 approved by user
        tool/started c3 attempt 1 create b
        tool/result c3 ok [b created] "Created b: 1 line."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "written"
        assistant/message r4 "written" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_rule_made_in_ask_does_not_lift_what_auto_refuses() {
    let script = with_commands().model([runs("true"), say("ran"), runs("true"), say("refused")]).acts([
        send("run"),
        approve_wide(1, 1),
        set_mode(Mode::Auto),
        send("again"),
    ]);
    check(
        script,
        expect![[r#"
        > sends "run" (NextTurn)
        user/message next-turn "run"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=run_command {"command":"true"} tool-calls
        tool/call c1 high: ask
        approval/requested c1 high "Run true"
        > approves c1 with offer 1
        approval/decided c1 approved by user and whatever fits {"tool":"run_command","matcher":{"by":"command","argv":["true"]}}
        tool/started c1 attempt 1 command
        tool/result c1 ok exit 0 "(no output)\n[exit code 0]"
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "ran"
        assistant/message r2 "ran" stop
        iteration/end 2
        turn/end completed
        > sets the mode to Auto
        mode/set auto
        > sends "again" (NextTurn)
        user/message next-turn "again"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/message r3 c2=run_command {"command":"true"} tool-calls
        tool/call c2 high: refuse by mode "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask." (mode)
        tool/result c2 rejected (mode) "It did not run: this conversation is in auto mode, where high-risk calls are refused. Go on without it, or ask the user to switch the mode to ask."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r4
        assistant/chunk r4 text "refused"
        assistant/message r4 "refused" stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn three_refusals_by_the_mode_end_the_turn() {
    let script = script()
        .mode(Mode::Plan)
        .model([writes("a", "1\n"), writes("b", "2\n"), writes("c", "3\n")])
        .acts([send("write")]);
    check(
        script,
        expect![[r#"
        > sends "write" (NextTurn)
        user/message next-turn "write"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"1\n","path":"a"} tool-calls
        tool/call c1 medium: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c1 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=write_file {"content":"2\n","path":"b"} tool-calls
        tool/call c2 medium: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c2 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"3\n","path":"c"} tool-calls
        tool/call c3 medium: refuse by mode "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode." (mode)
        tool/result c3 rejected (mode) "It did not run: this conversation is in plan mode, where nothing may be changed. Describe the change instead; the user can switch the mode."
        iteration/end 3
        turn/end blocked "three rejections in a row"
    "#]],
    );
}

#[test]
fn a_path_outside_is_refused_by_the_tool_and_nobody_is_asked() {
    let script = script()
        .mode(Mode::Auto)
        .model([
            writes("../out/canary.txt", "x\n"),
            call("read_file", json!({ "path": "/etc/passwd" })),
            writes(".git/config", "[core]\n"),
            say("refused"),
        ])
        .acts([send("go")]);
    check(
        script,
        expect![[r#"
        > sends "go" (NextTurn)
        user/message next-turn "go"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"x\n","path":"../out/canary.txt"} tool-calls
        tool/call c1 no tier: refuse by tool "the path \"../out/canary.txt\" has \"..\" in it; give a path relative to the workspace without \"..\"" (refused)
        tool/result c1 rejected (refused) "the path \"../out/canary.txt\" has \"..\" in it; give a path relative to the workspace without \"..\""
        iteration/end 1
        iteration/start 2 (2 since a person acted)
        request/sent r2
        assistant/message r2 c2=read_file {"path":"/etc/passwd"} tool-calls
        tool/call c2 no tier: refuse by tool "the path \"/etc/passwd\" is absolute and not in the workspace; give a path relative to the workspace" (refused)
        tool/result c2 error (refused) "the path \"/etc/passwd\" is absolute and not in the workspace; give a path relative to the workspace"
        iteration/end 2
        iteration/start 3 (3 since a person acted)
        request/sent r3
        assistant/message r3 c3=write_file {"content":"[core]\n","path":".git/config"} tool-calls
        tool/call c3 no tier: refuse by tool ".git/config is never changed, not even with approval: what is in .git can make git run programs" (refused)
        tool/result c3 rejected (refused) ".git/config is never changed, not even with approval: what is in .git can make git run programs"
        iteration/end 3
        iteration/start 4 (4 since a person acted)
        request/sent r4
        assistant/chunk r4 text "refused"
        assistant/message r4 "refused" stop
        iteration/end 4
        turn/end completed
    "#]],
    );
}
