//! Searching past conversations, and the work that makes older ones findable, done bit by bit beside everything else.
//! What is found and indexed, and how, is the store's.

use std::sync::{Arc, Weak};

use assent_protocol::failure::{Code, Failure};
use assent_protocol::search::SearchResults;
use assent_store::{Among, Search, StoreError};

use crate::engine::{Engine, storage};
use crate::shared::Shared;

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

    /// Begins to do what is left to index or to sweep, if anything is.
    pub(crate) fn begin_indexing(&self) -> Result<(), StoreError> {
        if self.shared.store.has_to_index()? {
            tokio::spawn(work_off(Arc::downgrade(&self.shared)));
        }
        Ok(())
    }
}

/// One piece after the other, as long as the engine is there. Where a piece fails the next start goes on.
async fn work_off(shared: Weak<Shared>) {
    loop {
        let Some(piece) = shared.upgrade().map(|shared| shared.store.index_more()) else { return };
        match piece.await {
            Ok(true) => tokio::task::yield_now().await,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "the full-text index is behind");
                return;
            }
        }
    }
}
