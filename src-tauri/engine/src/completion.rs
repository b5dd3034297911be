//! What the composer offers after `@`: files of the workspace, and definitions in them. Looked for on another thread.
//! How well something fits is told where it is found.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::snapshot::SymbolHit;

use crate::engine::Engine;
use crate::handle::workspace_failure;

/// Paths offered after `@`.
const COMPLETIONS: usize = 50;
/// Definitions offered after `@`.
const SYMBOLS: usize = 20;

impl Engine {
    pub(crate) async fn complete_path(
        &self,
        conversation: &ConversationId,
        typed: &str,
    ) -> Result<Vec<String>, Failure> {
        let Some(root) = self.row(conversation)?.workspace else { return Ok(Vec::new()) };
        let workspace = self.shared.workspaces.get(&root).map_err(|error| workspace_failure(&error))?;
        let typed = typed.to_owned();
        let found =
            tokio::task::spawn_blocking(move || assent_tools::search::complete(&workspace, &typed, COMPLETIONS)).await;
        found.map_err(|_| Failure::new(Code::Other, "looking for files failed"))
    }

    pub(crate) async fn complete_symbol(
        &self,
        conversation: &ConversationId,
        typed: String,
    ) -> Result<Vec<SymbolHit>, Failure> {
        let Some(root) = self.row(conversation)?.workspace else { return Ok(Vec::new()) };
        let workspace = self.shared.workspaces.get(&root).map_err(|error| workspace_failure(&error))?;
        let symbols = self.shared.workspaces.symbols(&root);
        let found = tokio::task::spawn_blocking(move || symbols.complete(&workspace, &typed, SYMBOLS)).await;
        let found = found.map_err(|_| Failure::new(Code::Other, "looking for symbols failed"))?;
        let hit = |symbol: assent_tools::symbols::NamedSymbol| SymbolHit {
            name: symbol.name,
            kind: symbol.kind.to_owned(),
            path: symbol.path,
            line: symbol.line,
        };
        Ok(found.into_iter().map(hit).collect())
    }
}
