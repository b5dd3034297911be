//! Summaries (part 4): when one is made, in what pieces, what stays, and that a failure costs nothing.
//! How pieces are cut is tested where it is decided.

use assent_protocol::settings::Limits;
use assent_protocol::view::FailureKind;
use assent_testkit::stage::{
    Act, Answer, Script, at, check, compact, compact_with, edit, go_on, open, refused, request, restart, say, script,
    send, set_limits, snapshot, standing, steer, stop, trust,
};
use expect_test::expect;

use crate::{reads, writes};

const LONG: &str = "A long answer about nothing in particular. ";

/// Answers of some 420 tokens each: in a window of 6,000 tokens the ninth question needs room.
fn answers(count: usize) -> Vec<Answer> {
    (0..count).map(|_| say(&LONG.repeat(43))).collect()
}

fn questions(numbers: std::ops::RangeInclusive<usize>) -> Vec<Act> {
    numbers.map(|number| send(&format!("question {number}"))).collect()
}

/// A conversation of eight exchanges of some 1,200 tokens each in a large window, then these answers and acts.
fn after_eight_long(more: impl IntoIterator<Item = Answer>, acts: impl IntoIterator<Item = Act>) -> Script {
    let answers = (0..8).map(|_| say(&LONG.repeat(124)));
    script().without_folder().model(answers.chain(more)).acts(questions(1..=8).into_iter().chain(acts))
}

/// A conversation of eight exchanges, then these answers and acts.
fn after_eight(more: impl IntoIterator<Item = Answer>, acts: impl IntoIterator<Item = Act>) -> Script {
    script()
        .window(6_000)
        .without_folder()
        .model(answers(8).into_iter().chain(more))
        .acts(questions(1..=8).into_iter().chain(acts))
}

/// What happened after the eight exchanges.
fn check_tail(script: Script, expected: expect_test::Expect) {
    let played = assent_testkit::stage::played(script);
    let tail = played.find("> sends \"question 8\"").map_or(played.as_str(), |place| &played[place..]);
    expected.assert_eq(tail);
}

#[test]
fn a_long_conversation_is_summarised_before_the_next_request() {
    check_tail(
        after_eight([say("They talked about nothing."), say("Nine.")], [send("question 9"), request(10)]),
        expect![[r#"
            > sends "question 8" (NextTurn)
            user/message next-turn "question 8"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r8
            assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
            assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
            iteration/end 1
            turn/end completed
            > sends "question 9" (NextTurn)
            user/message next-turn "question 9"
            turn/start message
            compaction/start long 11 messages
            request/sent r9 for compaction
            compaction/part "They talked about nothing."
            usage/recorded r9 , output unknown
            compaction/end "They talked about nothing.", smaller
            iteration/start 1 (1 since a person acted)
            request/sent r10
            assistant/chunk r10 text "Nine."
            assistant/message r10 "Nine." stop
            iteration/end 1
            turn/end completed
            = {"content":"[The conversation up to here was summarised to save space. What is below counts; the messages themselves can't be seen any more.]\n<summary>\nThey talked about nothing.\n</summary>","role":"user"}
            = {"content":"A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. ","role":"assistant"}
            = {"content":"question 7","role":"user"}
            = {"content":"A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. ","role":"assistant"}
            = {"content":"question 8","role":"user"}
            = {"content":"A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. ","role":"assistant"}
            = {"content":"question 9","role":"user"}
        "#]],
    );
}

#[test]
fn a_person_may_want_a_summary_and_say_what_for() {
    let acts = [compact_with("keep the numbers"), compact(), request(9)];
    check_tail(
        after_eight([say("Numbers: none.")], acts),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > wants a summary: "keep the numbers"
        compaction/start person 10 messages, wishing "keep the numbers"
        request/sent r9 for compaction
        compaction/part "Numbers: none."
        usage/recorded r9 , output unknown
        compaction/end "Numbers: none.", smaller
        > wants a summary
        ! Invalid: there is nothing to summarise yet but the newest messages
        = {"content":"Summarise this conversation.\nThe user wants this of the summary: keep the numbers\n\n<conversation>\nUser: question 1\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 2\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 3\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 4\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 5\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\n\n</conversation>","role":"user"}
    "#]],
    );
}

#[test]
fn a_long_span_is_read_in_pieces() {
    let limits = Limits { compact: false, ..Limits::default() };
    let more = answers(12).into_iter().chain([
        say("First third."),
        say("Second third."),
        say("Last third."),
        say("All thirds."),
    ]);
    let acts = questions(9..=20).into_iter().chain([compact()]);
    check_tail(
        after_eight(more, acts).limits(limits),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/chunk r9 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r9 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 10" (NextTurn)
        user/message next-turn "question 10"
        turn/start message
        window/moved pruned []
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r10 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 11" (NextTurn)
        user/message next-turn "question 11"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/chunk r11 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r11 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 12" (NextTurn)
        user/message next-turn "question 12"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r12
        assistant/chunk r12 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r12 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 13" (NextTurn)
        user/message next-turn "question 13"
        turn/start message
        window/moved pruned []
        iteration/start 1 (1 since a person acted)
        request/sent r13
        assistant/chunk r13 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r13 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 14" (NextTurn)
        user/message next-turn "question 14"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r14
        assistant/chunk r14 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r14 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 15" (NextTurn)
        user/message next-turn "question 15"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r15
        assistant/chunk r15 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r15 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 16" (NextTurn)
        user/message next-turn "question 16"
        turn/start message
        window/moved pruned []
        iteration/start 1 (1 since a person acted)
        request/sent r16
        assistant/chunk r16 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r16 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 17" (NextTurn)
        user/message next-turn "question 17"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r17
        assistant/chunk r17 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r17 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 18" (NextTurn)
        user/message next-turn "question 18"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r18
        assistant/chunk r18 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r18 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 19" (NextTurn)
        user/message next-turn "question 19"
        turn/start message
        window/moved pruned []
        iteration/start 1 (1 since a person acted)
        request/sent r19
        assistant/chunk r19 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r19 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 20" (NextTurn)
        user/message next-turn "question 20"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r20
        assistant/chunk r20 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r20 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > wants a summary
        compaction/start person 34 messages
        request/sent r21 for compaction
        compaction/part "First third."
        usage/recorded r21 , output unknown
        request/sent r22 for compaction
        compaction/part "Second third."
        usage/recorded r22 , output unknown
        request/sent r23 for compaction
        compaction/part "Last third."
        usage/recorded r23 , output unknown
        request/sent r24 for compaction
        compaction/part "All thirds."
        usage/recorded r24 , output unknown
        compaction/end "All thirds.", smaller
    "#]],
    );
}

#[test]
fn what_changed_and_what_is_unknown_is_named_again() {
    let mut model = vec![writes("notes.md", "one\ntwo\n"), say("Written.")];
    model.extend(answers(6));
    model.push(say("A file was written."));
    let mut acts = vec![send("write the notes"), assent_testkit::stage::approve(1)];
    acts.extend(questions(1..=6));
    acts.extend([compact(), request(9)]);
    check(
        script().model(model).acts(acts),
        expect![[r#"
        > sends "write the notes" (NextTurn)
        user/message next-turn "write the notes"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/message r1 c1=write_file {"content":"one\ntwo\n","path":"notes.md"} tool-calls
        tool/call c1 medium: ask
        approval/requested c1 medium "Create notes.md: 2 lines"
        > approves c1
        approval/decided c1 approved by user
        tool/started c1 attempt 1 create notes.md
        tool/result c1 ok [notes.md created] "Created notes.md: 2 lines."
        iteration/end 1
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "Written."
        assistant/message r2 "Written." stop
        iteration/end 2
        turn/end completed
        > sends "question 1" (NextTurn)
        user/message next-turn "question 1"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r3
        assistant/chunk r3 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r3 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 2" (NextTurn)
        user/message next-turn "question 2"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r4
        assistant/chunk r4 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r4 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 3" (NextTurn)
        user/message next-turn "question 3"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r5
        assistant/chunk r5 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r5 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 4" (NextTurn)
        user/message next-turn "question 4"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r6
        assistant/chunk r6 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r6 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 5" (NextTurn)
        user/message next-turn "question 5"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r7
        assistant/chunk r7 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r7 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 6" (NextTurn)
        user/message next-turn "question 6"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > wants a summary
        compaction/start person 9 messages
        request/sent r9 for compaction
        compaction/part "A file was written."
        usage/recorded r9 , output unknown
        compaction/end "A file was written." + "- Changed in this conversation: notes.md (+2 −0)", smaller
        = {"content":"Summarise this conversation.\n\n<conversation>\nUser: write the notes\n\nAssistant: \n[calls write_file {\"content\":\"one\\ntwo\\n\",\"path\":\"notes.md\"}]\n\nResult of write_file: Created notes.md: 2 lines.\n\nAssistant: Written.\n\nUser: question 1\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 2\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\nUser: question 3\n\nAssistant: A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. A long answer about nothing in particular. \n\n\n</conversation>","role":"user"}
    "#]],
    );
}

#[test]
fn without_leave_the_window_moves_instead() {
    let limits = Limits { compact: false, ..Limits::default() };
    check_tail(
        after_eight([say("Nine.")], [send("question 9")]).limits(limits),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        assistant/chunk r9 text "Nine."
        assistant/message r9 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_failure_costs_nothing_and_three_are_the_last() {
    let no = || refused(FailureKind::BadRequest, "no");
    let more = [no(), say(LONG), no(), say(LONG), no(), say(LONG), say(LONG)];
    check_tail(
        after_eight(more, questions(9..=12)),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 11 messages
        request/sent r9 for compaction
        request/failed r9 attempt 1 bad-request "the request was refused (HTTP 400): no"
        compaction/failed model "the request was refused (HTTP 400): no"
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "A long answer about nothing in particular. "
        assistant/message r10 "A long answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 10" (NextTurn)
        user/message next-turn "question 10"
        turn/start message
        compaction/start long 11 messages
        request/sent r11 for compaction
        request/failed r11 attempt 1 bad-request "the request was refused (HTTP 400): no"
        compaction/failed model "the request was refused (HTTP 400): no"
        iteration/start 1 (1 since a person acted)
        request/sent r12
        assistant/chunk r12 text "A long answer about nothing in particular. "
        assistant/message r12 "A long answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 11" (NextTurn)
        user/message next-turn "question 11"
        turn/start message
        compaction/start long 11 messages
        request/sent r13 for compaction
        request/failed r13 attempt 1 bad-request "the request was refused (HTTP 400): no"
        compaction/failed model "the request was refused (HTTP 400): no"
        iteration/start 1 (1 since a person acted)
        request/sent r14
        assistant/chunk r14 text "A long answer about nothing in particular. "
        assistant/message r14 "A long answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 12" (NextTurn)
        user/message next-turn "question 12"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r15
        assistant/chunk r15 text "A long answer about nothing in particular. "
        assistant/message r15 "A long answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_busy_server_is_asked_again_and_then_the_fallback() {
    let busy = || refused(FailureKind::Server, "busy").retry_after(0);
    let more = [busy(), busy(), busy(), busy(), say("Nine.")];
    let script = after_eight(more, [send("question 9")]).fallback("second", [say("They talked.")]);
    check_tail(
        script,
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 11 messages
        request/sent r9 for compaction
        request/failed r9 attempt 1 server "the server has a problem (HTTP 503): busy", again in 0 ms
        request/sent r10 attempt 2 for compaction
        request/failed r10 attempt 2 server "the server has a problem (HTTP 503): busy", again in 0 ms
        request/sent r11 attempt 3 for compaction
        request/failed r11 attempt 3 server "the server has a problem (HTTP 503): busy", again in 0 ms
        request/sent r12 attempt 4 for compaction
        request/failed r12 attempt 4 server "the server has a problem (HTTP 503): busy"
        request/sent r13 for compaction
        compaction/part "They talked."
        usage/recorded r13 , output unknown
        compaction/end "They talked.", smaller
        iteration/start 1 (1 since a person acted)
        request/sent r14
        assistant/chunk r14 text "Nine."
        assistant/message r14 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_summary_that_is_no_shorter_is_not_used() {
    let long = || say(&LONG.repeat(496));
    check_tail(
        after_eight([long(), long(), say("Nine.")], [send("question 9")]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 11 messages
        request/sent r9 for compaction
        compaction/part "A long answer about nothing in particular. A long answer about nothing in partic…21208 more…ong answer about nothing in particular. "
        usage/recorded r9 , output unknown
        request/sent r10 for compaction shorter
        compaction/part "A long answer about nothing in particular. A long answer about nothing in partic…21208 more…ong answer about nothing in particular. "
        usage/recorded r10 , output unknown
        compaction/failed useless "the summary was no shorter than what it would stand for"
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/chunk r11 text "Nine."
        assistant/message r11 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_request_that_was_too_long_is_sent_again_after_a_summary() {
    let too_long = || refused(FailureKind::ContextTooLong, "too long");
    let more = [too_long(), say("They talked."), say("Nine.")];
    check_tail(
        after_eight_long(more, [send("question 9")]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        request/failed r9 attempt 1 context-too-long "the request is too large (HTTP 413): too long"
        compaction/start too-long 11 messages
        request/sent r10 for compaction
        compaction/part "They talked."
        usage/recorded r10 , output unknown
        compaction/end "They talked.", smaller
        request/sent r11 attempt 2
        assistant/chunk r11 text "Nine."
        assistant/message r11 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn too_long_for_the_second_time_halves_what_is_sent() {
    let too_long = || refused(FailureKind::ContextTooLong, "too long");
    let more = [too_long(), say("They talked."), too_long(), say("Nine.")];
    check_tail(
        after_eight_long(more, [send("question 9")]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        request/failed r9 attempt 1 context-too-long "the request is too large (HTTP 413): too long"
        compaction/start too-long 11 messages
        request/sent r10 for compaction
        compaction/part "They talked."
        usage/recorded r10 , output unknown
        compaction/end "They talked.", smaller
        request/sent r11 attempt 2
        request/failed r11 attempt 2 context-too-long "the request is too large (HTTP 413): too long"
        window/moved pruned [] cut to 2000 characters cut to 2000 characters cut to 2000 characters
        request/sent r12 attempt 3
        assistant/chunk r12 text "Nine."
        assistant/message r12 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn too_long_for_the_third_time_is_an_error() {
    let too_long = || refused(FailureKind::ContextTooLong, "too long");
    let more = [too_long(), say("They talked."), too_long(), too_long()];
    check_tail(
        after_eight_long(more, [send("question 9")]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r9
        request/failed r9 attempt 1 context-too-long "the request is too large (HTTP 413): too long"
        compaction/start too-long 11 messages
        request/sent r10 for compaction
        compaction/part "They talked."
        usage/recorded r10 , output unknown
        compaction/end "They talked.", smaller
        request/sent r11 attempt 2
        request/failed r11 attempt 2 context-too-long "the request is too large (HTTP 413): too long"
        window/moved pruned [] cut to 2000 characters cut to 2000 characters cut to 2000 characters
        request/sent r12 attempt 3
        request/failed r12 attempt 3 context-too-long "the request is too large (HTTP 413): too long"
        iteration/end 1
        turn/end error "the request is too large (HTTP 413): too long"
    "#]],
    );
}

#[test]
fn what_is_said_meanwhile_waits_and_a_stop_ends_it() {
    let more = [say("They").gate("g").say(" talked."), say("And now this.")];
    let acts = [compact(), at("g"), standing(), send("and now?"), edit(1, "and now, this?"), stop(), open("g")];
    check_tail(
        after_eight_long(more, acts),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > wants a summary
        > at "g"
        compaction/start person 10 messages
        request/sent r9 for compaction
        = makes a summary
        > sends "and now?" (NextTurn)
        queue/edited i1 added next-turn "and now?"
        > changes i1 to "and now, this?"
        queue/edited i1 changed "and now, this?"
        > stops
        compaction/failed stopped "stopped by the user"
        queue/taken i1
        user/message next-turn "and now, this?"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "And now this."
        assistant/message r10 "And now this." stop
        iteration/end 1
        turn/end completed
        > open "g"
    "#]],
    );
}

#[test]
fn a_stop_in_the_middle_of_a_turn_ends_both() {
    let more = [say("They").gate("g").say(" talked.")];
    check_tail(
        after_eight(more, [send("question 9"), at("g"), snapshot(), stop(), open("g")]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        > at "g"
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 11 messages
        request/sent r9 for compaction
        = snapshot with 0 chunks, live: makes a summary
        > stops
        compaction/failed stopped "stopped by the user"
        turn/stop
        turn/end stopped
        > open "g"
    "#]],
    );
}

#[test]
fn a_kill_leaves_everything_as_it_was() {
    let more = [say("They").gate("g").say(" talked."), say("They talked."), say("Nine.")];
    check_tail(
        after_eight(more, [send("question 9"), at("g"), restart(), go_on()]),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sends "question 9" (NextTurn)
        > at "g"
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 11 messages
        request/sent r9 for compaction
        > restart
        compaction/failed interrupted "the program was interrupted while the summary was being made"
        turn/end interrupted
        > continues
        turn/start continue
        compaction/start long 11 messages
        request/sent r10 for compaction
        compaction/part "They talked."
        usage/recorded r10 , output unknown
        compaction/end "They talked.", smaller
        iteration/start 1 (1 since a person acted)
        request/sent r11
        assistant/chunk r11 text "Nine."
        assistant/message r11 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn a_kill_of_a_wanted_summary_asks_no_model_again() {
    let more = [say("They").gate("g").say(" talked."), say("Nine.")];
    let acts = [compact(), at("g"), restart(), send("question 9"), snapshot()];
    check_tail(
        after_eight_long(more, acts),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…5212 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > wants a summary
        > at "g"
        compaction/start person 10 messages
        request/sent r9 for compaction
        > restart
        > sends "question 9" (NextTurn)
        compaction/failed interrupted "the program was interrupted while the summary was being made"
        user/message next-turn "question 9"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "Nine."
        assistant/message r10 "Nine." stop
        iteration/end 1
        turn/end completed
        = snapshot with 0 chunks, live: idle
    "#]],
    );
}

#[test]
fn inside_of_a_long_turn_the_question_stays() {
    let text = "The quick brown fox jumps over the lazy dog.\n".repeat(22);
    let mut model: Vec<Answer> =
        (1..=9).map(|number| reads(&format!("book{number}")).say("Now this. ".repeat(108).trim())).collect();
    model.insert(7, say("Books were read. They are all the same."));
    model.push(say("All read."));
    let books = (1..=9).fold(script(), |script, number| script.file(&format!("book{number}"), &text));
    let acts = [send("read all the books"), request(9)];
    let limits = Limits { compact_messages: 2, ..Limits::default() };
    check(
        books.window(11_000).limits(limits).model(model).acts(acts),
        expect![[r#"
            > sends "read all the books" (NextTurn)
            user/message next-turn "read all the books"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/chunk r1 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r1 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c1=read_file {"path":"book1"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "book1: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/chunk r2 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r2 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c2=read_file {"path":"book2"} tool-calls
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "book2: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 2
            iteration/start 3 (3 since a person acted)
            request/sent r3
            assistant/chunk r3 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r3 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c3=read_file {"path":"book3"} tool-calls
            tool/call c3 low: run by tool
            tool/started c3 reads
            tool/result c3 ok "book3: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 3
            iteration/start 4 (4 since a person acted)
            request/sent r4
            assistant/chunk r4 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r4 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c4=read_file {"path":"book4"} tool-calls
            tool/call c4 low: run by tool
            tool/started c4 reads
            tool/result c4 ok "book4: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 4
            iteration/start 5 (5 since a person acted)
            request/sent r5
            assistant/chunk r5 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r5 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c5=read_file {"path":"book5"} tool-calls
            tool/call c5 low: run by tool
            tool/started c5 reads
            tool/result c5 ok "book5: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 5
            iteration/start 6 (6 since a person acted)
            request/sent r6
            assistant/chunk r6 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r6 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c6=read_file {"path":"book6"} tool-calls
            tool/call c6 low: run by tool
            tool/started c6 reads
            tool/result c6 ok "book6: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n" + "[CONTEXT: 72 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]"
            iteration/end 6
            iteration/start 7 (7 since a person acted)
            request/sent r7
            assistant/chunk r7 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r7 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c7=read_file {"path":"book7"} tool-calls
            tool/call c7 low: run by tool
            tool/started c7 reads
            tool/result c7 ok "book7: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n" + "[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]\n[CONTEXT: 80…87 more…ts will soon be left out or summarised.]"
            iteration/end 7
            compaction/start long 5 messages
            request/sent r8 for compaction
            compaction/part "Books were read. They are all the same."
            usage/recorded r8 , output unknown
            compaction/end "Books were read. They are all the same.", smaller
            iteration/start 8 (8 since a person acted)
            request/sent r9
            assistant/chunk r9 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r9 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c8=read_file {"path":"book8"} tool-calls
            tool/call c8 low: run by tool
            tool/started c8 reads
            tool/result c8 ok "book8: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n"
            iteration/end 8
            iteration/start 9 (9 since a person acted)
            request/sent r10
            assistant/chunk r10 text "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this."
            assistant/message r10 "Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. …959 more… Now this. Now this. Now this. Now this." c9=read_file {"path":"book9"} tool-calls
            tool/call c9 low: run by tool
            tool/started c9 reads
            tool/result c9 ok "book9: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe …954 more…uick brown fox jumps over the lazy dog.\n" + "[BUDGET WARNING: iteration 9/10, 1 left. Give your final answer.]"
            iteration/end 9
            iteration/start 10 (10 since a person acted)
            request/sent r11 tools off
            assistant/chunk r11 text "All read."
            assistant/message r11 "All read." stop
            iteration/end 10
            turn/end max-iterations
            = {"content":"[The conversation up to here was summarised to save space. What is below counts; the messages themselves can't be seen any more.]\n<summary>\nBooks were read. They are all the same.\n</summary>\n\nread all the books","role":"user"}
            = {"content":"Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"book5\"}","name":"read_file"},"id":"call_00000000000070008000000000000011","type":"function"}]}
            = {"content":"book5: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe quick brown fox jumps over the lazy dog.\n3\tThe quick brown fox jumps over the lazy dog.\n4\tThe quick brown fox jumps over the lazy dog.\n5\tThe quick brown fox jumps over the lazy dog.\n6\tThe quick brown fox jumps over the lazy dog.\n7\tThe quick brown fox jumps over the lazy dog.\n8\tThe quick brown fox jumps over the lazy dog.\n9\tThe quick brown fox jumps over the lazy dog.\n10\tThe quick brown fox jumps over the lazy dog.\n11\tThe quick brown fox jumps over the lazy dog.\n12\tThe quick brown fox jumps over the lazy dog.\n13\tThe quick brown fox jumps over the lazy dog.\n14\tThe quick brown fox jumps over the lazy dog.\n15\tThe quick brown fox jumps over the lazy dog.\n16\tThe quick brown fox jumps over the lazy dog.\n17\tThe quick brown fox jumps over the lazy dog.\n18\tThe quick brown fox jumps over the lazy dog.\n19\tThe quick brown fox jumps over the lazy dog.\n20\tThe quick brown fox jumps over the lazy dog.\n21\tThe quick brown fox jumps over the lazy dog.\n22\tThe quick brown fox jumps over the lazy dog.\n","role":"tool","tool_call_id":"call_00000000000070008000000000000011"}
            = {"content":"Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"book6\"}","name":"read_file"},"id":"call_00000000000070008000000000000014","type":"function"}]}
            = {"content":"book6: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe quick brown fox jumps over the lazy dog.\n3\tThe quick brown fox jumps over the lazy dog.\n4\tThe quick brown fox jumps over the lazy dog.\n5\tThe quick brown fox jumps over the lazy dog.\n6\tThe quick brown fox jumps over the lazy dog.\n7\tThe quick brown fox jumps over the lazy dog.\n8\tThe quick brown fox jumps over the lazy dog.\n9\tThe quick brown fox jumps over the lazy dog.\n10\tThe quick brown fox jumps over the lazy dog.\n11\tThe quick brown fox jumps over the lazy dog.\n12\tThe quick brown fox jumps over the lazy dog.\n13\tThe quick brown fox jumps over the lazy dog.\n14\tThe quick brown fox jumps over the lazy dog.\n15\tThe quick brown fox jumps over the lazy dog.\n16\tThe quick brown fox jumps over the lazy dog.\n17\tThe quick brown fox jumps over the lazy dog.\n18\tThe quick brown fox jumps over the lazy dog.\n19\tThe quick brown fox jumps over the lazy dog.\n20\tThe quick brown fox jumps over the lazy dog.\n21\tThe quick brown fox jumps over the lazy dog.\n22\tThe quick brown fox jumps over the lazy dog.\n\n\n[CONTEXT: 72 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]","role":"tool","tool_call_id":"call_00000000000070008000000000000014"}
            = {"content":"Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this. Now this.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"book7\"}","name":"read_file"},"id":"call_00000000000070008000000000000017","type":"function"}]}
            = {"content":"book7: lines 1 to 22 of 22\n1\tThe quick brown fox jumps over the lazy dog.\n2\tThe quick brown fox jumps over the lazy dog.\n3\tThe quick brown fox jumps over the lazy dog.\n4\tThe quick brown fox jumps over the lazy dog.\n5\tThe quick brown fox jumps over the lazy dog.\n6\tThe quick brown fox jumps over the lazy dog.\n7\tThe quick brown fox jumps over the lazy dog.\n8\tThe quick brown fox jumps over the lazy dog.\n9\tThe quick brown fox jumps over the lazy dog.\n10\tThe quick brown fox jumps over the lazy dog.\n11\tThe quick brown fox jumps over the lazy dog.\n12\tThe quick brown fox jumps over the lazy dog.\n13\tThe quick brown fox jumps over the lazy dog.\n14\tThe quick brown fox jumps over the lazy dog.\n15\tThe quick brown fox jumps over the lazy dog.\n16\tThe quick brown fox jumps over the lazy dog.\n17\tThe quick brown fox jumps over the lazy dog.\n18\tThe quick brown fox jumps over the lazy dog.\n19\tThe quick brown fox jumps over the lazy dog.\n20\tThe quick brown fox jumps over the lazy dog.\n21\tThe quick brown fox jumps over the lazy dog.\n22\tThe quick brown fox jumps over the lazy dog.\n\n\n[BUDGET: iteration 7/10, 3 left. Start to bring the work together.]\n[CONTEXT: 80 % of the space is used. Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.]","role":"tool","tool_call_id":"call_00000000000070008000000000000017"}
        "#]],
    );
}

#[test]
fn there_may_be_nothing_to_summarise() {
    check(
        script().model([say("Hello.")]).acts([compact(), send("hello"), compact()]),
        expect![[r#"
        > wants a summary
        ! Invalid: there is nothing to summarise yet but the newest messages
        > sends "hello" (NextTurn)
        user/message next-turn "hello"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Hello."
        assistant/message r1 "Hello." stop
        iteration/end 1
        turn/end completed
        > wants a summary
        ! Invalid: there is nothing to summarise yet but the newest messages
    "#]],
    );
}

#[test]
fn not_while_a_turn_runs() {
    let model = [say("Well, ").gate("g").say("yes."), say("More.")];
    check(
        script().model(model).acts([send("hello"), at("g"), compact(), steer("more"), open("g")]),
        expect![[r#"
        > sends "hello" (NextTurn)
        > at "g"
        user/message next-turn "hello"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r1
        assistant/chunk r1 text "Well, "
        > wants a summary
        ! Invalid: not while a turn runs or a summary is being made
        > sends "more" (NextStep)
        queue/edited i1 added next-step "more"
        > open "g"
        assistant/chunk r1 text "yes."
        assistant/message r1 "Well, yes." stop
        iteration/end 1
        queue/taken i1
        user/message next-step "more"
        iteration/start 2 (1 since a person acted)
        request/sent r2
        assistant/chunk r2 text "More."
        assistant/message r2 "More." stop
        iteration/end 2
        turn/end completed
    "#]],
    );
}

#[test]
fn a_share_of_the_window_is_a_setting() {
    let acts = [set_limits(Limits { compact_at: 25, ..Limits::default() }), send("question 9")];
    check_tail(
        after_eight([say("They talked."), say("Nine.")], acts).window(12_000),
        expect![[r#"
        > sends "question 8" (NextTurn)
        user/message next-turn "question 8"
        turn/start message
        iteration/start 1 (1 since a person acted)
        request/sent r8
        assistant/chunk r8 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
        assistant/message r8 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
        iteration/end 1
        turn/end completed
        > sets the limits
        limits/set max 10 retries 3
        > sends "question 9" (NextTurn)
        user/message next-turn "question 9"
        turn/start message
        compaction/start long 7 messages
        request/sent r9 for compaction
        compaction/part "They talked."
        usage/recorded r9 , output unknown
        compaction/end "They talked.", smaller
        iteration/start 1 (1 since a person acted)
        request/sent r10
        assistant/chunk r10 text "Nine."
        assistant/message r10 "Nine." stop
        iteration/end 1
        turn/end completed
    "#]],
    );
}

#[test]
fn rules_of_a_folder_come_again_when_the_result_that_had_them_is_summarised() {
    let long = || answers(1).remove(0);
    let model = [reads("sub/x"), long(), long(), long(), long(), say("They read x."), reads("sub/x"), say("again")];
    let acts =
        [trust(&["sub/AGENTS.md"]), send("look"), send("2"), send("3"), send("4"), compact(), send("look again")];
    check(
        script().file("sub/AGENTS.md", "Use tabs.\n").file("sub/x", "X\n").model(model).acts(acts),
        expect![[r#"
            > trusts sub/AGENTS.md
            > sends "look" (NextTurn)
            user/message next-turn "look"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r1
            assistant/message r1 c1=read_file {"path":"sub/x"} tool-calls
            tool/call c1 low: run by tool
            tool/started c1 reads
            tool/result c1 ok "sub/x: lines 1 to 1 of 1\n1\tX\n" + "[Project rules for this folder, from sub/AGENTS.md:]\n<rules>\nUse tabs.\n</rules>"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r2
            assistant/chunk r2 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
            assistant/message r2 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
            iteration/end 2
            turn/end completed
            > sends "2" (NextTurn)
            user/message next-turn "2"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r3
            assistant/chunk r3 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
            assistant/message r3 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
            iteration/end 1
            turn/end completed
            > sends "3" (NextTurn)
            user/message next-turn "3"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r4
            assistant/chunk r4 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
            assistant/message r4 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
            iteration/end 1
            turn/end completed
            > sends "4" (NextTurn)
            user/message next-turn "4"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r5
            assistant/chunk r5 text "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. "
            assistant/message r5 "A long answer about nothing in particular. A long answer about nothing in partic…1729 more…ong answer about nothing in particular. " stop
            iteration/end 1
            turn/end completed
            > wants a summary
            compaction/start person 3 messages
            request/sent r6 for compaction
            compaction/part "They read x."
            usage/recorded r6 , output unknown
            compaction/end "They read x.", smaller
            > sends "look again" (NextTurn)
            user/message next-turn "look again"
            turn/start message
            iteration/start 1 (1 since a person acted)
            request/sent r7
            assistant/message r7 c2=read_file {"path":"sub/x"} tool-calls
            tool/call c2 low: run by tool
            tool/started c2 reads
            tool/result c2 ok "sub/x: lines 1 to 1 of 1\n1\tX\n" + "[Project rules for this folder, from sub/AGENTS.md:]\n<rules>\nUse tabs.\n</rules>"
            iteration/end 1
            iteration/start 2 (2 since a person acted)
            request/sent r8
            assistant/chunk r8 text "again"
            assistant/message r8 "again" stop
            iteration/end 2
            turn/end completed
        "#]],
    );
}
