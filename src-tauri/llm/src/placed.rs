//! What a provider wants back with an assistant message, together with its place among text and calls.
//! Opaque here: nobody reads what is inside.

use assent_protocol::view::{Protocol, ProviderItem};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A provider's item, e.g. a signed thinking block, as it is kept in [`ProviderItem::json`].
#[derive(Debug, Serialize, Deserialize)]
struct Kept<'a> {
    /// How many calls of its message stand before it.
    calls: usize,
    /// Whether text of its message stands before it.
    text: bool,
    /// The item itself, verbatim.
    #[serde(borrow)]
    item: &'a RawValue,
}

/// Where an item stands in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Before the text.
    First,
    /// Behind the text (or where it would be) and before the first call.
    AfterText,
    /// Before the call with this index, which isn't 0.
    BeforeCall(usize),
}

/// Keeps an item, a JSON text, with its place: behind so many calls, and behind text or not.
pub(crate) fn keep(protocol: Protocol, calls: usize, text: bool, item: &RawValue) -> ProviderItem {
    let kept = serde_json::to_string(&Kept { calls, text, item });
    debug_assert!(kept.is_ok(), "numbers and raw JSON can be written: {kept:?}");
    ProviderItem { protocol, json: kept.unwrap_or_default() }
}

/// The items of this protocol with their places, in order.
pub(crate) fn placed(protocol: Protocol, items: &[ProviderItem]) -> Vec<(Spot, &RawValue)> {
    let own = items.iter().filter(|item| item.protocol == protocol);
    own.filter_map(|item| serde_json::from_str::<Kept<'_>>(&item.json).ok())
        .map(|Kept { calls, text, item }| match (calls, text) {
            (0, false) => (Spot::First, item),
            (0, true) => (Spot::AfterText, item),
            (calls, _) => (Spot::BeforeCall(calls), item),
        })
        .collect()
}
