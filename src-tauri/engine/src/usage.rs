//! Answers to what was used. The store sums; here only the question is checked.
//! What a single answer cost is worked out where it is recorded.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::usage::{UsageOfRequest, UsageReport};

use crate::engine::{Engine, storage};

/// Days of one report at most.
const DAYS: usize = 400;
/// Requests of a conversation that are listed.
const REQUESTS: u32 = 100;

impl Engine {
    /// What was used on the days between these bounds, which ascend.
    pub async fn usage(&self, bounds: Vec<i64>) -> Result<UsageReport, Failure> {
        if bounds.len() > DAYS + 1 || !bounds.is_sorted() {
            return Err(Failure::new(Code::Invalid, format!("the days have to ascend, and be {DAYS} at most")));
        }
        // Sums over many requests take their time: streams go on meanwhile.
        let store = self.shared.store.clone();
        let report = tokio::task::spawn_blocking(move || store.usage(&bounds)).await;
        report.map_err(|_| Failure::new(Code::Other, "summing the usage failed"))?.map_err(|error| storage(&error))
    }

    /// The newest requests of a conversation with what each used.
    pub(crate) fn usage_requests(&self, conversation: &ConversationId) -> Result<Vec<UsageOfRequest>, Failure> {
        self.shared.store.usage_requests(conversation, REQUESTS).map_err(|error| storage(&error))
    }
}
