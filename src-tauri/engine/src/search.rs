//! Searching past conversations.
//! What is found and indexed, when and how, is the store's.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::search::SearchResults;
use assent_store::{Among, Search};

use crate::engine::{Engine, storage};

impl Engine {
    /// Titles and messages of all conversations in which everything stands that is looked for.
    pub async fn search(&self, query: String, limit: u32) -> Result<SearchResults, Failure> {
        let search = Search { query, any: false, among: Among::All, limit, now: self.shared.clock.now() };
        // A word that is everywhere takes its time: streams go on meanwhile.
        let store = self.shared.store.clone();
        let found = tokio::task::spawn_blocking(move || store.search(search)).await;
        found.map_err(|_| Failure::new(Code::Other, "the search failed"))?.map_err(|error| storage(&error))
    }

    /// Returns once everything is findable, for a search that may wait.
    pub async fn index(&self) -> Result<(), Failure> {
        while self.shared.store.index_more().await.map_err(|error| storage(&error))? {}
        Ok(())
    }
}
