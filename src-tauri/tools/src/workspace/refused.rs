//! Places that are refused by where they lie: as a workspace, and beneath one that holds them.
//! Names that are refused wherever they stand (`.ssh`, `.git`) are in `guard`.

use std::path::{Component, Path, PathBuf};

use super::guard::{Guard, read_guard, write_guard};
use super::spelling::folded;

/// Browser profiles and key rings, relative to the home folder.
const PRIVATE_IN_HOME: &[&str] = &[
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".local/share/keyrings",
    ".password-store",
    "snap/firefox",
    "snap/chromium",
    ".var/app/org.mozilla.firefox",
    ".var/app/com.google.Chrome",
    ".var/app/org.chromium.Chromium",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Chromium",
    "Library/Application Support/Firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    "Library/Safari",
    "Library/Cookies",
    "Library/Keychains",
];

/// Views into the kernel: nothing there is a file.
const KERNEL: &[&str] = &["/proc", "/sys", "/dev"];

const OWN_DATA: &str = "it holds this app's own data";
const PRIVATE: &str = "browser profiles and key rings are private";
const SYSTEM: &str = "it belongs to the system";

/// A place beneath a workspace that no tool may touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedPlace {
    /// Folded names from the root.
    names: Vec<String>,
    pub why: &'static str,
}

impl RefusedPlace {
    /// Whether `path` (relative, `/` between names) is this place or lies in it.
    pub fn covers(&self, path: &str) -> bool {
        let mut asked = path.split('/').map(folded);
        self.names.iter().all(|name| asked.next().as_ref() == Some(name))
    }
}

/// The refused places of a machine, absolute.
pub(super) struct Surroundings {
    /// The person's home folder.
    pub home: Option<PathBuf>,
    refused: Vec<(PathBuf, &'static str)>,
}

impl Surroundings {
    /// Those of this machine and person, with the app's own data folders.
    pub fn of_this_machine(own_data: &[PathBuf]) -> Self {
        let home = std::env::home_dir().map(|home| canonical(&home));
        let windows = cfg!(windows).then(|| ["SystemRoot", "ProgramData"].iter().filter_map(std::env::var_os));
        Self::new(home, own_data, windows.into_iter().flatten().map(PathBuf::from))
    }

    fn new(home: Option<PathBuf>, own_data: &[PathBuf], system: impl Iterator<Item = PathBuf>) -> Self {
        let mut refused: Vec<_> = own_data.iter().map(|folder| (canonical(folder), OWN_DATA)).collect();
        if let Some(home) = &home {
            refused.extend(PRIVATE_IN_HOME.iter().map(|place| (canonical(&home.join(place)), PRIVATE)));
            if cfg!(windows) {
                refused.push((home.join("AppData"), SYSTEM));
            }
        }
        refused.extend(system.map(|folder| (canonical(&folder), SYSTEM)));
        if cfg!(unix) {
            refused.extend(KERNEL.iter().map(|folder| (PathBuf::from(folder), SYSTEM)));
        }
        Self { home, refused }
    }

    /// Why `root` (canonical) can't be a workspace.
    pub fn refuses_root(&self, root: &Path) -> Option<String> {
        if root.parent().is_none() {
            return Some("it is the root of a whole file system or drive".to_owned());
        }
        for component in root.components() {
            let Component::Normal(name) = component else { continue };
            let name = name.to_string_lossy();
            for guard in [read_guard(&name), write_guard(&name)] {
                if let Guard::Protected(why) = guard {
                    return Some(format!("{name} is in its path, and {why}"));
                }
            }
        }
        // Windows keeps its temporary folder in AppData.
        let is_temporary = cfg!(windows) && root.starts_with(canonical(&std::env::temp_dir()));
        let held =
            self.refused.iter().find(|(place, why)| starts_with(root, place) && !(is_temporary && *why == SYSTEM));
        held.map(|(place, why)| format!("{} is refused: {why}", place.display()))
    }

    /// The refused places that lie beneath `root`.
    pub fn beneath(&self, root: &Path) -> Vec<RefusedPlace> {
        let root_names = names(root);
        let beneath = self.refused.iter().filter_map(|(place, why)| {
            let below = names(place).strip_prefix(root_names.as_slice())?.to_vec();
            Some(RefusedPlace { names: below, why })
        });
        beneath.collect()
    }
}

fn starts_with(path: &Path, place: &Path) -> bool {
    names(path).starts_with(&names(place))
}

/// The components, folded: on a file system that folds, the same place may be spelled in several ways, and where it
/// doesn't, refusing a twin that differs in case alone harms nobody.
fn names(path: &Path) -> Vec<String> {
    path.components().map(|component| folded(&component.as_os_str().to_string_lossy())).collect()
}

/// Canonical as far as the path exists, the rest appended.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(found) = dunce::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => canonical(parent).join(name),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests;
