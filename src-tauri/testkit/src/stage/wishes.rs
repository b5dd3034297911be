//! Acts of a person on a conversation as a whole.
//! What is done with them stands in `act`.

use super::script::{Act, What, act};

/// Wants the conversation summarised.
pub fn compact() -> Act {
    act(What::Compact { instructions: None })
}

/// The same, with what the summary has to keep.
pub fn compact_with(wish: &str) -> Act {
    act(What::Compact { instructions: Some(wish.to_owned()) })
}

/// Gives the conversation a title.
pub fn rename(title: &str) -> Act {
    act(What::Rename(title.to_owned()))
}
