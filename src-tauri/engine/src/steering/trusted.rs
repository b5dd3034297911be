//! What a person trusts in all folders, looked at anew, and taking that back. Folders that are no project any more count too.
//! Nothing is trusted here.

use std::sync::Arc;

use assent_protocol::failure::{Code, Failure};
use assent_protocol::steering::{TrustedFile, TrustedNow};
use assent_store::{StoreError, TrustedPath};
use assent_tools::workspace::Workspace;

use super::{Looked, Trust, kind_of, look};
use crate::engine::{Engine, storage};
use crate::shared::Shared;

impl Engine {
    /// Steering files of all folders of which some content is trusted.
    pub(crate) async fn trusted(&self) -> Result<Vec<TrustedFile>, Failure> {
        let shared = Arc::clone(&self.shared);
        let listed = tokio::task::spawn_blocking(move || list(&shared)).await;
        let failed = |_| Failure::new(Code::Other, "looking at what is trusted failed");
        listed.map_err(failed)?.map_err(|error| storage(&error))
    }

    /// Has files of a folder count no longer, whatever they say.
    pub(crate) async fn distrust(&self, root: &str, paths: Vec<String>) -> Result<(), Failure> {
        self.shared.store.distrust(root, paths).await.map_err(|error| storage(&error))
    }
}

fn list(shared: &Shared) -> Result<Vec<TrustedFile>, StoreError> {
    let rows = shared.store.trusted_paths()?;
    let folders = rows.chunk_by(|one, next| one.root == next.root).map(|of_root| in_folder(shared, of_root));
    Ok(folders.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The files of one folder. What no longer steers by its place has no effect, and is left out.
fn in_folder(shared: &Shared, rows: &[TrustedPath]) -> Result<Vec<TrustedFile>, StoreError> {
    let Some(TrustedPath { root, .. }) = rows.first() else { return Ok(Vec::new()) };
    let trust = Trust::of(&shared.store, root)?;
    // A folder that isn't there, or may be no workspace, has no file that counts.
    let workspace = shared.workspaces.look(root).ok();
    let files = rows.iter().filter_map(|row| {
        Some(TrustedFile {
            kind: kind_of(&row.path)?,
            now: workspace.as_ref().map_or(TrustedNow::Missing, |workspace| now(workspace, &row.path, &trust)),
            root: row.root.clone(),
            path: row.path.clone(),
            at: row.at,
        })
    });
    Ok(files.collect())
}

fn now(workspace: &Workspace, path: &str, trust: &Trust) -> TrustedNow {
    match look(workspace, path, trust) {
        Looked::There(file) if file.trusted => TrustedNow::Trusted,
        Looked::There(_) => TrustedNow::Changed,
        Looked::Missing => TrustedNow::Missing,
        Looked::Unreadable(_) => TrustedNow::Unreadable,
    }
}
