//! `session_search`: what was said in earlier conversations of the same project, found by words.
//! It never tells of another project: what is found goes to the model's provider.

use std::fmt::Write as _;
use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::search::{SearchHit, SearchResults, Who};
use assent_protocol::tool::Brief;
use assent_store::{Among, Search, Store, StoreError};
use assent_tools::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec, arguments};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::prompt::day;
use crate::shared::system_now;

/// Hits where the call names no number.
const USUAL: u32 = 10;
/// Hits at most.
const MOST: u32 = 50;

/// The tool.
pub(super) fn tool(store: Store) -> Arc<dyn Tool> {
    Arc::new(SessionSearch {
        store,
        spec: ToolSpec {
            name: "session_search",
            version: 1,
            description: "Search earlier conversations of this project: titles, messages, answers. All words must occur \
                          in one message, else any; \"quotes\" for phrases.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct SessionSearch {
    store: Store,
    spec: ToolSpec,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    /// 1 to 50; default 10.
    limit: Option<u32>,
}

impl Tool for SessionSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let (query, _) = read(given)?;
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: query.clone(), bytes: 0 },
            reason: Reason::Look { target: query },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }

    fn read(&self, cleared: &Cleared, _running: &Running<'_>) -> ToolOutput {
        let (query, limit) = match read(&cleared.arguments) {
            Ok(read) => read,
            Err(refusal) => return ToolOutput::refused(refusal),
        };
        let search = |any: bool| Search {
            query: query.clone(),
            any,
            among: Among::Beside(cleared.conversation.clone()),
            limit,
            now: system_now(),
        };
        match self.found(search) {
            Ok(results) => output(&query, limit, &results),
            Err(error) => ToolOutput::error(format!("the earlier conversations can't be searched: {error}")),
        }
    }
}

impl SessionSearch {
    /// What has all the words, else what has any.
    fn found(&self, search: impl Fn(bool) -> Search) -> Result<SearchResults, StoreError> {
        let all = self.store.search(search(false))?;
        if all.hits.is_empty() { self.store.search(search(true)) } else { Ok(all) }
    }
}

fn read(given: &Map<String, Value>) -> Result<(String, u32), Refusal> {
    let Arguments { query, limit } = arguments::read(given)?;
    if query.trim().is_empty() {
        return Err(Refusal::bad_arguments("`query` is empty"));
    }
    let limit = limit.unwrap_or(USUAL);
    if limit == 0 || limit > MOST {
        return Err(Refusal::bad_arguments(format!("`limit` is 1 to {MOST}, not {limit}")));
    }
    Ok((query, limit))
}

fn output(query: &str, limit: u32, results: &SearchResults) -> ToolOutput {
    let hits = &results.hits;
    let mut told = match hits.len() {
        0 => format!("Nothing in earlier conversations of this project fits {query:?}.\n"),
        _ => String::new(),
    };
    for hit in hits {
        let blank = if told.is_empty() { "" } else { "\n" };
        told.push_str(blank);
        write_hit(hit, &mut told);
    }
    if !results.complete {
        told.push_str("\nOlder conversations are still being indexed: there may be more.\n");
    }
    let count = u32::try_from(hits.len()).unwrap_or(u32::MAX);
    ToolOutput::ok(told, Brief::Entries { count, more: count == limit })
}

fn write_hit(hit: &SearchHit, out: &mut String) {
    let who = match hit.who {
        Who::Title => "title",
        Who::User => "user",
        Who::Assistant => "assistant",
    };
    let title = if hit.title.is_empty() { "untitled" } else { hit.title.as_str() };
    let text: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
    // Writing to a string can't fail.
    let _ = writeln!(out, "{title} ({}, conversation {})\n{who}: {text}", day(hit.at), hit.conversation);
}
