//! What a start makes of what a crash left open: evidence kept, effects probed, cards drawn anew.
//! Nothing is run or asked of a model here.

use std::sync::Arc;

use assent_protocol::event::{Again, CompactionFailure, Payload};
use assent_protocol::ids::CallId;
use assent_protocol::tool::{Brief, Cause, FileState, Intent, Outcome};
use assent_session::{CUT_BY_CRASH, Unsettled, settle};
use assent_store::{Durability, StoreError};
use assent_tools::effects::{Probe, probe};

use super::Conversation;
use super::assess::blocking;
use crate::memory::{known_effects, own_intent};

impl Conversation {
    /// Settles everything that was under way when the program ended, or when the log couldn't be written any more. The
    /// loop then goes on to what can be said without a person: classify, ask, or end the turn.
    pub(super) async fn settle(&mut self) -> Result<(), StoreError> {
        let in_flight = self.session.compacting().is_some_and(|compacting| compacting.request.is_some());
        let titling = self.titling.clone();
        let lost = |unsettled: &Unsettled| match unsettled {
            Unsettled::Compaction(_) => in_flight,
            Unsettled::Aside(request) => titling.as_ref() != Some(request),
            Unsettled::Stream { .. } | Unsettled::Read(_) | Unsettled::Effect { .. } => true,
            Unsettled::Approved(_) | Unsettled::Pending(_) => false,
        };
        for unsettled in settle(&self.session) {
            if self.unsettled || lost(&unsettled) {
                self.settle_one(unsettled).await?;
            }
        }
        self.unsettled = false;
        self.unwritten.clear();
        Ok(())
    }

    async fn settle_one(&mut self, unsettled: Unsettled) -> Result<(), StoreError> {
        match unsettled {
            Unsettled::Stream { request, text } => {
                let message = "the program was interrupted while the answer was coming".to_owned();
                let discarded = Payload::AssistantDiscarded { request, failure: CUT_BY_CRASH, message, text };
                self.append(vec![discarded], Durability::Full).await
            }
            Unsettled::Aside(request) => {
                let message = "the program was interrupted while the answer was coming".to_owned();
                let (failure, attempt) = (CUT_BY_CRASH, 1);
                let failed = Payload::RequestFailed { request, failure, message, attempt, retry_in_ms: None };
                self.append(vec![failed], Durability::Light).await
            }
            Unsettled::Compaction(compaction) => {
                let message = "the program was interrupted while the summary was being made".to_owned();
                let failed = Payload::CompactionFailed { compaction, cause: CompactionFailure::Interrupted, message };
                self.append(vec![failed], Durability::Full).await
            }
            Unsettled::Read(call) | Unsettled::Effect { call, .. } if self.is_unwritten(&call) => {
                let known = self.unwritten.iter().find(|result| result.call == call).cloned();
                match known {
                    Some(result) => self.write_result(result, Vec::new(), Durability::Full, false).await,
                    None => Ok(()),
                }
            }
            Unsettled::Read(call) => {
                let words = "It was interrupted, and its result is lost. Nothing was changed; call it again if it is \
                             still wanted.";
                let agent = self.agent_ended(&call)?;
                let result = self.result_of_closing(call, Cause::Interrupted, words.to_owned(), Brief::Done);
                let payloads = agent.into_iter().chain([Payload::ToolResult(result)]).collect();
                self.append(payloads, Durability::Full).await
            }
            Unsettled::Effect { call, intent, before } => self.settle_effect(call, intent, &before).await,
            Unsettled::Approved(call) => self.redraw(&call, Some(Again::ApprovedBeforeRestart)).await,
            Unsettled::Pending(call) => self.redraw(&call, None).await,
        }
    }

    fn is_unwritten(&self, call: &CallId) -> bool {
        self.unwritten.iter().any(|result| result.call == *call)
    }

    async fn settle_effect(&mut self, call: CallId, intent: Intent, before: &[FileState]) -> Result<(), StoreError> {
        let has_files = intent != Intent::Command;
        let is_own = self.shared.home.as_ref().is_some_and(|home| own_intent(home, &intent).is_some());
        let probed = self.probe(intent).await;
        if has_files {
            self.sweep(is_own).await;
        }
        let result = self.result_of_probe(call, probed, before);
        self.write_result(result, Vec::new(), Durability::Full, false).await
    }

    /// Looks for evidence of an effect.
    pub(super) async fn probe(&self, intent: Intent) -> Probe {
        if let Some(home) = self.shared.home.clone()
            && let Some(intent) = own_intent(&home, &intent)
        {
            let folder = Arc::clone(&home);
            return match blocking(move || probe(&folder, &intent)).await {
                Some(Probe::Done(effects)) => Probe::Done(known_effects(&home, effects)),
                other => other.unwrap_or(Probe::Unknown),
            };
        }
        let Ok(workspace) = self.workspace() else { return Probe::Unknown };
        blocking(move || probe(&workspace, &intent)).await.unwrap_or(Probe::Unknown)
    }

    /// Removes the temporary files that a write left which was killed halfway: in the workspace, or in the app's own folder.
    async fn sweep(&self, is_own: bool) {
        let folder = if is_own { self.shared.home.clone() } else { self.workspace().ok() };
        if let Some(workspace) = folder {
            // What can't be removed harms nothing and is found again after the next crash.
            let _ = blocking(move || assent_tools::effects::sweep(&workspace)).await;
        }
    }

    /// What a probe says, as the call's result.
    pub(super) fn result_of_probe(
        &self,
        call: CallId,
        probed: Probe,
        before: &[FileState],
    ) -> assent_protocol::event::ToolResult {
        let mut result = self.result_of_closing(call, Cause::Interrupted, String::new(), Brief::Done);
        match probed {
            Probe::Done(effects) => {
                result.outcome = Outcome::Ok;
                result.shown = "It ran: the program was interrupted before the result was written, and the files show \
                                that the effect is there."
                    .into();
                result.recovered = true;
                result.effects = effects;
            }
            Probe::NotDone => {
                result.outcome = Outcome::Error;
                result.shown = "It did not run: the program was interrupted, and the files show that nothing changed. \
                                Call it again if it is still wanted."
                    .into();
                result.recovered = true;
            }
            Probe::Unknown => {
                result.outcome = Outcome::Unknown;
                result.shown = "Unknown outcome: the program was interrupted while it ran, so it may or may not have \
                                had its effect. Look at the present state before you repeat it."
                    .into();
                result.seen = forgotten(before);
            }
        }
        result
    }
}

/// The paths of a call with unknown outcome, with no content: what the model saw of them counts no longer.
fn forgotten(before: &[FileState]) -> Vec<FileState> {
    before.iter().map(|file| FileState { path: file.path.clone(), hash: None }).collect()
}
