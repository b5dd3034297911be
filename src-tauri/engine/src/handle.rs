//! The one door: every request of a front-end, matched exhaustively.
//! Each arm is a line or a short function below; what needs a conversation's state goes to its task.

use std::sync::atomic::Ordering;

use assent_protocol::event::QueueEdit;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{CallId, ConversationId, ItemId, ProjectId};
use assent_protocol::known::ModelFacts;
use assent_protocol::request::{Request, Response};
use assent_protocol::settings::{KeyPlace, Provider, Settings};
use assent_protocol::signal::Signal;
use assent_protocol::snapshot::{ConversationRow, OutputPage, Overview, PendingRow, ProjectRow, QuestionRow, Replayed};
use assent_tools::workspace::{Workspace, WorkspaceError};

use crate::conversation::Ask;
use crate::engine::{Beginning, Engine, SETTINGS, keep_key_variables, storage};
use crate::models;

/// Messages of one page of history.
const PAGE_MESSAGES: u32 = 60;
/// Events of one answer to "after".
const AFTER_EVENTS: u64 = 10_000;
/// Bytes of one page of output at most.
const OUTPUT_PAGE: u64 = 1024 * 1024;

impl Engine {
    /// Carries out a request.
    pub async fn handle(&self, request: Request) -> Result<Response, Failure> {
        Ok(match request {
            Request::Overview {} => Response::Overview(self.overview()?),
            Request::OpenFolder { path, allow_home } => {
                Response::OpenFolder(self.open_folder(&path, allow_home).await?)
            }
            Request::RenameProject { project, name } => {
                self.shared.store.rename_project(&project, &name).await.map_err(|error| storage(&error))?;
                Response::RenameProject(self.projects_changed()?)
            }
            Request::RemoveProject { project } => Response::RemoveProject(self.remove_project(&project).await?),
            Request::LocateProject { project, path } => Response::LocateProject(self.locate(&project, &path).await?),
            Request::CreateConversation { project } => Response::CreateConversation(self.create(project).await?),
            Request::Open { conversation } => Response::Open({
                let opened = self.ask(&conversation, Ask::Open).await?;
                self.mark_read(&conversation).await?;
                Box::new(opened)
            }),
            Request::History { conversation, before } => Response::History(
                self.shared.store.before(&conversation, before, PAGE_MESSAGES).map_err(|error| storage(&error))?,
            ),
            Request::After { conversation, seq } => Response::After(self.after(&conversation, seq)?),
            Request::Standing { conversation } => Response::Standing(self.ask(&conversation, Ask::Standing).await?),
            Request::Send { conversation, text, delivery, reject, attachments } => {
                self.check_not_deleted(&conversation)?;
                let sent = |reply| Ask::Send { text, delivery, reject, attachments, reply };
                Response::Send(self.ask(&conversation, sent).await?)
            }
            Request::Attach { conversation, name, data } => {
                Response::Attach(self.attach_base64(&conversation, &name, data).await?)
            }
            Request::AttachmentData { conversation, hash } => {
                Response::AttachmentData(self.attachment(&conversation, hash)?)
            }
            Request::EditQueued { conversation, item, text } => {
                Response::EditQueued(self.edit_queued(&conversation, item, QueueEdit::Changed { text }).await?)
            }
            Request::MoveQueued { conversation, item, before } => {
                Response::MoveQueued(self.edit_queued(&conversation, item, QueueEdit::Moved { before }).await?)
            }
            Request::RedeliverQueued { conversation, item, delivery } => {
                let edit = QueueEdit::Delivery { delivery };
                Response::RedeliverQueued(self.edit_queued(&conversation, item, edit).await?)
            }
            Request::WithdrawQueued { conversation, item } => {
                Response::WithdrawQueued(self.edit_queued(&conversation, item, QueueEdit::Withdrawn).await?)
            }
            Request::SaveDraft { conversation, text } => Response::SaveDraft(
                self.shared.store.save_draft(&conversation, &text).await.map_err(|error| storage(&error))?,
            ),
            Request::SaveDraftAttachments { conversation, attachments } => {
                let saved = self.shared.store.save_draft_attachments(&conversation, &attachments);
                Response::SaveDraftAttachments(saved.await.map_err(|error| storage(&error))?)
            }
            Request::MarkRead { conversation } => Response::MarkRead(self.mark_read(&conversation).await?),
            Request::Approve { call, digest, scope, note } => {
                let of = self.conversation_of(&call)?;
                // Nothing can run without its folder: until that is found again, what waits stays pending.
                self.check_folder(&of)?;
                Response::Approve(self.ask(&of, |reply| Ask::Approve { call, digest, scope, note, reply }).await?)
            }
            Request::Reject { call, note } => {
                let of = self.conversation_of(&call)?;
                Response::Reject(self.ask(&of, |reply| Ask::Reject { call, note, reply }).await?)
            }
            Request::RevokeRule { conversation, rule } => {
                Response::RevokeRule(self.ask(&conversation, |reply| Ask::RevokeRule { rule, reply }).await?)
            }
            Request::AnswerQuestion { call, text } => {
                let of = self.conversation_of(&call)?;
                Response::AnswerQuestion(self.ask(&of, |reply| Ask::Answer { call, text, reply }).await?)
            }
            Request::Questions {} => Response::Questions(self.questions()?),
            Request::Inbox {} => Response::Inbox(self.inbox()?),
            Request::Stop { conversation } => Response::Stop(self.ask(&conversation, Ask::Stop).await?),
            Request::ContinueTurn { conversation } => {
                self.check_not_deleted(&conversation)?;
                Response::ContinueTurn(self.ask(&conversation, Ask::Continue).await?)
            }
            Request::Compact { conversation, instructions } => {
                self.check_not_deleted(&conversation)?;
                Response::Compact(self.ask(&conversation, |reply| Ask::Compact { instructions, reply }).await?)
            }
            Request::Context { conversation } => Response::Context(self.ask(&conversation, Ask::Context).await?),
            Request::KeepDiscarded { conversation, request } => {
                Response::KeepDiscarded(self.ask(&conversation, |reply| Ask::Keep { request, reply }).await?)
            }
            Request::SetMode { conversation, mode } => {
                Response::SetMode(self.ask(&conversation, |reply| Ask::SetMode { mode, reply }).await?)
            }
            Request::SetModel { conversation, choice } => {
                let choice = models::told(choice, self.shared.host.as_ref(), &self.shared.settings()).await;
                Response::SetModel(self.set_model(&conversation, choice).await?)
            }
            Request::SetFallbacks { conversation, choices } => {
                Response::SetFallbacks(self.set_fallbacks(&conversation, choices).await?)
            }
            Request::SetLimits { conversation, limits } => {
                Response::SetLimits(self.ask(&conversation, |reply| Ask::SetLimits { limits, reply }).await?)
            }
            Request::Rename { conversation, title } => {
                Response::Rename(self.ask(&conversation, |reply| Ask::Rename { title, reply }).await?)
            }
            Request::Archive { conversation, archived } => {
                Response::Archive(self.ask(&conversation, |reply| Ask::Archive { archived, reply }).await?)
            }
            Request::Delete { conversation } => Response::Delete(self.delete(&conversation).await?),
            Request::Restore { conversation } => Response::Restore(self.restore(&conversation).await?),
            Request::Clear { conversation } => Response::Clear(self.clear(&conversation).await?),
            Request::Fork { conversation, seq } => Response::Fork(self.fork(&conversation, seq).await?),
            Request::Resend { conversation, message, text, attachments } => {
                Response::Resend(self.resend(&conversation, &message, text, attachments).await?)
            }
            Request::Revert { call } => {
                let of = self.conversation_of(&call)?;
                Response::Revert(self.ask(&of, |reply| Ask::Revert { call, reply }).await?)
            }
            Request::Resolve { call, done } => {
                let of = self.conversation_of(&call)?;
                Response::Resolve(self.ask(&of, |reply| Ask::Resolve { call, done, reply }).await?)
            }
            Request::CheckAgain { call } => {
                let of = self.conversation_of(&call)?;
                Response::CheckAgain(self.ask(&of, |reply| Ask::CheckAgain { call, reply }).await?)
            }
            Request::ReadMemory { project } => Response::ReadMemory(self.memory(project).await?),
            Request::SaveMemory { project, text, before } => {
                Response::SaveMemory(self.save_memory(project, text, before).await?)
            }
            Request::Output { call, offset, length } => Response::Output(self.output(&call, offset, length)?),
            Request::Replay { conversation, request } => Response::Replay(self.replayed(&conversation, &request)?),
            Request::Export { conversation, format } => Response::Export(self.export(&conversation, format)?),
            Request::Import { project, text } => Response::Import(self.import(project, &text).await?),
            Request::Models {} => {
                Response::Models(models::offered(self.shared.host.as_ref(), &self.shared.settings()).await)
            }
            Request::Presets {} => Response::Presets(models::presets()),
            Request::KnownModels { base_url, models } => {
                let unasked = ModelFacts::default();
                let known = models.iter().map(|model| models::known(&base_url, model, &unasked));
                Response::KnownModels(known.collect())
            }
            Request::SaveProvider { provider } => Response::SaveProvider(self.save_provider(provider).await?),
            Request::RemoveProvider { provider } => Response::RemoveProvider(self.remove_provider(&provider).await?),
            Request::SetKey { provider, key } => Response::SetKey(self.set_key(&provider, &key)?),
            Request::KeyPlaceOf { provider } => Response::KeyPlaceOf(self.key_place(&provider)?),
            Request::TestProvider { provider, key } => {
                let host = self.shared.host.as_ref();
                Response::TestProvider(models::test(&provider, key, host, &self.shared.settings()).await)
            }
            Request::SaveSettings { settings } => Response::SaveSettings(self.save_settings(settings).await?),
            Request::Usage { bounds } => Response::Usage(self.usage(bounds).await?),
            Request::UsageRequests { conversation } => Response::UsageRequests(self.usage_requests(&conversation)?),
            Request::Search { query, limit } => Response::Search(self.search(query, limit).await?),
            Request::CompletePath { conversation, typed } => {
                Response::CompletePath(self.complete_path(&conversation, &typed).await?)
            }
            Request::CompleteSymbol { conversation, typed } => {
                Response::CompleteSymbol(self.complete_symbol(&conversation, typed).await?)
            }
            Request::Skills { conversation } => Response::Skills(self.ask(&conversation, Ask::Skills).await?),
            Request::Steering { project } => Response::Steering(self.steering(&project).await?),
            Request::Trust { project, files } => Response::Trust(self.trust(&project, files).await?),
            Request::Trusted {} => Response::Trusted(self.trusted().await?),
            Request::Distrust { root, paths } => Response::Distrust(self.distrust(&root, paths).await?),
            Request::RefreshPrompt { conversation } => {
                Response::RefreshPrompt(self.ask(&conversation, Ask::RefreshPrompt).await?)
            }
        })
    }

    async fn edit_queued(&self, conversation: &ConversationId, item: ItemId, edit: QueueEdit) -> Result<(), Failure> {
        self.ask(conversation, |reply| Ask::EditQueued { item, edit, reply }).await
    }

    fn overview(&self) -> Result<Overview, Failure> {
        Ok(Overview {
            projects: self.projects()?,
            conversations: self.shared.store.rows().map_err(|error| storage(&error))?,
            settings: self.shared.settings(),
            notices: self.shared.store.notices().map_err(|error| storage(&error))?,
        })
    }

    fn projects(&self) -> Result<Vec<ProjectRow>, Failure> {
        let projects = self.shared.store.projects().map_err(|error| storage(&error))?;
        let home = self.shared.host.variable("HOME");
        Ok(projects
            .into_iter()
            .map(|project| ProjectRow {
                present: std::path::Path::new(&project.folder).is_dir(),
                home: home.as_deref() == Some(project.folder.as_str()),
                id: project.id,
                name: project.name,
                folder: project.folder,
            })
            .collect())
    }

    fn projects_changed(&self) -> Result<(), Failure> {
        self.shared.bus.publish(&[Signal::Projects { projects: self.projects()? }]);
        Ok(())
    }

    /// Opens a folder as a project. The canonical root is what is kept. For one that is on the list nothing is written.
    pub async fn open_folder(&self, path: &str, allow_home: bool) -> Result<ProjectRow, Failure> {
        let workspace = self.workspace(path, allow_home)?;
        let root = workspace.identity().to_owned();
        if let Some(known) = self.projects()?.into_iter().find(|row| row.folder == root) {
            return Ok(known);
        }
        let name =
            workspace.root().file_name().map_or_else(|| root.clone(), |name| name.to_string_lossy().into_owned());
        let id = ProjectId::new(self.shared.clock.id());
        let at = self.shared.clock.now();
        let project = self.shared.store.insert_project(&id, &name, &root, at).await.map_err(|error| storage(&error))?;
        self.projects_changed()?;
        let rows = self.projects()?;
        let missing = || Failure::new(Code::NotFound, "the project is gone");
        rows.into_iter().find(|row| row.id == project.id).ok_or_else(missing)
    }

    pub(crate) fn workspace(&self, path: &str, allow_home: bool) -> Result<std::sync::Arc<Workspace>, Failure> {
        let workspace = self.shared.workspaces.get(path).map_err(|error| workspace_failure(&error))?;
        if workspace.is_home() && !allow_home {
            let words = "that is your home folder: everything of yours would lie open to the model. Choose a project's folder, or confirm";
            return Err(Failure::new(Code::Workspace, words));
        }
        Ok(workspace)
    }

    /// Whether the folder of a conversation, if it has one, is there and can be used.
    pub fn check_folder(&self, conversation: &ConversationId) -> Result<(), Failure> {
        match self.row(conversation)?.workspace {
            Some(folder) => self.workspace(&folder, true).map(|_| ()),
            None => Ok(()),
        }
    }

    async fn remove_project(&self, project: &ProjectId) -> Result<(), Failure> {
        let rows = self.shared.store.rows().map_err(|error| storage(&error))?;
        for row in rows.into_iter().filter(|row| row.project.as_ref() == Some(project) && !row.archived) {
            self.ask(&row.id, |reply| Ask::Archive { archived: true, reply }).await?;
        }
        self.shared.store.remove_project(project).await.map_err(|error| storage(&error))?;
        self.projects_changed()
    }

    async fn locate(&self, project: &ProjectId, path: &str) -> Result<ProjectRow, Failure> {
        let workspace = self.workspace(path, true)?;
        let found =
            self.shared.store.locate_project(project, workspace.identity()).await.map_err(|error| storage(&error))?;
        self.shared.relocations.fetch_add(1, Ordering::Release);
        if !found {
            return Err(Failure::new(Code::NotFound, "there is no such project"));
        }
        self.projects_changed()?;
        let missing = || Failure::new(Code::NotFound, "there is no such project");
        self.projects()?.into_iter().find(|row| row.id == *project).ok_or_else(missing)
    }

    /// A conversation's limits, as its log has them.
    pub fn limits(&self, conversation: &ConversationId) -> Result<assent_protocol::settings::Limits, Failure> {
        let events = self.shared.store.fold_events(conversation).map_err(|error| storage(&error))?;
        Ok(assent_session::Session::fold(&events).limits())
    }

    /// A conversation's row.
    pub fn row(&self, conversation: &ConversationId) -> Result<ConversationRow, Failure> {
        let missing = || Failure::new(Code::NotFound, format!("there is no conversation {conversation}"));
        self.shared.store.row(conversation).map_err(|error| storage(&error))?.ok_or_else(missing)
    }

    async fn mark_read(&self, conversation: &ConversationId) -> Result<(), Failure> {
        let row = self.row(conversation)?;
        if row.unread {
            self.shared.store.mark_read(conversation, row.seq).await.map_err(|error| storage(&error))?;
            self.shared.bus.publish(&[Signal::Row { row: self.row(conversation)? }]);
        }
        Ok(())
    }

    fn after(
        &self,
        conversation: &ConversationId,
        seq: u64,
    ) -> Result<assent_protocol::snapshot::HistoryPage, Failure> {
        let events = self.shared.store.events(conversation, seq, AFTER_EVENTS).map_err(|error| storage(&error))?;
        Ok(assent_protocol::snapshot::HistoryPage { events, earlier: false })
    }

    /// The conversation that a call belongs to.
    pub fn conversation_of(&self, call: &CallId) -> Result<ConversationId, Failure> {
        let missing = || Failure::new(Code::NotFound, format!("there is no call {call}"));
        let execution = self.shared.store.call(call).map_err(|error| storage(&error))?;
        execution.map(|execution| execution.conversation).ok_or_else(missing)
    }

    /// Questions that wait for a person's answer, oldest first.
    pub fn questions(&self) -> Result<Vec<QuestionRow>, Failure> {
        self.shared.store.questions().map_err(|error| storage(&error))
    }

    /// Every card that waits for a person, oldest first.
    pub fn inbox(&self) -> Result<Vec<PendingRow>, Failure> {
        self.shared.store.pending().map_err(|error| storage(&error))
    }

    async fn delete(&self, conversation: &ConversationId) -> Result<(), Failure> {
        self.check_no_agent(conversation)?;
        self.ask(conversation, Ask::Leave).await?;
        let at = self.shared.clock.now();
        self.shared.store.delete(conversation, at).await.map_err(|error| storage(&error))?;
        self.shared.bus.publish(&[Signal::Gone { conversation: conversation.clone() }]);
        Ok(())
    }

    async fn restore(&self, conversation: &ConversationId) -> Result<(), Failure> {
        self.shared.store.restore(conversation).await.map_err(|error| storage(&error))?;
        self.shared.bus.publish(&[Signal::Row { row: self.row(conversation)? }]);
        Ok(())
    }

    async fn clear(&self, conversation: &ConversationId) -> Result<ConversationRow, Failure> {
        self.check_no_agent(conversation)?;
        let old = self.row(conversation)?;
        let settings = self.shared.settings();
        let choice = match old.model {
            Some(choice) => choice,
            None => self.usual_model().await,
        };
        let beginning = Beginning {
            project: old.project,
            workspace: old.workspace,
            choice,
            fallbacks: old.fallbacks,
            mode: old.mode,
            limits: settings.limits,
        };
        let id = self.begin(beginning).await?;
        self.ask(conversation, Ask::Leave).await?;
        self.ask(conversation, |reply| Ask::Archive { archived: true, reply }).await?;
        self.row(&id)
    }

    fn output(&self, call: &CallId, offset: u64, length: u64) -> Result<OutputPage, Failure> {
        let store = &self.shared.store;
        let missing = || Failure::new(Code::NotFound, format!("there is no output of call {call}"));
        let of = self.conversation_of(call)?;
        let events = store.fold_events(&of).map_err(|error| storage(&error))?;
        let result = events.iter().rev().find_map(|event| match &event.payload {
            assent_protocol::event::Payload::ToolResult(result) if result.call == *call => Some(result),
            _ => None,
        });
        let result = result.ok_or_else(missing)?;
        let Some(stored) = result.output else {
            let total = result.shown.len() as u64;
            return Ok(OutputPage { text: result.shown.to_string(), offset: 0, total });
        };
        let part = store.content_part(stored.hash, offset, length.min(OUTPUT_PAGE)).map_err(|error| storage(&error))?;
        let bytes = part.ok_or_else(missing)?;
        Ok(OutputPage { text: String::from_utf8_lossy(&bytes).into_owned(), offset, total: stored.bytes })
    }

    fn replayed(
        &self,
        conversation: &ConversationId,
        request: &assent_protocol::ids::RequestId,
    ) -> Result<Replayed, Failure> {
        let recomputed = self.recompute_by_id(conversation, request)?;
        Ok(Replayed {
            request: request.clone(),
            equal: recomputed.is_equal(),
            body: String::from_utf8_lossy(&recomputed.body).into_owned(),
            prefix: recomputed.sent.prefix,
            stable_before: recomputed.stable_before,
            usage: recomputed.usage,
            before: recomputed.before,
            recorded_builder: recomputed.sent.builder,
            builder: recomputed.builder,
        })
    }

    async fn save_settings(&self, settings: Settings) -> Result<(), Failure> {
        self.shared.store.set_setting(SETTINGS, &settings).await.map_err(|error| storage(&error))?;
        keep_key_variables(&settings);
        self.shared.slots.resize(settings.global_slots, settings.conversation_slots);
        *self.shared.settings.write().unwrap_or_else(std::sync::PoisonError::into_inner) = settings.clone();
        self.shared.bus.publish(&[Signal::Settings { settings }]);
        Ok(())
    }

    async fn save_provider(&self, provider: Provider) -> Result<(), Failure> {
        let name = models::secret_name(&provider.base_url).map_err(|words| Failure::new(Code::Invalid, words))?;
        let mut settings = self.shared.settings();
        let known = settings.providers.iter().find(|known| known.id == provider.id);
        let old = known.and_then(|known| models::secret_name(&known.base_url).ok());
        // A key is bound to its host: another host has none until it is entered again.
        if let Some(old) = old.filter(|old| *old != name) {
            self.keep_secret(&old, None)?;
        }
        models::keep_provider(&mut settings.providers, provider);
        // What seeds new conversations follows the person's new word.
        settings.model = settings.model.take().map(|choice| match models::configured(&choice, &settings) {
            Some(provider) => models::by_word(choice, provider),
            None => choice,
        });
        self.shared.models.forget();
        self.save_settings(settings).await
    }

    async fn remove_provider(&self, id: &assent_protocol::ids::ProviderId) -> Result<(), Failure> {
        let mut settings = self.shared.settings();
        let provider = self.provider(id)?;
        settings.providers.retain(|known| known.id != *id);
        if let Ok(name) = models::secret_name(&provider.base_url) {
            self.keep_secret(&name, None)?;
        }
        self.shared.models.forget();
        self.save_settings(settings).await
    }

    fn provider(&self, id: &assent_protocol::ids::ProviderId) -> Result<Provider, Failure> {
        let missing = || Failure::new(Code::NotFound, "there is no such provider");
        self.shared.settings().providers.into_iter().find(|known| known.id == *id).ok_or_else(missing)
    }

    fn set_key(&self, id: &assent_protocol::ids::ProviderId, key: &str) -> Result<KeyPlace, Failure> {
        let provider = self.provider(id)?;
        let name = models::secret_name(&provider.base_url).map_err(|words| Failure::new(Code::Invalid, words))?;
        let key = key.trim();
        let place = self.keep_secret(&name, Some(key).filter(|key| !key.is_empty()))?;
        self.shared.models.forget();
        Ok(place)
    }

    fn keep_secret(&self, name: &str, secret: Option<&str>) -> Result<KeyPlace, Failure> {
        self.shared.host.keep_secret(name, secret).map_err(|error| Failure::new(Code::Key, error.to_string()))
    }

    fn key_place(&self, id: &assent_protocol::ids::ProviderId) -> Result<KeyPlace, Failure> {
        let provider = self.provider(id)?;
        let name = models::secret_name(&provider.base_url).map_err(|words| Failure::new(Code::Invalid, words))?;
        let kept = self.shared.host.secret_place(&name);
        let is_set = |variable: &str| self.shared.host.variable(variable).is_some();
        Ok(match kept {
            KeyPlace::Nowhere if models::variables_of(&provider).into_iter().any(is_set) => KeyPlace::Environment,
            // A server on this machine mostly wants none; another host is asked about until it has one.
            KeyPlace::Nowhere if provider.key_variable.is_none() && assent_llm::is_local(&provider.base_url) => {
                KeyPlace::NotNeeded
            }
            kept => kept,
        })
    }
}

pub(crate) fn workspace_failure(error: &WorkspaceError) -> Failure {
    Failure::new(Code::Workspace, error.to_string())
}
