//! Shows that every part of a repository lies in the workspace before libgit2 opens it, and that none can block it.
//! It reads the repository's own configuration text and refuses what libgit2 can't read; it opens no repository.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::config::{self, Setting};
use super::off::Off;
use crate::search::folder::{Folder, Kind};
use crate::workspace::{Form, Place, Workspace};

/// Most files below a git dir that are looked at: packing keeps real ones far below.
const MOST_FILES: usize = 400_000;
/// Longest configuration, list of alternates or pointer that is read, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// How deep alternates and includes may lead on.
const DEEPEST: usize = 5;

/// A repository whose parts are all in the workspace.
#[derive(Debug)]
pub(super) struct Contained {
    /// The git dir, absolute.
    pub(super) git_dir: PathBuf,
    /// The same, relative to the workspace root; empty when the workspace is a bare repository itself.
    pub(super) inner: &'static str,
    /// Its settings.
    pub(super) settings: Vec<Setting>,
}

/// Checks the repository at the workspace's root.
pub(super) fn contained(workspace: &Workspace) -> Result<Contained, Off> {
    let place = workspace.place("").map_err(|refusal| unusable(refusal.words))?;
    let root = Folder::open(workspace, &place).map_err(|refusal| unusable(refusal.words))?;
    let (inner, git) = match root.stat(".git").map(|stat| stat.kind) {
        Ok(Kind::Folder) => {
            let git = root.folder(".git").map_err(|error| unusable(error.to_string()))?;
            (".git", git)
        }
        Ok(Kind::File) => {
            let text = root.read(".git", LONGEST).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let target = text.trim().strip_prefix("gitdir:").unwrap_or(&text).trim();
            return Err(Off::LinkedWorktree(target.chars().take(300).collect()));
        }
        Ok(Kind::Link) => {
            let target = root.link(".git").unwrap_or_default();
            let leads_to = String::from_utf8_lossy(&target).into_owned();
            return Err(Off::Outside { part: "git dir (.git is a link)".to_owned(), leads_to });
        }
        Ok(Kind::Other) => {
            return Err(Off::Part { part: "git dir".to_owned(), what: "no folder" });
        }
        Err(_) if is_bare(&root) => ("", root),
        Err(_) => return Err(repository_above(workspace.root())),
    };
    check_owner(workspace.root(), inner)?;
    let git_dir = if inner.is_empty() { workspace.root().to_owned() } else { workspace.root().join(inner) };
    let check = Check { workspace, root: workspace.root(), files: 0, seen: HashSet::new() };
    let settings = check.run(&git, &git_dir)?;
    Ok(Contained { git_dir, inner, settings })
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

fn unusable(why: String) -> Off {
    Off::Unreadable { what: "the repository can't be read", why }
}

/// Git trusts a repository's settings only from the user who runs it, or from whoever used `sudo`.
#[cfg(unix)]
fn check_owner(root: &Path, inner: &str) -> Result<(), Off> {
    check_owner_against(root, inner, rustix::process::geteuid().as_raw())
}

/// The same for the user `own`.
#[cfg(unix)]
pub(super) fn check_owner_against(root: &Path, inner: &str, own: u32) -> Result<(), Off> {
    use std::os::unix::fs::MetadataExt as _;
    let sudo = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse::<u32>().ok()).filter(|_| own == 0);
    for (path, name) in [(root.to_owned(), "the workspace folder"), (root.join(inner), "the git dir")] {
        let owner = path.symlink_metadata().map_err(|error| unusable(error.to_string()))?.uid();
        if owner != own && Some(owner) != sudo {
            return Err(Off::Owner(format!("{name} ({}, user {owner})", path.display())));
        }
    }
    Ok(())
}

/// Elsewhere libgit2's own check stands alone.
#[cfg(not(unix))]
fn check_owner(_: &Path, _: &str) -> Result<(), Off> {
    Ok(())
}

struct Check<'a> {
    workspace: &'a Workspace,
    root: &'a Path,
    files: usize,
    /// Folders that were looked at, so that links can't lead in circles.
    seen: HashSet<PathBuf>,
}

impl Check<'_> {
    fn run(mut self, git: &Folder, git_dir: &Path) -> Result<Vec<Setting>, Off> {
        for pointer in ["commondir", "gitdir"] {
            if let Some(target) = git.read(pointer, LONGEST) {
                let leads_to = String::from_utf8_lossy(&target).trim().to_owned();
                return Err(Off::Outside { part: "common dir".to_owned(), leads_to });
            }
        }
        self.files_in(git, git_dir, "", &|name| matches!(name, "objects" | "refs" | "info" | "logs"))?;
        let mut settings = Vec::new();
        self.settings_in(&git_dir.join("config"), DEEPEST, &mut settings)?;
        let is_on = |settings: &[Setting], section, key| {
            settings.iter().rev().find(|setting| setting.is(section, key)).and_then(Setting::truth) == Some(true)
        };
        if is_on(&settings, "extensions", "worktreeconfig") {
            self.settings_in(&git_dir.join("config.worktree"), DEEPEST, &mut settings)?;
        }
        self.check_settings(&settings, git_dir)?;
        self.alternates(&git_dir.join("objects"), DEEPEST)?;
        Ok(settings)
    }

    /// Looks at what is in a folder of the git dir; goes only into folders that `enters`.
    fn files_in(&mut self, folder: &Folder, path: &Path, part: &str, enters: &dyn Fn(&str) -> bool) -> Result<(), Off> {
        // Every folder is entered once, by what it is after its links.
        if !self.seen.insert(path.to_owned()) {
            return Ok(());
        }
        let entries = folder.entries().map_err(|error| unusable(error.to_string()))?;
        self.files += entries.list.len();
        if self.files > MOST_FILES || entries.is_cut {
            return Err(Off::Part { part: "git dir".to_owned(), what: "too large: pack it with `git gc`" });
        }
        for entry in entries.list {
            let name = entry.name.as_str();
            let part = if part.is_empty() { name.to_owned() } else { format!("{part}/{name}") };
            let inner = path.join(name);
            match entry.kind {
                Kind::File => {}
                Kind::Folder if enters(name) => {
                    let folder = folder.folder(name).map_err(|error| unusable(error.to_string()))?;
                    self.files_in(&folder, &inner, &part, &|_| true)?;
                }
                Kind::Folder => {}
                Kind::Link => self.link(&inner, part)?,
                // The socket of git's own file watcher; opening a socket as a file fails at once.
                Kind::Other if part == "fsmonitor--daemon.ipc" => {}
                Kind::Other => {
                    return Err(Off::Part { part, what: "a pipe or device, not a file" });
                }
            }
        }
        Ok(())
    }

    /// A link is fine when what it leads to is in the workspace, and a file or a folder of such.
    fn link(&mut self, path: &Path, part: String) -> Result<(), Off> {
        let Ok(target) = dunce::canonicalize(path) else {
            // Leads nowhere: git finds nothing there either, but it could lead outside by and by.
            let leads_to = std::fs::read_link(path).map(|target| target.display().to_string()).unwrap_or_default();
            return Err(Off::Outside { part, leads_to });
        };
        if !target.starts_with(self.root) {
            return Err(Off::Outside { part, leads_to: target.display().to_string() });
        }
        let metadata = target.metadata().map_err(|error| unusable(error.to_string()))?;
        if metadata.is_dir() {
            return self.folder_at(&target, &part);
        }
        if metadata.is_file() { Ok(()) } else { Err(Off::Part { part, what: "a pipe or device, not a file" }) }
    }

    /// A folder by its canonical path, which lies in the workspace, with what is in it.
    fn folder_at(&mut self, path: &Path, part: &str) -> Result<(), Off> {
        let folder = self.open(path)?;
        self.files_in(&folder, path, part, &|_| true)
    }

    /// Opens a folder by its canonical path, beneath the workspace's handle.
    fn open(&self, path: &Path) -> Result<Folder, Off> {
        let inner = path.strip_prefix(self.root).ok().and_then(|inner| inner.to_str());
        let inner = inner.ok_or_else(|| unusable(format!("{} is not in the workspace", path.display())))?;
        let inner = inner.replace('\\', "/");
        let place = Place { asked: inner.clone(), path: inner, form: Form::Folder };
        Folder::open(self.workspace, &place).map_err(|refusal| unusable(refusal.words))
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
            let outside = |leads_to: String| Off::Outside { part: part(), leads_to };
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
            let outside = || Off::Outside { part: "included configuration".to_owned(), leads_to: target.to_owned() };
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

    fn check_settings(&self, settings: &[Setting], git_dir: &Path) -> Result<(), Off> {
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
                    let target = dunce::canonicalize(git_dir.join(value)).unwrap_or_else(|_| PathBuf::from(value));
                    if target == self.root {
                        continue;
                    }
                    let leads_to = target.display().to_string();
                    return Err(Off::Outside { part: "work tree (core.worktree)".to_owned(), leads_to });
                }
                _ => continue,
            };
            return Err(Off::Format(format));
        }
        Ok(())
    }
}
