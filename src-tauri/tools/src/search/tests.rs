//! What searching must hold, on real folders, and the ground that tests of reading tools stand on.
//! Speed is printed once and judged nowhere.

mod cases;
mod files;
mod grep;
mod line;
mod rules;

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assent_protocol::tool::Outcome;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) use crate::fixture::CANARY;
use crate::fixture::Fixture;
use crate::tool::{Refusal, Running, Tool, ToolOutput};

/// A workspace on disk, its calls given as text, and a stop at hand.
pub(crate) struct Ground {
    pub(crate) fixture: Fixture,
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) cancel: CancellationToken,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let fixture = Fixture::new();
        let (root, out) = (fixture.root.clone(), fixture.out.clone());
        Self { fixture, root, out, cancel: CancellationToken::new() }
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        self.fixture.write(path, content);
        self
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        std::fs::create_dir_all(self.root.join(path).parent().unwrap()).unwrap();
        self.fixture.link(target, path);
        self
    }

    pub(crate) fn pipe(&self, path: &str) -> &Self {
        self.fixture.pipe(path);
        self
    }

    /// Assesses a call, has it cleared, and reads.
    pub(crate) fn call(&self, tool: impl Borrow<Arc<dyn Tool>>, arguments: Value) -> Result<ToolOutput, Refusal> {
        let tool = tool.borrow();
        let cleared = self.fixture.clear(tool, arguments)?;
        assert!(cleared.read_only, "looking changes nothing");
        Ok(self.fixture.looking(|looking| {
            tool.read(&cleared, &Running { looking: *looking, cancel: &self.cancel, live: &|_, _| (), spool: &|| None })
        }))
    }

    /// The text of a call, with a word before it where it was refused.
    pub(crate) fn text(&self, tool: impl Borrow<Arc<dyn Tool>>, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Ok(output) => {
                assert!(output.full.len() <= 8_192, "{} bytes are more than a model gets whole", output.full.len());
                let refused = if output.outcome == Outcome::Rejected { "REFUSED " } else { "" };
                format!("{refused}{}", String::from_utf8(output.full).unwrap())
            }
            Err(refusal) => format!("REFUSED {}", refusal.words),
        }
    }
}
