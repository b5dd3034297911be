//! Shows that every part of a repository lies in the workspace before libgit2 opens it, and that none can block it; for a
//! linked worktree of a repository elsewhere, that every part lies in that repository's own folder.
//! It reads the repository's own configuration text and refuses what libgit2 can't read; it opens no repository.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::config::{self, Setting};
use super::off::{Off, REPOSITORY, WORKSPACE};
use crate::search::folder::{Entries, Folder, Kind};
use crate::workspace::Workspace;

/// The objects' folder in a repository's own.
const OBJECTS: &str = "objects";
/// Most files below a git dir that are looked at: packing keeps real ones far below.
const MOST_FILES: usize = 400_000;
/// Longest configuration, list of alternates or pointer that is read, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// How deep alternates and includes may lead on.
const DEEPEST: usize = 5;

/// Where the workspace's repository is; what lies there is not looked at yet.
pub(super) struct Site {
    /// The git dir: HEAD and the index are in it.
    pub(super) git: Folder,
    /// Its path, absolute.
    pub(super) git_dir: PathBuf,
    /// The workspace is a bare repository itself.
    pub(super) is_bare: bool,
    /// The repository that the workspace is a linked worktree of.
    elsewhere: Option<Elsewhere>,
}

/// A repository outside of the workspace.
struct Elsewhere {
    /// Its own folder: objects, branches and settings are in it, and the git dirs of its linked worktrees.
    folder: Folder,
    /// The canonical path of it.
    path: String,
}

impl Site {
    /// Finds the repository at the workspace's root.
    pub(super) fn find(workspace: &Workspace) -> Result<Self, Off> {
        let root = root_of(workspace)?;
        match root.stat(".git").map(|stat| stat.kind) {
            Ok(Kind::Folder) => {
                let git = root.folder(".git").map_err(|error| unusable(error.to_string()))?;
                Ok(Self { git, git_dir: workspace.root().join(".git"), is_bare: false, elsewhere: None })
            }
            Ok(Kind::File) => Self::of_worktree(workspace, &root),
            Ok(Kind::Link) => {
                let target = root.link(".git").unwrap_or_default();
                let leads_to = String::from_utf8_lossy(&target).into_owned();
                let part = "git dir (.git is a link)".to_owned();
                Err(Off::Outside { part, of: WORKSPACE, leads_to })
            }
            Ok(Kind::Other) => Err(Off::Part { part: "git dir".to_owned(), what: "no folder" }),
            Err(_) if is_bare(&root) => {
                Ok(Self { git: root, git_dir: workspace.root().to_owned(), is_bare: true, elsewhere: None })
            }
            Err(_) => Err(repository_above(workspace.root())),
        }
    }

    /// Follows the file `.git` to `REPOSITORY/worktrees/NAME`, which has to lead back here, and to its repository.
    fn of_worktree(workspace: &Workspace, root: &Folder) -> Result<Self, Off> {
        let text = root.read(".git", LONGEST).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let pointer = text.trim();
        let no_worktree = || Off::GitFile(pointer.chars().take(300).collect());
        let target = pointer.strip_prefix("gitdir:").ok_or_else(no_worktree)?.trim();
        let git_dir = dunce::canonicalize(workspace.root().join(target)).map_err(|_| no_worktree())?;
        let is_named_so = |folder: &&Path| folder.file_name().is_some_and(|name| name == "worktrees");
        let repository = git_dir.parent().filter(is_named_so).and_then(Path::parent);
        // In the workspace the tools could write it.
        let is_elsewhere = !git_dir.starts_with(workspace.root());
        let repository = repository.filter(|_| is_elsewhere).ok_or_else(no_worktree)?;
        let path = repository.to_str().ok_or_else(no_worktree)?.to_owned();
        let git = Folder::outside(&git_dir).map_err(|error| unusable(error.to_string()))?;
        let folder = Folder::outside(repository).map_err(|error| unusable(error.to_string()))?;
        for (name, part, due, of) in [
            ("commondir", "common dir", repository, REPOSITORY),
            ("gitdir", "back-link (gitdir)", &workspace.root().join(".git"), WORKSPACE),
        ] {
            let part = part.to_owned();
            let Some(text) = git.read(name, LONGEST) else {
                return Err(Off::Part { part, what: "missing, too long or no regular file" });
            };
            let leads_to = String::from_utf8_lossy(&text).trim().to_owned();
            if dunce::canonicalize(git_dir.join(&leads_to)).ok().as_deref() != Some(due) {
                return Err(Off::Outside { part, of, leads_to });
            }
        }
        Ok(Self { git, git_dir, is_bare: false, elsewhere: Some(Elsewhere { folder, path }) })
    }

    /// The repository's own folder, where it is outside of the workspace.
    pub(super) fn elsewhere(&self) -> Option<&str> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.path.as_str())
    }

    /// The repository's own folder, which all of its worktrees share.
    pub(super) fn common(&self) -> &Folder {
        self.elsewhere.as_ref().map_or(&self.git, |elsewhere| &elsewhere.folder)
    }

    fn common_dir(&self) -> &Path {
        self.elsewhere().map_or(&self.git_dir, Path::new)
    }

    /// Checks every part of the repository but the folders of single objects, and reads its settings.
    pub(super) fn check(&self, workspace: &Workspace) -> Result<Vec<Setting>, Off> {
        check_owner(workspace.root(), self)?;
        self.checks(workspace)?.run(self)
    }

    /// Checks the folders of single objects.
    pub(super) fn check_loose(&self, workspace: &Workspace) -> Result<(), Off> {
        let mut check = Check { enters_loose: true, ..self.checks(workspace)? };
        let path = self.common_dir().join(OBJECTS);
        match self.common().stat(OBJECTS).map(|stat| stat.kind) {
            Ok(Kind::Folder) => {
                let objects = self.common().folder(OBJECTS).map_err(|error| unusable(error.to_string()))?;
                check.files_of(&objects, &path, OBJECTS, &|_| true)
            }
            // What a link leads to is looked through as a whole.
            Ok(Kind::Link) => check.link(&path, OBJECTS.to_owned()),
            _ => Ok(()),
        }
    }

    /// Checks what lies where an object of this name would, if it is a file of its own.
    pub(super) fn check_object(&self, name: &str) -> Result<(), Off> {
        let (folder, file) = name.split_at(2);
        let part = || format!("{OBJECTS}/{folder}/{file}");
        let kind = |folder: &Folder, name: &str| folder.stat(name).ok().map(|stat| stat.kind);
        let Ok(objects) = self.common().folder(OBJECTS) else {
            // A link, and looked through as a whole.
            return Ok(());
        };
        match kind(&objects, folder) {
            // Links among these folders were followed and looked through with all others.
            None | Some(Kind::Link) => return Ok(()),
            Some(Kind::Folder) => {}
            Some(_) => return Err(Off::Part { part: part(), what: "not in a folder" }),
        }
        let inner = objects.folder(folder).map_err(|error| unusable(error.to_string()))?;
        match kind(&inner, file) {
            None | Some(Kind::File) => Ok(()),
            Some(_) => Err(Off::Part { part: part(), what: "a link, pipe or device, not a file" }),
        }
    }

    fn checks<'a>(&'a self, workspace: &'a Workspace) -> Result<Check<'a>, Off> {
        let (base, root, bounds) = match &self.elsewhere {
            Some(Elsewhere { folder, path }) => {
                (folder.again().map_err(|error| unusable(error.to_string()))?, Path::new(path), REPOSITORY)
            }
            None => (root_of(workspace)?, workspace.root(), WORKSPACE),
        };
        let work_tree = workspace.root();
        Ok(Check { base, root, bounds, work_tree, enters_loose: false, files: 0, seen: HashSet::new() })
    }
}

fn root_of(workspace: &Workspace) -> Result<Folder, Off> {
    let root = workspace.place("").and_then(|place| Folder::open(workspace, &place));
    root.map_err(|refusal| unusable(refusal.words))
}

fn is_bare(root: &Folder) -> bool {
    let kind = |name| root.stat(name).map(|stat| stat.kind).ok();
    kind("HEAD") == Some(Kind::File) && kind("objects") == Some(Kind::Folder) && kind("refs") == Some(Kind::Folder)
}

/// Nothing above is read: that a `.git` stands there is all that is told.
fn repository_above(root: &Path) -> Off {
    let above = root.ancestors().skip(1).find(|folder| folder.join(".git").symlink_metadata().is_ok());
    above.map_or(Off::NoRepository, |folder| Off::InsideRepository(folder.display().to_string()))
}

/// Whether a folder of this name among the objects holds single ones: the first two digits of their names.
fn is_loose(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn unusable(why: String) -> Off {
    Off::Unreadable { what: "the repository can't be read", why }
}

/// Git trusts a repository's settings only from the user who runs it, or from whoever used `sudo`.
#[cfg(unix)]
fn check_owner(root: &Path, site: &Site) -> Result<(), Off> {
    let own = rustix::process::geteuid().as_raw();
    let folders = [
        (root, "the workspace folder"),
        (site.git_dir.as_path(), "the git dir"),
        (site.common_dir(), "the repository's own folder"),
    ];
    folders.into_iter().try_for_each(|(path, name)| check_owner_against(path, name, own))
}

/// The same for one folder and the user `own`.
#[cfg(unix)]
pub(super) fn check_owner_against(path: &Path, name: &str, own: u32) -> Result<(), Off> {
    use std::os::unix::fs::MetadataExt as _;
    let sudo = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse::<u32>().ok()).filter(|_| own == 0);
    let owner = path.symlink_metadata().map_err(|error| unusable(error.to_string()))?.uid();
    if owner != own && Some(owner) != sudo {
        return Err(Off::Owner(format!("{name} ({}, user {owner})", path.display())));
    }
    Ok(())
}

/// Elsewhere libgit2's own check stands alone.
#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Site) -> Result<(), Off> {
    Ok(())
}

struct Check<'a> {
    /// Everything is opened beneath this folder: the workspace's root, or the own folder of a repository elsewhere.
    base: Folder,
    /// The path of it.
    root: &'a Path,
    /// What it is, for people.
    bounds: &'static str,
    /// The workspace's root.
    work_tree: &'a Path,
    /// Whether the folders of single objects are looked through.
    enters_loose: bool,
    files: usize,
    /// Folders that were looked at, so that links can't lead in circles.
    seen: HashSet<PathBuf>,
}

impl Check<'_> {
    fn run(mut self, site: &Site) -> Result<Vec<Setting>, Off> {
        let common_dir = site.common_dir();
        for pointer in ["commondir", "gitdir"] {
            if let Some(target) = site.common().read(pointer, LONGEST) {
                return Err(self.outside("common dir", String::from_utf8_lossy(&target).trim()));
            }
        }
        let enters = |name: &str| matches!(name, "objects" | "refs" | "info" | "logs");
        self.files_of(site.common(), common_dir, "", &enters)?;
        if site.elsewhere.is_some() {
            let inner = site.git_dir.strip_prefix(common_dir).unwrap_or(&site.git_dir).display().to_string();
            self.files_of(&site.git, &site.git_dir, &inner, &enters)?;
        }
        let mut settings = Vec::new();
        self.settings_in(&common_dir.join("config"), DEEPEST, &mut settings)?;
        let is_on = |settings: &[Setting], section, key| {
            settings.iter().rev().find(|setting| setting.is(section, key)).and_then(Setting::truth) == Some(true)
        };
        if is_on(&settings, "extensions", "worktreeconfig") {
            self.settings_in(&site.git_dir.join("config.worktree"), DEEPEST, &mut settings)?;
        }
        self.check_settings(&settings, common_dir)?;
        self.alternates(&common_dir.join("objects"), DEEPEST)?;
        Ok(settings)
    }

    fn outside(&self, part: &str, leads_to: impl Into<String>) -> Off {
        Off::Outside { part: part.to_owned(), of: self.bounds, leads_to: leads_to.into() }
    }

    /// Looks at what is in a folder of the git dir; goes only into folders that `enters`.
    fn files_of(&mut self, folder: &Folder, path: &Path, part: &str, enters: &dyn Fn(&str) -> bool) -> Result<(), Off> {
        // Every folder is entered once, by what it is after its links.
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let entries = folder.entries().map_err(|error| unusable(error.to_string()))?;
        self.files_in(folder, entries, path, part, enters)
    }

    /// The same for a folder whose entries are at hand, and that wasn't entered before.
    fn files_in(
        &mut self,
        folder: &Folder,
        entries: Entries,
        path: &Path,
        part: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<(), Off> {
        self.files += entries.list.len();
        if self.files > MOST_FILES || entries.is_cut {
            return Err(Off::Part { part: "git dir".to_owned(), what: "too large: pack it with `git gc`" });
        }
        for entry in entries.list {
            let name = entry.name.as_str();
            if entry.kind == Kind::File {
                continue;
            }
            let part = if part.is_empty() { name.to_owned() } else { format!("{part}/{name}") };
            let inner = path.join(name);
            match entry.kind {
                Kind::Folder if enters(name) => {
                    if self.seen.insert(inner.clone()) {
                        let (folder, entries) = folder.enter(name).map_err(|error| unusable(error.to_string()))?;
                        let leaves_loose = part == OBJECTS && !self.enters_loose;
                        self.files_in(&folder, entries, &inner, &part, &|name| !(leaves_loose && is_loose(name)))?;
                    }
                }
                Kind::File | Kind::Folder => {}
                Kind::Link => self.link(&inner, part)?,
                // The socket of git's own file watcher; opening a socket as a file fails at once.
                Kind::Other if name == "fsmonitor--daemon.ipc" => {}
                Kind::Other => {
                    return Err(Off::Part { part, what: "a pipe or device, not a file" });
                }
            }
        }
        Ok(())
    }

    /// A link is fine when what it leads to is beneath the base, and a file or a folder of such.
    fn link(&mut self, path: &Path, part: String) -> Result<(), Off> {
        let Ok(target) = dunce::canonicalize(path) else {
            // Leads nowhere: git finds nothing there either, but it could lead outside by and by.
            let leads_to = std::fs::read_link(path).map(|target| target.display().to_string()).unwrap_or_default();
            return Err(self.outside(&part, leads_to));
        };
        if !target.starts_with(self.root) {
            return Err(self.outside(&part, target.display().to_string()));
        }
        let metadata = target.metadata().map_err(|error| unusable(error.to_string()))?;
        if metadata.is_dir() {
            return self.folder_at(&target, &part);
        }
        if metadata.is_file() { Ok(()) } else { Err(Off::Part { part, what: "a pipe or device, not a file" }) }
    }

    /// A folder by its canonical path, which lies beneath the base, with what is in it.
    fn folder_at(&mut self, path: &Path, part: &str) -> Result<(), Off> {
        let folder = self.open(path)?;
        self.files_of(&folder, path, part, &|_| true)
    }

    /// Opens a folder by its canonical path, beneath the base's handle and through no link.
    fn open(&self, path: &Path) -> Result<Folder, Off> {
        let inner = path.strip_prefix(self.root).ok().and_then(|inner| inner.to_str());
        let inner = inner.ok_or_else(|| unusable(format!("{} is not in {}", path.display(), self.bounds)))?;
        let mut names = inner.split(std::path::MAIN_SEPARATOR).filter(|name| !name.is_empty());
        let folder = self.base.again().and_then(|base| names.try_fold(base, |folder, name| folder.folder(name)));
        folder.map_err(|error| unusable(format!("{}: {error}", path.display())))
    }

    fn alternates(&mut self, objects: &Path, deeper: usize) -> Result<(), Off> {
        let part = || "alternate object store".to_owned();
        let Ok(objects) = dunce::canonicalize(objects) else {
            return Ok(());
        };
        let Ok(info) = self.open(&objects).and_then(|objects| objects.folder("info").map_err(|_| Off::NoRepository))
        else {
            return Ok(());
        };
        let Some(list) = info.read("alternates", LONGEST) else {
            return match info.stat("alternates") {
                Ok(_) => Err(Off::Part { part: part(), what: "listed in a file that is too long or no regular file" }),
                Err(_) => Ok(()),
            };
        };
        let list = String::from_utf8_lossy(&list).into_owned();
        for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let outside = |leads_to: String| self.outside(&part(), leads_to);
            let target = dunce::canonicalize(objects.join(line)).map_err(|_| outside(line.to_owned()))?;
            if !target.starts_with(self.root) {
                return Err(outside(target.display().to_string()));
            }
            if deeper == 0 {
                return Err(Off::Part { part: part(), what: "one of a chain that is too long" });
            }
            self.folder_at(&target, &part())?;
            self.alternates(&target, deeper - 1)?;
        }
        Ok(())
    }

    /// The settings in a configuration file and in what it includes; a missing file has none.
    fn settings_in(&self, path: &Path, deeper: usize, out: &mut Vec<Setting>) -> Result<(), Off> {
        let part = || "configuration".to_owned();
        let Ok(path) = dunce::canonicalize(path) else {
            return Ok(());
        };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Ok(());
        };
        let Some(bytes) = self.open(folder)?.read(name, LONGEST) else {
            return Err(Off::Part { part: part(), what: "too long or no regular file" });
        };
        let Some(settings) = config::parse(&String::from_utf8_lossy(&bytes)) else {
            return Err(Off::Part { part: part(), what: "not in git's format" });
        };
        for setting in &settings {
            let is_include = setting.key == "path" && matches!(setting.section.as_str(), "include" | "includeif");
            let Some(target) = setting.value.as_deref().filter(|_| is_include) else {
                continue;
            };
            let outside = || self.outside("included configuration", target);
            if target.starts_with(['~', '%']) {
                return Err(outside());
            }
            let included = dunce::canonicalize(folder.join(target)).map_err(|_| outside())?;
            if !included.starts_with(self.root) {
                return Err(outside());
            }
            if deeper == 0 {
                return Err(Off::Part { part: part(), what: "a chain of includes that is too long" });
            }
            self.settings_in(&included, deeper - 1, out)?;
        }
        out.extend(settings);
        Ok(())
    }

    fn check_settings(&self, settings: &[Setting], common_dir: &Path) -> Result<(), Off> {
        for setting in settings {
            let value = setting.value.as_deref().unwrap_or("true");
            let format = match (setting.section.as_str(), setting.key.as_str()) {
                ("extensions", "refstorage") if value != "files" => {
                    format!("the {value} ref store")
                }
                ("extensions", "objectformat") if value != "sha1" => {
                    format!("{value} object names")
                }
                ("extensions", "partialclone") => "a partial clone".to_owned(),
                ("remote", "promisor") if setting.truth() == Some(true) => "a partial clone".to_owned(),
                ("extensions", "noop" | "refstorage" | "objectformat" | "worktreeconfig" | "preciousobjects") => {
                    continue;
                }
                ("extensions", other) => format!("the extension {other}"),
                ("core", "worktree") => {
                    let target = dunce::canonicalize(common_dir.join(value)).unwrap_or_else(|_| PathBuf::from(value));
                    if target == self.work_tree {
                        continue;
                    }
                    let (part, leads_to) = ("work tree (core.worktree)".to_owned(), target.display().to_string());
                    return Err(Off::Outside { part, of: WORKSPACE, leads_to });
                }
                _ => continue,
            };
            return Err(Off::Format(format));
        }
        Ok(())
    }
}
