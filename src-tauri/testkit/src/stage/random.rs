//! Scripts that nobody wrote: answers and acts that a number makes of what can be said and done.
//! The same numbers always make the same script; what must hold afterwards is the invariants' business.

use assent_protocol::event::Delivery;
use assent_protocol::permission::Mode;
use assent_protocol::view::{FailureKind, FinishReason};
use serde_json::json;

use super::answer::{Answer, nothing, say};
use super::play::Stage;
use super::script::{Act, ONLY, What};

/// Files that random calls are about.
const FILES: [&str; 4] = ["a", "b", "folder/c", ".env"];

/// A sequence of numbers that only looks random (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.roll(of.len() as u64)).unwrap_or(0)]
    }
}

/// An answer: mostly calls, sometimes words, sometimes trouble.
pub(super) fn answer(dice: &mut Dice) -> Answer {
    match dice.roll(12) {
        0 => say("Words. "),
        1 => nothing(),
        2 => say("Half of it, ").breaks(FailureKind::Disconnected),
        3 => super::answer::refused(FailureKind::BadRequest, "no"),
        4 => say("At a gate, ").gate("g").say("behind it."),
        _ => calls(dice),
    }
}

fn calls(dice: &mut Dice) -> Answer {
    let mut answer = if dice.roll(3) == 0 { say("I try. ") } else { nothing() };
    for _ in 0..=dice.roll(4) {
        answer = one_call(answer, dice);
    }
    match dice.roll(10) {
        0 => answer.finish(FinishReason::Length),
        1 => answer.gate("g"),
        _ => answer,
    }
}

fn one_call(answer: Answer, dice: &mut Dice) -> Answer {
    let path = dice.pick(&FILES);
    let text = dice.pick(&["one\n", "two\n", "three\n"]);
    let other = dice.pick(&FILES);
    match dice.roll(12) {
        0..=3 => answer.call("read_file", json!({ "path": path })),
        4..=6 => answer.call("write_file", json!({ "path": path, "content": text })),
        7 => answer.call("patch_file", json!({ "path": path, "edits": [{ "old": "one", "new": "two" }] })),
        8 => answer.call("append_file", json!({ "path": path, "content": text })),
        9 => answer.call("rename_file", json!({ "from": path, "to": other })),
        10 => answer.call("delete_file", json!({ "path": path })),
        _ => match dice.roll(3) {
            0 => answer.call("no_such_tool", json!({})),
            1 => answer.call_text(Some("same"), "read_file", "{\"path\":"),
            _ => answer.call("list_directory", json!({ "path": "" })),
        },
    }
}

/// An act that can be done now.
pub(super) fn act(stage: &Stage, number: u64) -> Option<Act> {
    let mut dice = Dice::new(number);
    let live = stage.lives.values().next()?;
    let pending: Vec<usize> = live.pending(&stage.names);
    let is_waiting = stage.gates.is_waiting_at("g");
    let mut can: Vec<What> = vec![
        message(&mut dice, Delivery::NextTurn),
        message(&mut dice, Delivery::NextStep),
        What::SetMode(dice.pick(&[Mode::Ask, Mode::Ask, Mode::Auto, Mode::Plan])),
        What::Write { path: dice.pick(&["a", "b", "folder/c"]).to_owned(), text: "somebody's\n".to_owned() },
        What::Restart,
    ];
    for call in pending {
        let approve = What::Approve { call, card: None, breadth: None, note: None };
        can.extend([approve.clone(), approve, What::Reject { call, note: Some("no".to_owned()) }]);
        can.push(What::Approve { call, card: Some(1), breadth: None, note: None });
        can.push(What::Together(vec![
            Act::of(What::Approve { call, card: None, breadth: None, note: None }),
            Act::of(What::Stop),
        ]));
    }
    let queued = live.queued(&stage.names);
    if let (Some(&item), Some(&other)) = (queued.first(), queued.last()) {
        can.extend([What::Move { item, before: Some(other) }, What::Move { item, before: None }]);
        can.push(What::Redeliver { item: other, delivery: dice.pick(&[Delivery::NextTurn, Delivery::NextStep]) });
    }
    if is_waiting {
        can.extend([What::Open("g".to_owned()), What::Open("g".to_owned()), What::Stop]);
    } else if live.session.is_generating() {
        can.push(What::Stop);
    } else {
        can.extend([What::Continue, message(&mut dice, Delivery::NextTurn)]);
    }
    let index = usize::try_from(dice.roll(can.len() as u64)).ok()?;
    can.into_iter().nth(index).map(Act::of)
}

fn message(dice: &mut Dice, delivery: Delivery) -> What {
    let text = dice.pick(&["do it", "and now?", "go on"]).to_owned();
    What::Send { text, delivery, reject: dice.roll(4) == 0, files: Vec::new() }
}

impl Act {
    fn of(what: What) -> Self {
        Self { on: ONLY.to_owned(), what }
    }
}
