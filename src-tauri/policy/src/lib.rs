//! Decides whether a call may run, and alone makes the token without which nothing runs.
//! Pure: no clock, no disk, no database, no network.

mod clearance;
mod command_line;
mod decide;
mod offers;

pub use clearance::{Claimed, Clearance, Cleared, NotCleared, Reversal, Subject, card_digest};
pub use command_line::{PlainArgv, plain_argv};
pub use decide::{Considered, decide};
pub use offers::breadths;
