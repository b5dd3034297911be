//! Tools that need conversations or tables, one file each; all others are in the crate `tools`.
//! Whether a call may run is none of their business.

mod ask_user;
mod dispatch_agent;
mod session_search;
mod todo;

use std::path::Path;
use std::sync::Arc;

use assent_protocol::permission::Tier;
use assent_protocol::todo::TODO;
use assent_protocol::tool::{ASK_USER, DISPATCH_AGENT};
use assent_store::Store;
use assent_tools::files::memory;
use assent_tools::{Registry, Tool};

pub(crate) use ask_user::Question;

use crate::memory::own_folder;

/// Low tools that a sub-agent doesn't have: they work on the conversation itself.
const NOT_FOR_AGENTS: [&str; 3] = [ASK_USER, DISPATCH_AGENT, TODO];

/// All tools of a conversation in a folder: the standard ones, and ours beside them. `home` is the app's own folder; none in
/// memory.
pub fn standard(mut registry: Registry, store: &Store, home: Option<&Path>) -> Registry {
    registry.add(ask_user::tool());
    registry.add(dispatch_agent::tool());
    registry.add(memory::tool(own_folder(home)));
    registry.add(session_search::tool(store.clone()));
    registry.add(todo::tool());
    registry
}

/// The tools of sub-agents: those that only look.
pub(crate) fn for_agents(registry: &Registry) -> Registry {
    let looks = |tool: &&Arc<dyn Tool>| {
        let spec = tool.spec();
        spec.tier == Tier::Low && !NOT_FOR_AGENTS.contains(&spec.name)
    };
    Registry::of(registry.tools().filter(looks).cloned())
}
