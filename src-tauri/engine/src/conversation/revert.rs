//! Taking back what a call did to files, on a person's word: in the workspace, or in the app's own folder.
//! What can't be taken back stays as it is, and the person is told why.

use std::sync::Arc;

use assent_protocol::event::Payload;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, Sha};
use assent_tools::effects::RevertRefusal;

use super::Conversation;
use super::assess::blocking;
use crate::memory::{known_effects, own_effects};

impl Conversation {
    /// Takes back what a call did to files, on a person's word.
    pub(super) async fn revert(&mut self, call: CallId) -> Result<(), Failure> {
        let events = self.shared.store.fold_events(&self.id).map_err(|error| Self::storage(&error))?;
        let mut effects = None;
        for event in &events {
            match &event.payload {
                Payload::ToolResult(result) if result.call == call => effects = Some(result.effects.clone()),
                Payload::EffectReverted { call: reverted, .. } if *reverted == call => {
                    return Err(Failure::new(Code::Invalid, "it was already taken back"));
                }
                _ => {}
            }
        }
        let effects = effects.filter(|effects| !effects.is_empty());
        let effects = effects.ok_or_else(|| Failure::new(Code::NotFound, "that call changed no file"))?;
        let own = self.shared.home.clone().and_then(|home| Some((own_effects(&home, &effects)?, home)));
        let is_own = own.is_some();
        let (workspace, effects) = match own {
            Some((effects, home)) => (home, effects),
            None => (self.workspace().map_err(|unfit| Failure::new(Code::Workspace, unfit.words))?, effects),
        };
        let paths: Vec<String> = effects.iter().map(|effect| effect.path.clone()).collect();
        let busy = || Failure::new(Code::Other, "a call is working on that file; try again when it has ended");
        let hold = self.shared.targets.hold(workspace.identity(), &paths).ok_or_else(busy)?;
        let store = self.shared.store.clone();
        let reversal = assent_policy::Reversal::asked_by_person(call.clone());
        let folder = Arc::clone(&workspace);
        let reverted = blocking(move || {
            let kept = |hash: Sha| store.content(hash).ok().flatten();
            assent_tools::effects::revert(&reversal, &folder, &effects, &kept)
        })
        .await;
        drop(hold);
        match reverted {
            Some(Ok(effects)) => {
                let effects = if is_own { known_effects(&workspace, effects) } else { effects };
                self.record(Payload::EffectReverted { call, effects }).await
            }
            Some(Err(refusal)) => Err(revert_failure(&refusal)),
            None => Err(Failure::new(Code::Other, "taking it back failed in the middle")),
        }
    }
}

fn revert_failure(refusal: &RevertRefusal) -> Failure {
    let code = match refusal {
        RevertRefusal::Changed { .. } => Code::FileChanged,
        _ => Code::Other,
    };
    Failure::new(code, refusal.to_string())
}
