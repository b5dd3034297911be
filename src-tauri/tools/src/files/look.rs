//! The assessment of calls that only look: Low, no touched files, nothing to take back.
//! It judges no path; a tool that reads what may be secret raises the assessment itself.

use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;

use crate::workspace::Place;

/// What looking at `place` means: it runs unasked.
pub(super) fn look(place: &Place, bytes: u64) -> Assessment {
    look_at(place.shown().to_owned(), bytes)
}

/// The same for what isn't one place: a search, the state of a repository.
pub(crate) fn look_at(path: String, bytes: u64) -> Assessment {
    Assessment {
        tier: Tier::Low,
        read_only: true,
        touches: Vec::new(),
        preview: Preview::Read { path: path.clone(), bytes },
        reason: Reason::Look { target: path },
        reach: Reach { inside: true, ..Reach::default() },
        argv: None,
    }
}
