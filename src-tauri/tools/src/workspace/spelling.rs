//! Names on file systems that fold case or composition: whether the root does, and how a name is spelled on disk.
//! Elsewhere names are compared byte by byte, and nothing here is used.

use std::path::Path;

use cap_std::fs::Dir;
use unicode_normalization::UnicodeNormalization as _;

use super::beneath;

/// The form under which names that some file system takes for one are equal: compatibility-composed, lower case,
/// without the characters that HFS+ ignores. Wider than any single file system, which is the safe side for guards.
pub(crate) fn folded(name: &str) -> String {
    // Most names; searches ask for every path they come by.
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let visible = name.chars().filter(|character| !is_ignored(*character));
    visible.nfkc().flat_map(char::to_lowercase).nfkc().collect()
}

/// Characters that HFS+ drops from names before comparing (Apple TN1150; git's `protectHFS` uses the same list).
fn is_ignored(character: char) -> bool {
    matches!(character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Probes once whether the root takes names in another case for the same: an entry (or the root's own name in its
/// parent) is looked up with its case turned.
pub(super) fn folds(root: &Dir, root_path: &Path) -> bool {
    let entries = root.entries().into_iter().flatten().flatten().take(200);
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    for name in &names {
        let turned = turned(name);
        if turned != *name && !names.contains(&turned) {
            let (here, there) = (beneath::look(root, name), beneath::look(root, &turned));
            return matches!((here, there), (Ok(here), Ok(there)) if here.identity == there.identity);
        }
    }
    let Some(name) = root_path.file_name().and_then(|name| name.to_str()) else {
        return cfg!(any(windows, target_os = "macos"));
    };
    let turned = turned(name);
    if turned == name {
        return cfg!(any(windows, target_os = "macos"));
    }
    let sibling = root_path.with_file_name(turned);
    match (beneath::identity_of(root), Dir::open_ambient_dir(sibling, cap_std::ambient_authority())) {
        (Ok(here), Ok(there)) => beneath::identity_of(&there).is_ok_and(|there| there == here),
        _ => false,
    }
}

/// Spells each name as its folder does. A name that its folder doesn't list (a missing file) stays as it is.
pub(super) fn respell(root: &Dir, names: &mut [String]) {
    for depth in 0..names.len() {
        let Ok(folder) = beneath::open_folder(root, &names[..depth].join("/")) else {
            return;
        };
        let Ok(entries) = folder.entries() else {
            return;
        };
        let listed = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        match spelled(listed, &names[depth]) {
            Some(name) => names[depth] = name,
            None => return,
        }
    }
}

/// The listed name that is meant by `wanted`: itself if it is there, else the one that folds to the same.
fn spelled(listed: impl Iterator<Item = String>, wanted: &str) -> Option<String> {
    let fold = folded(wanted);
    let mut found = None;
    for name in listed {
        if name == wanted {
            return Some(name);
        }
        if found.is_none() && folded(&name) == fold {
            found = Some(name);
        }
    }
    found
}

fn turned(name: &str) -> String {
    let turn = |character: char| {
        if character.is_ascii_lowercase() { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() }
    };
    name.chars().map(turn).collect()
}

#[cfg(test)]
mod tests;
