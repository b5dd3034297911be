//! What fills the window, for people.
//! The same figures decide when it has to shrink; here they are only told apart.

use assent_protocol::context::{ContextFile, ContextKind, ContextPart, ContextReport, NoCompaction};
use assent_protocol::event::CompactionCause;
use assent_protocol::view::{Protocol, ViewMessage};

use crate::call::CallState;
use crate::fold::Session;
use crate::history::weight_of;
use crate::tokens::weigh;
use crate::window::budget;

/// Share of the room for a request above which the model is told that it is short (spec part 4).
const PRESSURE: f64 = 0.70;

impl Session {
    /// What fills the window of the present model.
    pub fn context(&self) -> ContextReport {
        let (window, coefficient) =
            self.choice.as_ref().map_or((0, crate::tokens::UNSURE), |choice| (choice.window, choice.coefficient));
        let tokens = |weight: f64| (weight * coefficient).round().max(0.0) as u64;
        let summary = self.history.summary().map_or(0.0, weigh);
        let (mut user, mut assistant, mut results) = (-summary, 0.0, 0.0);
        for message in self.history.shown() {
            let of = match message.as_ref() {
                ViewMessage::User { .. } => &mut user,
                ViewMessage::Assistant { .. } => &mut assistant,
                ViewMessage::ToolResult { .. } => &mut results,
            };
            *of += weight_of(message);
        }
        let fixed = |content: Option<assent_protocol::tool::Stored>| crate::questions::fixed(content);
        let mut parts: Vec<ContextPart> = [
            (ContextKind::Prompt, fixed(self.prompt)),
            (ContextKind::Tools, fixed(self.tools)),
            (ContextKind::Memory, fixed(self.memory)),
            (ContextKind::Summary, summary),
            (ContextKind::User, user),
            (ContextKind::Assistant, assistant),
            (ContextKind::Results, results),
        ]
        .into_iter()
        .map(|(part, weight)| ContextPart { part, tokens: tokens(weight) })
        .filter(|part| part.tokens > 0)
        .collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.tokens));
        let limits = self.limits();
        let budget = budget(window);
        ContextReport {
            window,
            budget: budget as u64,
            used: self.estimate(),
            compacts_at: limits.compact.then_some((budget * f64::from(limits.compact_at) / 100.0) as u64),
            parts,
            left_out: self.history.left_out(),
            pruned: u32::try_from(self.history.pruned().len()).unwrap_or(u32::MAX),
            no_compaction: self.no_compaction(),
            files: self.context_files(),
        }
    }

    /// What the last result of a message says once the request after it takes more than 0.7 of its room (spec part 4).
    /// `shown` is that result, which isn't in the history yet.
    pub fn pressure_note(&self, shown: &str) -> Option<String> {
        let choice = self.choice.as_ref()?;
        let results = self.calls.iter().skip(self.placed).filter_map(|call| match &call.state {
            CallState::Done { shown } => Some(weigh(shown)),
            _ => None,
        });
        let used = (self.weight() + results.sum::<f64>() + weigh(shown)) * choice.coefficient / budget(choice.window);
        let percent = (used * 100.0).round().min(100.0);
        let words =
            "Read in smaller pieces and keep to what matters: earlier results will soon be left out or summarised.";
        (used > PRESSURE).then(|| format!("[CONTEXT: {percent} % of the space is used. {words}]"))
    }

    /// Why no summary can be made on a person's wish; none: one can.
    pub fn no_compaction(&self) -> Option<NoCompaction> {
        if self.compacting.is_some() {
            return Some(NoCompaction::UnderWay);
        }
        if self.is_generating() {
            return Some(NoCompaction::Running);
        }
        if self.choice.as_ref().is_some_and(|choice| choice.protocol == Protocol::Practice) {
            return Some(NoCompaction::Practice);
        }
        match self.plan_compaction(CompactionCause::Person) {
            Some(_) => None,
            None => Some(NoCompaction::Nothing),
        }
    }

    fn context_files(&self) -> Vec<ContextFile> {
        let changed = |path: &String| self.changed.get(path).copied().unwrap_or_default();
        let mut paths: Vec<&String> = self.seen.keys().chain(self.changed.keys()).collect();
        paths.sort();
        paths.dedup();
        let file = |path: &String| {
            let (added, removed) = changed(path);
            ContextFile { path: path.clone(), added, removed }
        };
        paths.into_iter().map(file).collect()
    }
}
