//! The log folded: what a conversation is, what comes next, and what the model sees.
//! Pure: no clock, no disk, no network, no randomness; the same events always give the same answers.

mod agents;
mod aside;
mod asked;
mod attached;
mod call;
mod compaction;
mod context;
mod cost;
mod fold;
mod fork;
mod history;
mod inbox;
mod next;
mod questions;
mod result_words;
mod seen;
mod settings;
mod settle;
mod skills;
mod todo;
mod tokens;
mod turn;
mod unresolved;
mod window;

pub use agents::{Allowance, Worked, worked};
pub use aside::ASIDES;
pub use attached::{Said, Takes};
pub use call::{Call, CallState};
pub use compaction::{Compacting, Plan as CompactionPlan};
pub use cost::cost;
pub use fold::{Queued, Session};
pub use fork::{fork_point, inherited, user_message};
pub use history::{Entry, History};
pub use next::Next;
pub use questions::Texts;
pub use result_words::{answered, approved_with, budget_note, did_not_run, rejected, shorten};
pub use settle::{CUT_BY_CRASH, Unsettled, kept, settle};
pub use tokens::{characters, learn, weigh};
pub use window::{WindowMove, budget};
