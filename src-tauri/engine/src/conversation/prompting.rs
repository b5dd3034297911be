//! What steers the model in a conversation: its prompt, and the skills that messages invoke. Files are read on another thread.
//! Which of them count is `steering`'s answer.

use assent_protocol::event::Payload;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::skill::SkillList;
use assent_store::{Content, Durability, StoreError};

use super::Conversation;
use super::assess::blocking;
use crate::skills::{Skills, mentions};
use crate::steering::Trust;
use crate::{memory, prompt};

impl Conversation {
    /// The prompt as it would be now, when it differs from what is recorded.
    pub(super) async fn prompt_set(&self, contents: &mut Vec<Content>) -> Result<Option<Payload>, StoreError> {
        let system = match self.session.parent() {
            Some(_) => prompt::agent(self.workspace().ok().as_deref(), &prompt::day(self.session.began())),
            None => self.system_prompt().await?,
        };
        let content = Content::of(system.into_bytes());
        let stored = content.stored();
        if self.session.prompt() == Some(stored) {
            return Ok(None);
        }
        contents.push(content);
        Ok(Some(Payload::PromptSet { content: stored }))
    }

    /// The prompt of a conversation of a person's.
    async fn system_prompt(&self) -> Result<String, StoreError> {
        let (workspace, trust) = (self.workspace().ok(), self.trust()?);
        let own = self.shared.skill_folders.clone();
        let (day, of) = (prompt::day(self.session.began()), workspace.clone());
        let found = blocking(move || {
            let skills = Skills::find(of.as_deref(), &trust, &own);
            prompt::system(of.as_deref(), &day, &trust, &skills)
        });
        // Should a file break what reads it, no file counts, and the prompt says so of each.
        let without = || {
            let day = prompt::day(self.session.began());
            prompt::system(workspace.as_deref(), &day, &Trust::default(), &Skills::default())
        };
        Ok(found.await.unwrap_or_else(without))
    }

    /// What is remembered, when it differs from what stands ahead of the history.
    pub(super) async fn memory_set(&self, contents: &mut Vec<Content>) -> Option<Payload> {
        let content = self.remembered().await.map(|text| Content::of(text.into_bytes()));
        let stored = content.as_ref().map(Content::stored);
        if self.session.memory() == stored {
            return None;
        }
        contents.extend(content);
        Some(Payload::MemorySet { content: stored, noted: false })
    }

    /// What is remembered, when it differs from what the model was told last, with the words that tell it now. The history
    /// behind it stays as it is.
    pub(super) async fn memory_noted(&self, contents: &mut Vec<Content>) -> Option<(Payload, String)> {
        let text = self.remembered().await;
        let words = match &text {
            Some(text) => format!("[Memory changed. It says now:]\n<memory>\n{text}\n</memory>"),
            None => "[Memory changed: it is empty now.]".to_owned(),
        };
        let content = text.map(|text| Content::of(text.into_bytes()));
        let stored = content.as_ref().map(Content::stored);
        if self.session.memory_told() == stored {
            return None;
        }
        contents.extend(content);
        Some((Payload::MemorySet { content: stored, noted: true }, words))
    }

    /// What is remembered of the user and of the project. A sub-agent has its task alone.
    async fn remembered(&self) -> Option<String> {
        if self.session.parent().is_some() {
            return None;
        }
        let (home, workspace) = (self.shared.home.clone(), self.workspace().ok());
        // Where it can't be told what is trusted, nothing of the project's counts.
        let trust = self.trust().unwrap_or_default();
        let read = move || memory::read(home.as_deref(), workspace.as_deref(), &trust).joined();
        blocking(read).await.flatten()
    }

    /// Sets the prompt anew. False: it is what it was, or the conversation has not begun and gets its prompt then.
    pub(super) async fn refresh_prompt(&mut self) -> Result<bool, Failure> {
        if self.session.history().entries().is_empty() {
            return Ok(false);
        }
        let refreshed = async {
            let mut contents = Vec::new();
            let Some(set) = self.prompt_set(&mut contents).await? else { return Ok(false) };
            self.append_with(vec![set], Durability::Full, contents).await.map(|()| true)
        };
        refreshed.await.map_err(|error: StoreError| Self::storage(&error))
    }

    /// All skills that messages here could invoke.
    pub(super) async fn skills(&self) -> Result<SkillList, Failure> {
        Ok(self.find_skills().await.map_err(|error| Self::storage(&error))?.list())
    }

    /// Refuses a message that invokes a skill which the person has not trusted.
    pub(super) async fn may_invoke(&self, text: &str) -> Result<(), Failure> {
        if mentions(text).is_empty() {
            return Ok(());
        }
        let skills = self.find_skills().await.map_err(|error| Self::storage(&error))?;
        match skills.invoked_by(text).iter().find(|skill| !skill.row.trusted) {
            Some(skill) => {
                let words = format!(
                    "the skill {} came with the folder ({}) and has not been trusted: look at it first",
                    skill.row.name, skill.row.path
                );
                Err(Failure::new(Code::Untrusted, words))
            }
            None => Ok(()),
        }
    }

    /// Puts the texts of invoked skills in front of their messages.
    pub(super) async fn invoke_skills(&self, payloads: &mut [Payload]) -> Result<(), StoreError> {
        let is_said = |payload: &Payload| match payload {
            Payload::UserMessage { text, .. } => !mentions(text).is_empty(),
            _ => false,
        };
        // The task of a sub-agent is the model's word: it invokes nothing.
        if self.session.parent().is_some() || !payloads.iter().any(is_said) {
            return Ok(());
        }
        let found = self.find_skills().await?;
        for payload in payloads {
            let Payload::UserMessage { text, context, skills, .. } = payload else { continue };
            let invoked = found.invoked_by(text);
            let texts: Vec<String> = invoked.iter().map(|skill| skill.context()).collect();
            if !texts.is_empty() {
                let before = context.take().map(|context| context.to_string());
                let parts: Vec<String> = before.into_iter().chain(texts).collect();
                *context = Some(parts.join("\n\n").into());
            }
            skills.extend(invoked.iter().filter(|skill| skill.row.trusted).map(|skill| skill.used()));
        }
        Ok(())
    }

    async fn find_skills(&self) -> Result<Skills, StoreError> {
        let (workspace, trust) = (self.workspace().ok(), self.trust()?);
        let own = self.shared.skill_folders.clone();
        let found = blocking(move || Skills::find(workspace.as_deref(), &trust, &own)).await;
        Ok(found.unwrap_or_default())
    }

    fn trust(&self) -> Result<Trust, StoreError> {
        match self.workspace() {
            Ok(workspace) => Trust::of(&self.shared.store, workspace.identity()),
            Err(_) => Ok(Trust::default()),
        }
    }
}
