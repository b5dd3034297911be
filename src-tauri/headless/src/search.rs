//! `assent search`: titles and messages in which the words stand, best first, as text or as JSON.
//! What fits, and in which order, the engine says.

use assent_engine::Engine;
use assent_protocol::failure::Failure;
use assent_protocol::search::{SearchHit, Who};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::print;

/// Looks through everything; what isn't indexed yet is indexed first.
pub async fn search(engine: &Engine, query: String, limit: u32, json: bool) -> Result<u8, Failure> {
    engine.index().await?;
    let results = engine.search(query, limit).await?;
    if json {
        print::value(&json!(results.hits));
    } else if results.hits.is_empty() {
        print::out("Nothing is found.\n");
    } else {
        let hits: Vec<String> = results.hits.iter().map(shown).collect();
        print::out(&print::plain(&hits.join("\n")));
    }
    Ok(0)
}

/// A line for the conversation, one for the place in it.
fn shown(hit: &SearchHit) -> String {
    let title = if hit.title.is_empty() { "untitled" } else { &hit.title };
    let project = hit.project.as_deref().map(|project| format!("  {project}")).unwrap_or_default();
    let archived = if hit.archived { "  archived" } else { "" };
    let day = Timestamp::from_millisecond(hit.at)
        .map(|at| TimeZone::system().to_datetime(at).date().to_string())
        .unwrap_or_default();
    let text: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
    let who = match hit.who {
        Who::Title => "title",
        Who::User => "user",
        Who::Assistant => "assistant",
    };
    format!("{title}{project}{archived}  {day}  {}\n  {who}: {text}\n", hit.conversation)
}
