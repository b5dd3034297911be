//! Opens the workspace's repository, once its parts are shown to lie where they may, and keeps it open between calls.
//! libgit2 gets the git dir alone: the work tree is read beneath the workspace's own handle, never by it.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use git2::{ConfigLevel, Index, Oid, Repository, RepositoryOpenFlags};

use super::config::Setting;
use super::contain::Site;
use super::off::{Off, unreadable};
use crate::search::folder::{Folder, Stat};
use crate::search::rules::{Rules, Stack};
use crate::search::walk::rules_above;
use crate::workspace::Workspace;

/// Most repositories that are kept open while nobody uses them.
const MOST_IDLE: usize = 4;
/// Largest index that is read, in bytes: about a million files.
const LARGEST_INDEX: u64 = 256 * 1024 * 1024;

/// An open repository.
pub(crate) struct Opened {
    root: PathBuf,
    site: Site,
    seal: Seal,
    /// Whether the folders of single objects were looked through.
    knows_loose: bool,
    pub(super) repository: Repository,
    pub(super) settings: Vec<Setting>,
}

/// What the parts looked like when they were checked; when one differs, they are checked again.
type Seal = Vec<Option<Stat>>;

/// The parts that decide where a repository leads.
const SEALED: [&str; 9] = [
    "config",
    "config.worktree",
    "commondir",
    "refs",
    "objects",
    "objects/pack",
    "objects/info",
    "objects/info/alternates",
    "info",
];

static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Does something with the workspace's repository. One outside of the workspace has to be `allowed`, by the path of its
/// own folder; it isn't opened before.
pub(crate) fn with<T>(
    workspace: &Workspace,
    allowed: &dyn Fn(&str) -> bool,
    act: impl FnOnce(&mut Opened) -> Result<T, Off>,
) -> Result<T, Off> {
    glance(workspace, allowed, |opened| {
        if !opened.knows_loose {
            opened.site.check_loose(workspace)?;
            opened.knows_loose = true;
        }
        act(opened)
    })
}

/// The same for a look that reads few objects, and each of them only once [`Opened::admit`] lets it: files of single objects
/// lie in up to 256 folders, which needn't all be looked through for that.
pub(crate) fn glance<T>(
    workspace: &Workspace,
    allowed: &dyn Fn(&str) -> bool,
    act: impl FnOnce(&mut Opened) -> Result<T, Off>,
) -> Result<T, Off> {
    let site = Site::find(workspace)?;
    if let Some(repository) = site.elsewhere().filter(|repository| !allowed(repository)) {
        return Err(Off::NotAllowed(repository.to_owned()));
    }
    let mut opened = take(workspace, site)?;
    let done = act(&mut opened);
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.push(opened);
    if idle.len() > MOST_IDLE {
        idle.remove(0);
    }
    done
}

/// The repository outside of the workspace that the workspace is a linked worktree of, once its parts are shown to lie in
/// it; `None` for any other.
pub(super) fn elsewhere(workspace: &Workspace) -> Result<Option<String>, Off> {
    let site = Site::find(workspace)?;
    let Some(repository) = site.elsewhere() else { return Ok(None) };
    site.check(workspace)?;
    site.check_loose(workspace)?;
    Ok(Some(repository.to_owned()))
}

fn take(workspace: &Workspace, site: Site) -> Result<Opened, Off> {
    let kept = {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|opened| opened.root == workspace.root());
        at.map(|at| idle.remove(at))
    };
    if let Some(kept) = kept
        && workspace.is_in_place()
        && kept.site.git_dir == site.git_dir
        && kept.seal == seal(&site)
    {
        return Ok(Opened { site, ..kept });
    }
    open(workspace, site)
}

fn open(workspace: &Workspace, site: Site) -> Result<Opened, Off> {
    let settings = site.check(workspace)?;
    let seal = seal(&site);
    shut_out_foreign_settings()?;
    let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT | RepositoryOpenFlags::BARE;
    let none: [&str; 0] = [];
    let repository = Repository::open_ext(&site.git_dir, flags, none)
        .map_err(|error| unreadable("the repository can't be opened", &error))?;
    let opened = Opened { root: workspace.root().to_owned(), site, seal, knows_loose: false, repository, settings };
    if !opened.is_bare() {
        // What can't be read is said at once, whichever tool is asked.
        opened.index()?;
    }
    Ok(opened)
}

/// What the deciding parts look like, in the git dir and in the folder that all worktrees share.
fn seal(site: &Site) -> Seal {
    let of_worktree = site.elsewhere().map(|_| &site.git);
    of_worktree.into_iter().chain([site.common()]).flat_map(|git| SEALED.map(|part| git.stat(part).ok())).collect()
}

/// No settings from outside of the repository: libgit2 finds no system's, no person's and no other file of the kind.
fn shut_out_foreign_settings() -> Result<(), Off> {
    static DONE: OnceLock<Result<(), Off>> = OnceLock::new();
    DONE.get_or_init(|| {
        for level in [ConfigLevel::System, ConfigLevel::Global, ConfigLevel::XDG, ConfigLevel::ProgramData] {
            // SAFETY: the search path is process-wide state of libgit2. Only this function writes it, once, and every
            // repository is opened after it by the one caller above.
            #[expect(unsafe_code, reason = "the setting has no safe form")]
            unsafe { git2::opts::set_search_path(level, "") }
                .map_err(|error| unreadable("git's search paths can't be set", &error))?;
        }
        Ok(())
    })
    .clone()
}

impl Opened {
    /// Whether the workspace is the repository itself, without a work tree.
    pub(super) fn is_bare(&self) -> bool {
        self.site.is_bare
    }

    /// The git dir.
    pub(super) fn git(&self) -> &Folder {
        &self.site.git
    }

    /// The repository's own folder: the git dir, or what the git dirs of all worktrees share.
    pub(super) fn common(&self) -> &Folder {
        self.site.common()
    }

    /// The ignore rules above a folder, with the repository's own list wherever it is.
    pub(super) fn rules_above(&self, workspace: &Workspace, path: &str) -> Stack {
        let mut rules = Stack::default();
        rules.push(self.site.elsewhere().and_then(|_| Rules::of_repository(self.common())));
        rules_above(workspace, path, &mut rules);
        rules
    }

    /// The present index, read from disk when it changed there.
    pub(super) fn index(&self) -> Result<Index, Off> {
        let length = self.git().stat("index").ok().map(|stat| stat.size);
        if length.is_some_and(|length| length > LARGEST_INDEX) {
            return Err(Off::Part { part: "index".to_owned(), what: "too large" });
        }
        let what = "the index can't be read";
        let mut index = self.repository.index().map_err(|error| unreadable(what, &error))?;
        index.read(false).map_err(|error| unreadable(what, &error))?;
        Ok(index)
    }

    /// The last value of `section.key` as a truth.
    pub(super) fn truth(&self, section: &str, key: &str) -> Option<bool> {
        self.setting(section, key).and_then(Setting::truth)
    }

    /// The last value of `section.key`, without a subsection.
    pub(super) fn setting(&self, section: &str, key: &str) -> Option<&Setting> {
        self.settings.iter().rev().find(|setting| setting.is(section, key) && setting.subsection.is_none())
    }

    /// Lets libgit2 read an object: if it lies in a file of its own, that is a regular file in a folder of its own.
    pub(super) fn admit(&self, id: Oid) -> Result<(), Off> {
        if self.knows_loose { Ok(()) } else { self.site.check_object(&id.to_string()) }
    }

    /// The commit that HEAD names; `None` before the first one.
    pub(super) fn head(&self) -> Result<Option<git2::Commit<'_>>, Off> {
        match self.repository.head() {
            Ok(head) => {
                let Some(id) = head.target() else {
                    return Err(Off::Part { part: "HEAD".to_owned(), what: "one that names no commit" });
                };
                self.admit(id)?;
                // Nothing but a commit: what a tag leads to isn't admitted by that.
                let commit = self.repository.find_commit(id);
                commit.map(Some).map_err(|error| unreadable("the present commit can't be read", &error))
            }
            Err(error) if matches!(error.code(), git2::ErrorCode::UnbornBranch | git2::ErrorCode::NotFound) => Ok(None),
            Err(error) => Err(unreadable("HEAD can't be read", &error)),
        }
    }

    /// The branch in words: its name, or where a detached HEAD stands.
    pub(super) fn branch(&self) -> String {
        let head = self.repository.find_reference("HEAD").ok();
        let target = head.as_ref().and_then(|head| head.symbolic_target().ok().flatten());
        match target {
            Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name).to_owned(),
            None => match head.and_then(|head| head.target()) {
                Some(id) => format!("detached at {}", short(id)),
                None => "unknown".to_owned(),
            },
        }
    }
}

/// The first characters of an object's name, as people write it.
pub(super) fn short(id: git2::Oid) -> String {
    id.to_string().chars().take(8).collect()
}
