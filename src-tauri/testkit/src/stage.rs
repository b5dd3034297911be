//! A stage: a whole engine on a real database, a real folder and real tools, on which a script plays.
//! [`check`] is the one function that tests call: a script goes in, and what the log says comes out as text.
//! Only the model and the clock are not the real ones; over HTTP the model's client is real too.
//!
//! # Reading an expectation
//!
//! A line that begins with `>` is what a person (or another program) did, one with `!` is the refusal that it got, one with
//! `=` what was shown for it. All others are events, one a line. `c1`, `r1`, `i1` are the first call, request and inbox
//! item. With several conversations a line begins with the name of its own.

mod act;
mod answer;
mod asked;
mod carry;
mod folder;
mod gates;
mod invariants;
mod line;
mod live;
mod looks;
mod nobody;
mod outside;
mod own;
mod play;
mod print;
mod random;
mod script;
mod scripted;
mod steers;
mod watch;
mod wishes;
mod words;

pub use answer::{Answer, call, gate, nothing, refused, say};
pub use carry::carry;
pub use line::{edit, put, redeliver, withdraw};
pub use looks::{asked, beats, inbox, request, snapshot, standing, todo, trusted};
pub use nobody::Nobody;
pub use outside::{any, at, in_home, open, pass, remove_outside, restart, until, until_output, upgrade, write_outside};
pub use own::answer;
pub use script::{
    Act, Script, approve, approve_card, approve_wide, approve_with, attaching, check_again, choose, delete, fork,
    go_on, inject, keep, on, reject, reject_and_send, reject_with, resend, resolve, revert, revoke_rule, script, send,
    set_defaults, set_limits, set_mode, set_slots, steer, stop, together,
};
pub use steers::{distrust, refresh_prompt, trust};
pub use wishes::{compact, compact_with, rename};

use expect_test::Expect;
use play::{Stage, Wire};

/// Plays a script with the model inside of the process, checks the invariants, and compares the log.
///
/// # Panics
/// When an invariant doesn't hold, when the script's answers and the requests don't match in number, when nothing
/// happens any more, and when the log is another one.
pub fn check(script: Script, expect: Expect) {
    expect.assert_eq(&Stage::play(script, Wire::Inside));
}

/// The same, and then once more over real HTTP with the fake server, which must find nothing wrong with the requests.
///
/// # Panics
/// As [`check`].
pub fn check_on_both(script: Script, expect: Expect) {
    let inside = Stage::play(script.clone(), Wire::Inside);
    expect.assert_eq(&inside);
    let over_http = Stage::play(script, Wire::Http);
    assert!(inside == over_http, "over HTTP the log is another one:\n{over_http}");
}

/// Plays a script over HTTP alone, for what only bytes can say.
///
/// # Panics
/// As [`check`].
pub fn check_over_http(script: Script, expect: Expect) {
    expect.assert_eq(&Stage::play(script, Wire::Http));
}

/// Plays a script for its invariants alone and returns the log as text; for scripts that are made at random.
///
/// # Panics
/// As [`check`].
pub fn played(script: Script) -> String {
    Stage::play(script, Wire::Inside)
}
