//! What the names of the touched paths mean for a call: refused for good, or raised above the tool's own tier.
//! The lists of names stand with the workspace; who may approve a raised call is decided in `policy`.

use assent_protocol::assessment::Raised;
use assent_protocol::permission::Tier;

use super::trash::touches_trash;
use crate::tool::Refusal;
use crate::workspace::{Guard, write_guard};

/// The verdict over all `paths`, strictest first. Both the name that was asked for and the one that a link leads to
/// count, so that neither hides the other.
pub fn write_verdict<'a>(paths: impl IntoIterator<Item = &'a str>) -> Result<Option<Raised>, Refusal> {
    let mut raised = None;
    for path in paths {
        if touches_trash(path) {
            return Err(Refusal::new(format!("{path} is the workspace's trash, which only the app itself changes")));
        }
        match write_guard(path) {
            Guard::Protected(why) => {
                return Err(Refusal::new(format!("{path} is never changed, not even with approval: {why}")));
            }
            Guard::Raised(why) => raised = raised.or(Some(why)),
            Guard::Free => {}
        }
    }
    Ok(raised)
}

/// The tier of a call: the tool's own, or High when a name raises it.
pub fn tier(own: Tier, raised: Option<Raised>) -> Tier {
    if raised.is_some() { Tier::High } else { own }
}
