//! Acts on what waits in the inbox: other words, another place, another time, taken back.
//! What the engine makes of them is told in the scripts.

use assent_protocol::event::Delivery;

use super::script::{Act, What, act};

/// Changes a queued item.
pub fn edit(item: usize, text: &str) -> Act {
    act(What::Edit { item, text: text.to_owned() })
}

/// Puts a queued item directly before another one; none: at the end.
pub fn put(item: usize, before: Option<usize>) -> Act {
    act(What::Move { item, before })
}

/// Has a queued item take effect at another time.
pub fn redeliver(item: usize, delivery: Delivery) -> Act {
    act(What::Redeliver { item, delivery })
}

/// Takes a queued item back.
pub fn withdraw(item: usize) -> Act {
    act(What::Withdraw { item })
}
