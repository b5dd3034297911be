//! What is remembered between conversations: read for a model and for people, and saved on a person's word.
//! The model's own changes are calls of `memory`; where a text stands in a request is not decided here.

use std::path::Path;
use std::sync::Arc;

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ProjectId, Sha};
use assent_protocol::memory::{Memory, MemoryText};
use assent_protocol::tool::{FileEffect, Intent};
use assent_store::{StoreError, ToTrust};
use assent_tools::files::memory::{LIMIT, PROJECT_FILE, SaveRefusal, USER_FILE, name_in, read as read_file, save};
use assent_tools::workspace::Workspace;

use crate::engine::{Engine, storage};
use crate::shared::Shared;
use crate::steering::{Looked, Trust, look};
use crate::visible::{shown, visible};

/// Both texts as a model may be shown them; none: there is nothing to tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryTexts {
    /// The project's.
    pub project: Option<String>,
    /// The person's.
    pub user: Option<String>,
}

impl MemoryTexts {
    /// Both as one text; none: nothing is remembered.
    pub fn joined(&self) -> Option<String> {
        let user = self.user.as_ref().map(|text| format!("Of the user:\n{text}"));
        let project = self.project.as_ref().map(|text| format!("Of this project:\n{text}"));
        let parts: Vec<String> = user.into_iter().chain(project).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// Reads both, hidden characters made visible, cut where another program made one longer than it may be. One that can't be
/// read says so in its place, and so does the project's when its content is not one that the person trusts: it may have
/// come with the folder.
pub(crate) fn read(home: Option<&Workspace>, workspace: Option<&Workspace>, trust: &Trust) -> MemoryTexts {
    let unreadable = |path: &str, words: &str| format!("[{path} can't be read: {words}]");
    let shown = |text: &str| Some(shown(text, 0, LIMIT)).filter(|text| !text.is_empty());
    let user = home.and_then(|home| match read_file(home, USER_FILE) {
        Ok(found) => found.and_then(|(text, _)| shown(&text)),
        Err(refusal) => Some(unreadable(USER_FILE, &refusal.words)),
    });
    let project = workspace.and_then(|workspace| match look(workspace, PROJECT_FILE, trust) {
        Looked::Missing => None,
        Looked::There(file) if file.trusted => shown(&file.raw),
        Looked::There(_) => Some(format!("[{PROJECT_FILE} is left out: the user has not trusted it.]")),
        Looked::Unreadable(words) => Some(unreadable(PROJECT_FILE, &words)),
    });
    MemoryTexts { project, user }
}

/// Trusts what a change of a call left in the project's memory: it was seen on its card, or allowed without one. What stood
/// there before has to be trusted or nothing, since a card shows no more of it than what is around the change.
pub(crate) async fn trust_changed(
    shared: &Shared,
    workspace: &Arc<Workspace>,
    effects: &[FileEffect],
) -> Result<(), StoreError> {
    let Some(effect) = effects.iter().find(|effect| effect.path == PROJECT_FILE) else { return Ok(()) };
    let Some(after) = effect.after else { return Ok(()) };
    let is_known = match effect.before {
        None => true,
        Some(before) => Trust::of(&shared.store, workspace.identity())?.holds(PROJECT_FILE, before),
    };
    if is_known { trust_written(shared, workspace, after).await } else { Ok(()) }
}

/// Trusts what stands in the project's file, as long as that is the content that was just written.
async fn trust_written(shared: &Shared, workspace: &Arc<Workspace>, written: Sha) -> Result<(), StoreError> {
    let of = Arc::clone(workspace);
    let looked = tokio::task::spawn_blocking(move || look(&of, PROJECT_FILE, &Trust::default())).await;
    match looked {
        Ok(Looked::There(file)) if file.hash == written => {
            let (path, hash, text) = (PROJECT_FILE.to_owned(), file.hash, visible(&file.raw));
            let at = shared.clock.now();
            shared.store.trust(workspace.identity(), vec![ToTrust { path, hash, text }], at).await
        }
        // Somebody else was faster: then it is shown before it counts.
        _ => Ok(()),
    }
}

/// The app's own folder, opened as a workspace is; none: there is none, or it can't be.
pub(crate) fn own_folder(home: Option<&Path>) -> Option<Arc<Workspace>> {
    Workspace::open_own(home?).ok().map(Arc::new)
}

/// An intent about the person's text, as the app's own folder knows it; none: it is about something else.
pub(crate) fn own_intent(home: &Workspace, intent: &Intent) -> Option<Intent> {
    match intent {
        Intent::Write { path, before, after } if *path == name_in(home, USER_FILE) => {
            Some(Intent::Write { path: USER_FILE.to_owned(), before: *before, after: *after })
        }
        _ => None,
    }
}

/// Effects on the person's text, as the app's own folder knows them; none: they are on something else.
pub(crate) fn own_effects(home: &Workspace, effects: &[FileEffect]) -> Option<Vec<FileEffect>> {
    let name = name_in(home, USER_FILE);
    let is_own = !effects.is_empty() && effects.iter().all(|effect| effect.path == name);
    is_own.then(|| effects.iter().map(|effect| FileEffect { path: USER_FILE.to_owned(), ..effect.clone() }).collect())
}

/// The same effects as everybody else knows them.
pub(crate) fn known_effects(home: &Workspace, effects: Vec<FileEffect>) -> Vec<FileEffect> {
    let named = |path: String| if path == USER_FILE { name_in(home, USER_FILE) } else { path };
    effects.into_iter().map(|effect| FileEffect { path: named(effect.path), ..effect }).collect()
}

impl Engine {
    /// What is remembered: of the person, and of the project, where one is named.
    pub(crate) async fn memory(&self, project: Option<ProjectId>) -> Result<Memory, Failure> {
        let project = match project {
            Some(project) => Some(text_of(self.memory_place(Some(&project))?).await?),
            None => None,
        };
        let user = text_of(self.memory_place(None)?).await?;
        Ok(Memory { project, user, limit: LIMIT as u64 })
    }

    /// Replaces a text that was edited when its file had the hash `before`.
    pub(crate) async fn save_memory(
        &self,
        project: Option<ProjectId>,
        text: String,
        before: Option<Sha>,
    ) -> Result<MemoryText, Failure> {
        let (folder, path) = self.memory_place(project.as_ref())?;
        let busy = || Failure::new(Code::Other, "a call is working on that file; try again when it has ended");
        let hold = self.shared.targets.hold(folder.identity(), &[path.to_owned()]).ok_or_else(busy)?;
        let of = Arc::clone(&folder);
        let saved = apart(move || save(&of, path, &text, before)).await?;
        drop(hold);
        saved.map_err(|refusal| {
            let code = match &refusal {
                SaveRefusal::Changed => Code::FileChanged,
                SaveRefusal::TooLong(_) => Code::Invalid,
                SaveRefusal::Refused(_) | SaveRefusal::Failed(_) => Code::Other,
            };
            Failure::new(code, refusal.to_string())
        })?;
        let saved = text_of((Arc::clone(&folder), path)).await?;
        if let (true, Some(hash)) = (project.is_some(), saved.hash) {
            trust_written(&self.shared, &folder, hash).await.map_err(|error| storage(&error))?;
        }
        Ok(saved)
    }

    /// The folder and the file of a text: the project's, or the person's.
    fn memory_place(&self, project: Option<&ProjectId>) -> Result<(Arc<Workspace>, &'static str), Failure> {
        let Some(project) = project else {
            let missing = || Failure::new(Code::Other, "Assent's own folder can't be opened");
            return Ok((self.shared.home.clone().ok_or_else(missing)?, USER_FILE));
        };
        let missing = || Failure::new(Code::NotFound, "there is no such project");
        let row = self.shared.store.project(project).map_err(|error| storage(&error))?.ok_or_else(missing)?;
        let folder = self.shared.workspaces.get(&row.folder);
        Ok((folder.map_err(|error| Failure::new(Code::Workspace, error.to_string()))?, PROJECT_FILE))
    }
}

async fn text_of((folder, path): (Arc<Workspace>, &'static str)) -> Result<MemoryText, Failure> {
    let name = name_in(&folder, path);
    let found = apart(move || read_file(&folder, path)).await?;
    let found = found.map_err(|refusal| Failure::new(Code::Other, refusal.words))?;
    let (text, hash) = found.map_or((String::new(), None), |(text, hash)| (text, Some(hash)));
    Ok(MemoryText { path: name, text, hash })
}

/// Looks at files off the engine's thread.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Failure::new(Code::Other, "the file could not be looked at"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_texts_are_told_with_what_is_hidden_and_within_their_limit() {
        let base = tempfile::tempdir().unwrap();
        let (home, root) = (base.path().join("home"), base.path().join("root"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(root.join(".assent")).unwrap();
        let open = |path: &Path| own_folder(Some(path)).unwrap();
        let (own, workspace) = (open(&home), open(&root));
        let nothing = Trust::default();
        assert_eq!(read(Some(&own), Some(&workspace), &nothing), MemoryTexts::default());
        std::fs::write(home.join(USER_FILE), "- writes\u{200b} Chinese\n").unwrap();
        std::fs::write(root.join(PROJECT_FILE), "- a fact\n".repeat(2_000)).unwrap();
        let texts =
            read(Some(&own), Some(&workspace), &Trust::in_contents([(PROJECT_FILE, &"- a fact\n".repeat(2_000))]));
        assert_eq!(texts.user.as_deref(), Some("- writes⟨U+200B⟩ Chinese"));
        let project = texts.project.unwrap();
        assert!(project.len() < LIMIT + 100 && project.ends_with("bytes of this file are left out]"), "{project}");
        let untrusted = read(None, Some(&workspace), &nothing).project.unwrap();
        assert!(untrusted.contains("left out") && !untrusted.contains("a fact"), "{untrusted}");
        assert_eq!(read(None, None, &nothing), MemoryTexts::default());
    }
}
