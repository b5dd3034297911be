//! How a conversation begins when nobody says otherwise: in its project's folder, as the settings are.
//! It writes nothing; `Engine::begin` does.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ProjectId;
use assent_protocol::settings::Settings;
use assent_protocol::snapshot::ConversationRow;

use crate::engine::{Beginning, Engine, storage};

impl Engine {
    /// Begins a conversation as the settings say.
    pub(crate) async fn create(&self, project: Option<ProjectId>) -> Result<ConversationRow, Failure> {
        let id = self.begin(self.usual(project).await?).await?;
        self.row(&id)
    }

    /// How a new conversation begins as the settings are now.
    pub(crate) async fn usual(&self, project: Option<ProjectId>) -> Result<Beginning, Failure> {
        let workspace = match &project {
            Some(project) => {
                let missing = || Failure::new(Code::NotFound, "there is no such project");
                let found = self.shared.store.project(project).map_err(|error| storage(&error))?;
                Some(found.ok_or_else(missing)?.folder)
            }
            None => None,
        };
        let settings = self.shared.settings();
        let choice = match settings.model {
            Some(choice) => choice,
            None => self.usual_model().await,
        };
        let Settings { fallbacks, mode, limits, .. } = settings;
        Ok(Beginning { project, workspace, choice, fallbacks, mode, limits })
    }
}
