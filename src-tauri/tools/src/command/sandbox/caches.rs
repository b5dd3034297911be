//! Folders outside of the workspace that commands may write to: the caches of package tools, without which no build runs.
//! Everything a tool installs, configures or logs in with is left out.

use std::path::{Path, PathBuf};

/// The caches that exist on this machine. None of them holds the home folder, and none lies where a command could put a
/// link in its place: in the workspace, or in another cache.
pub(super) fn caches(workspace: &Path) -> Vec<PathBuf> {
    let Some(home) = std::env::home_dir().filter(|home| home.is_absolute()) else { return Vec::new() };
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cargo = variable("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
    let go = variable("GOPATH").unwrap_or_else(|| home.join("go"));
    let listed = [
        variable("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")),
        // cargo: packages, clones, and the locks that it takes even to read them.
        cargo.join("registry"),
        cargo.join("git"),
        cargo.join(".package-cache"),
        cargo.join(".package-cache-mutate"),
        variable("npm_config_cache").unwrap_or_else(|| home.join(".npm")),
        variable("PIP_CACHE_DIR").unwrap_or_else(|| home.join(".cache/pip")),
        variable("GOCACHE").unwrap_or_else(|| home.join(".cache/go-build")),
        variable("GOMODCACHE").unwrap_or_else(|| go.join("pkg/mod")),
        go.join("pkg/sumdb"),
    ];
    safe(&listed, workspace, &home)
}

fn safe(listed: &[PathBuf], workspace: &Path, home: &Path) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = vec![workspace.to_owned()];
    let mut kept = Vec::new();
    for cache in listed {
        let Ok(real) = dunce::canonicalize(cache) else { continue };
        let is_within = open.iter().any(|open| cache.starts_with(open) || real.starts_with(open));
        let is_too_wide = home.starts_with(&real) || workspace.starts_with(&real);
        if !is_within && !is_too_wide {
            open.extend([cache.clone(), real.clone()]);
            kept.push(real);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
