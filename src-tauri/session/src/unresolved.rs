//! Calls whose outcome nobody knows: a person's word on them, and results that come late.
//! Looking for evidence is the engine's work.

use assent_protocol::event::{Mark, ToolResult};
use assent_protocol::ids::CallId;
use assent_protocol::tool::Outcome;

use crate::fold::Session;

impl Session {
    /// A result that replaces an unknown one, after the turn.
    pub(crate) fn late_result(&mut self, result: &ToolResult) {
        if result.outcome != Outcome::Unknown {
            self.unresolved.remove(&result.call);
        }
    }

    /// A person looked, and says whether it happened.
    pub(crate) fn resolved(&mut self, seq: u64, call: &CallId, mark: Mark) {
        let name = self.unresolved.remove(call).unwrap_or_else(|| "tool".to_owned());
        let words = match mark {
            Mark::Done => format!("[The user looked: the {name} call with unknown outcome did happen.]"),
            Mark::NotDone => format!("[The user looked: the {name} call with unknown outcome did not happen.]"),
        };
        self.push_user(seq, &words);
    }
}
