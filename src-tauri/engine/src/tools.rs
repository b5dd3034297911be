//! Tools that need tables or conversations, one file each, beside those of `assent-tools`.
//! Like those they are judged, shown and claimed by the conversation's task; nothing here decides.

mod session_search;

use assent_store::Store;
use assent_tools::Registry;

/// All tools of a conversation in a folder.
pub fn standard(store: &Store) -> Registry {
    let mut registry = Registry::standard();
    registry.add(session_search::tool(store.clone()));
    registry
}
