//! Files of a workspace that steer the model: they count only as the content that a person trusted. Each is read once,
//! beneath the workspace's handle, and what was read is what is compared and used.

use std::collections::HashSet;

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ProjectId, Sha};
use assent_protocol::skill::SkillList;
use assent_protocol::steering::{Steering, SteeringFile, SteeringKind, TrustedContent};
use assent_store::{Store, StoreError, ToTrust};
use assent_tools::steering::{self, Steers};
use assent_tools::workspace::{Form, Workspace};

use crate::engine::{Engine, storage};
use crate::skills::Skills;
use crate::visible::{beginning, hidden_in, visible};

mod trusted;

/// What reaches the model of one file at most, and what a person is shown of it, in bytes: a steering file is no book.
pub(crate) const MAX_TEXT: usize = 32 * 1024;
/// Files above this many bytes are not read at all: a folder may hold hundreds of them.
const MAX_READ: u64 = 512 * 1024;
/// Text of one list at most, in bytes.
const MAX_LIST: usize = 2 * 1024 * 1024;

/// Contents that a person trusts in one workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust(HashSet<(String, Sha)>);

impl Trust {
    /// What is trusted in the workspace at `root`.
    pub fn of(store: &Store, root: &str) -> Result<Self, StoreError> {
        Ok(Self(store.trusted(root)?.into_iter().map(|content| (content.path, content.hash)).collect()))
    }

    /// Exactly these contents, by path.
    #[cfg(test)]
    pub fn in_contents<'a>(contents: impl IntoIterator<Item = (&'a str, &'a String)>) -> Self {
        let hashed = contents.into_iter().map(|(path, text)| (path.to_owned(), Sha::of(text.as_bytes())));
        Self(hashed.collect())
    }

    /// Whether this content of a file is trusted.
    pub fn holds(&self, path: &str, hash: Sha) -> bool {
        self.0.contains(&(path.to_owned(), hash))
    }
}

/// A file that steers, as it was read.
pub(crate) struct Read {
    /// SHA-256 of its bytes.
    pub hash: Sha,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its text as it stands there, without hidden characters made visible.
    pub raw: String,
    /// Whether exactly this content is trusted.
    pub trusted: bool,
}

/// What is found at the place of a file that would steer.
pub(crate) enum Looked {
    /// Nothing.
    Missing,
    /// Something that can't be read, with the reason.
    Unreadable(String),
    /// A file.
    There(Read),
}

/// Reads a file that would steer, once.
pub(crate) fn look(workspace: &Workspace, path: &str, trust: &Trust) -> Looked {
    let read = workspace.place(path).and_then(|place| match place.form {
        Form::Missing => Ok(None),
        _ => workspace.read(&place, MAX_READ).map(Some),
    });
    match read {
        Ok(None) => Looked::Missing,
        Ok(Some(file)) => Looked::There(Read {
            hash: file.hash,
            bytes: file.bytes.len() as u64,
            raw: text_of(&file.bytes),
            trusted: trust.holds(path, file.hash),
        }),
        Err(refusal) => Looked::Unreadable(refusal.words),
    }
}

/// Bytes as text, without the mark that some systems put at the beginning of a file.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)).into_owned()
}

/// All files of a workspace that steer, as a person is shown them.
fn list(workspace: &Workspace, store: &Store) -> Result<Steering, StoreError> {
    let root = workspace.identity();
    let trust = Trust::of(store, root)?;
    let rules = steering::rule_files(workspace);
    let mut partial = rules.is_partial;
    let mut paths = rules.paths;
    for folder in steering::SKILL_FOLDERS {
        let skills = steering::skill_files(workspace, folder);
        partial |= skills.is_partial;
        paths.extend(skills.paths);
    }
    let mut files = Vec::new();
    let mut shown = 0;
    for path in paths {
        if shown > MAX_LIST {
            partial = true;
            break;
        }
        let Some(file) = shown_file(workspace, store, &trust, path)? else { continue };
        shown += file.text.len();
        files.push(file);
    }
    Ok(Steering { files, partial })
}

fn shown_file(
    workspace: &Workspace,
    store: &Store,
    trust: &Trust,
    path: String,
) -> Result<Option<SteeringFile>, StoreError> {
    let Some(kind) = kind_of(&path) else { return Ok(None) };
    let read = match look(workspace, &path, trust) {
        Looked::Missing => return Ok(None),
        Looked::Unreadable(words) => {
            let (text, hash, changed) = (String::new(), None, None);
            let trouble = Some(words);
            let file = SteeringFile {
                path,
                kind,
                text,
                bytes: 0,
                cut: false,
                hidden: 0,
                hash,
                trusted: false,
                changed,
                trouble,
            };
            return Ok(Some(file));
        }
        Looked::There(read) => read,
    };
    let (raw, left_out) = beginning(&read.raw, MAX_TEXT);
    let text = visible(raw);
    let before = if read.trusted { None } else { store.trusted_text(workspace.identity(), &path)? };
    let changed = before.map(|before| assent_tools::effects::difference(&before, &text).hunks);
    Ok(Some(SteeringFile {
        path,
        kind,
        hidden: hidden_in(raw),
        text,
        bytes: read.bytes,
        cut: left_out > 0,
        hash: Some(read.hash),
        trusted: read.trusted,
        changed,
        trouble: None,
    }))
}

fn kind_of(path: &str) -> Option<SteeringKind> {
    steering::steers(path).map(|steers| match steers {
        Steers::Rules => SteeringKind::Rules,
        Steers::Context => SteeringKind::Context,
        Steers::Skill => SteeringKind::Skill,
    })
}

impl Engine {
    /// The files of a project's folder that steer the model.
    pub(crate) async fn steering(&self, project: &ProjectId) -> Result<Steering, Failure> {
        let root = self.folder_of(project)?;
        let workspace = self.workspace(&root, true)?;
        let store = self.shared.store.clone();
        let listed = tokio::task::spawn_blocking(move || list(&workspace, &store)).await;
        listed.map_err(|_| Failure::new(Code::Other, "looking for rules failed"))?.map_err(|error| storage(&error))
    }

    /// Trusts contents that a person was shown. Each has to be what stands there now; else none is trusted.
    pub(crate) async fn trust(&self, project: &ProjectId, files: Vec<TrustedContent>) -> Result<(), Failure> {
        let root = self.folder_of(project)?;
        let workspace = self.workspace(&root, true)?;
        let looked = tokio::task::spawn_blocking(move || {
            let read = files.into_iter().map(|file| to_trust(&workspace, file));
            read.collect::<Result<Vec<_>, _>>().map(|files| (workspace.identity().to_owned(), files))
        });
        let (root, files) = looked.await.map_err(|_| Failure::new(Code::Other, "reading the files failed"))??;
        let at = self.shared.clock.now();
        self.shared.store.trust(&root, files, at).await.map_err(|error| storage(&error))
    }

    /// The skills of a folder, if one is named, and a person's own.
    pub async fn skills_in(&self, root: Option<&str>) -> Result<SkillList, Failure> {
        let workspace = root.map(|root| self.workspace(root, true)).transpose()?;
        let trust = match &workspace {
            Some(workspace) => Trust::of(&self.shared.store, workspace.identity()).map_err(|error| storage(&error))?,
            None => Trust::default(),
        };
        let own = self.shared.skill_folders.clone();
        let found = tokio::task::spawn_blocking(move || Skills::find(workspace.as_deref(), &trust, &own).list()).await;
        found.map_err(|_| Failure::new(Code::Other, "looking for skills failed"))
    }

    fn folder_of(&self, project: &ProjectId) -> Result<String, Failure> {
        let missing = || Failure::new(Code::NotFound, "there is no such project");
        let found = self.shared.store.project(project).map_err(|error| storage(&error))?;
        Ok(found.ok_or_else(missing)?.folder)
    }
}

fn to_trust(workspace: &Workspace, file: TrustedContent) -> Result<ToTrust, Failure> {
    let TrustedContent { path, hash } = file;
    if steering::steers(&path).is_none() {
        return Err(Failure::new(Code::Invalid, format!("{path} is no file that steers the model")));
    }
    match look(workspace, &path, &Trust::default()) {
        Looked::There(read) if read.hash == hash => {
            Ok(ToTrust { path, hash, text: visible(beginning(&read.raw, MAX_TEXT).0) })
        }
        Looked::There(_) | Looked::Missing => {
            Err(Failure::new(Code::FileChanged, format!("{path} is no longer what was shown; look at it again")))
        }
        Looked::Unreadable(words) => Err(Failure::new(Code::Invalid, words)),
    }
}
