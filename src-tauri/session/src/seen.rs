//! What is known of files: which content the model saw, which secrets it may read, and what its calls changed.
//! Nothing here looks at a disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use assent_protocol::event::ToolResult;
use assent_protocol::ids::Sha;
use assent_protocol::permission::Verdict;
use assent_protocol::tool::{FileEffect, Outcome};

use crate::fold::Session;

impl Session {
    /// A secret that a person let be read and that was read is not asked for again. Not before: until it has run, the
    /// call has to be what its card shows. A repository elsewhere is no file of the workspace: nothing asks for it here.
    pub(crate) fn note_secret(&mut self, position: usize, result: &ToolResult) {
        let judged = self.calls[position].judged.as_ref();
        let asked = judged.filter(|judged| judged.read_only && judged.verdict == Verdict::Ask);
        if let Some(judged) = asked.filter(|_| result.outcome == Outcome::Ok) {
            let paths = judged.paths.clone();
            Arc::make_mut(&mut self.secrets).extend(paths);
        }
    }

    pub(crate) fn note_seen(&mut self, path: &str, hash: Option<Sha>) {
        match hash {
            Some(hash) => Arc::make_mut(&mut self.seen).insert(path.to_owned(), hash),
            None => Arc::make_mut(&mut self.seen).remove(path),
        };
    }

    pub(crate) fn note_changed(&mut self, effect: &FileEffect) {
        let lines = self.changed.entry(effect.path.clone()).or_default();
        lines.0 = lines.0.saturating_add(effect.added);
        lines.1 = lines.1.saturating_add(effect.removed);
    }

    /// Files that calls of this conversation changed, with the lines added and removed, by path. What was taken back is
    /// not among them.
    pub fn changed_files(&self) -> &BTreeMap<String, (u32, u32)> {
        &self.changed
    }
}
