//! Parses a source under a deadline and a stop, and finds its definitions.
//! It reads no file and keeps no tree: a tree is worth its outline alone.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tree_sitter::{ParseOptions, ParseState, Parser};

use super::language::Language;
use super::memory;
use super::outline::{Outline, outline};
use crate::search::budget::{Budget, Over};

/// Longest source, in bytes.
pub(super) const LONGEST: u64 = 1024 * 1024;
/// Most memory that a parse may hold, in bytes. The tree of a source of the greatest length takes a third of it.
const MOST_HELD: usize = 80 * 1024 * 1024;
/// Time for parsing and walking together.
pub(super) const TIME: Duration = Duration::from_millis(1_500);

/// Why there is no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unparsed {
    /// The deadline passed.
    #[error("parsing took longer than {} seconds", TIME.as_secs_f32())]
    Time,
    /// It would take too much memory.
    #[error("parsing took more than {} MB of memory", MOST_HELD / 1024 / 1024)]
    Memory,
    /// A person stopped it.
    #[error("stopped")]
    Stopped,
    /// The grammar doesn't fit the library; nothing a source can cause.
    #[error("the grammar can't be used")]
    Grammar,
}

/// The definitions of a source.
pub(super) fn definitions(source: &str, language: Language, cancel: &CancellationToken) -> Result<Outline, Unparsed> {
    memory::count();
    let budget = Budget::new(TIME, cancel);
    let before = memory::held();
    let mut is_greedy = false;
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).map_err(|_| Unparsed::Grammar)?;
    let view = language.view(source);
    let bytes = view.as_ref();
    let mut tick = |_: &ParseState| {
        is_greedy = memory::held().saturating_sub(before) > MOST_HELD;
        if is_greedy { ControlFlow::Break(()) } else { go_on(&budget) }
    };
    let options = ParseOptions::new().progress_callback(&mut tick);
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    let Some(tree) = tree else {
        return Err(match budget.over() {
            _ if is_greedy => Unparsed::Memory,
            Some(Over::Stopped) => Unparsed::Stopped,
            Some(Over::Time) | None => Unparsed::Time,
        });
    };
    Ok(outline(&tree, source, language, &mut || go_on(&budget)))
}

fn go_on(budget: &Budget<'_>) -> ControlFlow<()> {
    if budget.over().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
