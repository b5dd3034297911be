//! Acts that only look: what they see becomes a line of the expectation.
//! They change nothing.

use super::script::{Act, What, act};

/// Shows what the conversation is doing.
pub fn standing() -> Act {
    act(What::Standing)
}

/// Shows what waits for a person, over all conversations.
pub fn inbox() -> Act {
    act(What::Inbox)
}

/// Shows the steps that a window gets which opens the conversation now.
pub fn todo() -> Act {
    act(What::Todo)
}

/// Shows which files are trusted, and what stands there now.
pub fn trusted() -> Act {
    act(What::Trusted)
}

/// Shows how often the phase was said again since time passed last.
pub fn beats() -> Act {
    act(What::Beats)
}

/// Shows what a window gets that opens the conversation now.
pub fn snapshot() -> Act {
    act(What::Snapshot)
}

/// Shows what the requests since the last time consisted of; only over HTTP.
pub fn asked() -> Act {
    act(What::Asked)
}

/// Shows the messages of the conversation's request with this number, from 1, without the system prompt.
pub fn request(number: usize) -> Act {
    act(What::Request { number })
}
