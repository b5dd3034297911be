//! Decides when the view must shrink, and by what. What was decided is recorded and so stays as it is.
//! It never touches the log: only what is sent gets shorter.

use std::collections::HashSet;

use assent_protocol::event::CutText;
use assent_protocol::ids::CallId;
use assent_protocol::view::ViewMessage;

use crate::fold::Session;
use crate::history::{Entry, History, cut_words, is_user};
use crate::tokens::{characters, weigh};

/// Share of the window's rest that may be filled (spec part 4).
const FILL: f64 = 0.85;
/// Share of the budget to which the view shrinks when it must (spec part 4).
pub(crate) const SHRINK: f64 = 0.70;
/// Messages at the end that are never left out (spec part 4).
const PROTECTED: usize = 6;
/// Results shorter than this, in weight, are not worth pruning.
const WORTH_PRUNING: f64 = 200.0;
/// A message that may not be left out keeps at least so many characters.
const LEAST_KEPT: u64 = 2_000;

/// A window move to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowMove {
    /// Groups before this seq are left out.
    pub keep_from: u64,
    /// Calls whose results are pruned in addition.
    pub pruned: Vec<CallId>,
    /// Messages of which only the ends are sent.
    pub cut: Vec<CutText>,
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens after.
    pub tokens_after: u64,
}

/// Tokens that a request may take of a window: `(window − min(8192, window / 4)) × 0.85`.
pub fn budget(window: u64) -> f64 {
    let reserve = (window / 4).min(8_192);
    (window - reserve) as f64 * FILL
}

/// The move that is needed before the next request, if any. `too_long` counts the provider's own "too long" answers in
/// this iteration: each halves the budget.
pub fn needed(session: &Session, too_long: u32) -> Option<WindowMove> {
    let choice = session.choice()?;
    let coefficient = choice.coefficient;
    let before = session.estimate();
    let mut budget = budget(choice.window);
    if too_long > 0 {
        budget = budget.min(before as f64) / 2f64.powi(too_long.min(8) as i32);
    } else if before as f64 <= budget {
        return None;
    }
    let room = |tokens: f64| (tokens / coefficient - session.fixed_weight()).max(0.0);
    let plan = Plan::new(session).shrink(room(budget * SHRINK), room(budget))?;
    let after = ((plan.weight + session.fixed_weight()) * coefficient).ceil() as u64;
    let Plan { keep_from, pruned, cut, .. } = plan;
    Some(WindowMove { keep_from, pruned, cut, tokens_before: before, tokens_after: after })
}

/// The move that leaves out old results only, where that is enough for the request to take `target` tokens.
pub(crate) fn prune_only(session: &Session, target: f64) -> Option<WindowMove> {
    let coefficient = session.choice()?.coefficient;
    let room = (target / coefficient - session.fixed_weight()).max(0.0);
    let mut plan = Plan::new(session);
    plan.prune(0..plan.protected_from, room);
    if plan.pruned.is_empty() || plan.weight > room {
        return None;
    }
    let tokens_after = ((plan.weight + session.fixed_weight()) * coefficient).ceil() as u64;
    let Plan { keep_from, pruned, cut, .. } = plan;
    Some(WindowMove { keep_from, pruned, cut, tokens_before: session.estimate(), tokens_after })
}

struct Plan<'a> {
    history: &'a History,
    entries: &'a [Entry],
    protected_from: usize,
    keep_from: u64,
    pruned: Vec<CallId>,
    /// The same, to be asked often.
    pruned_now: HashSet<&'a CallId>,
    cut: Vec<CutText>,
    weight: f64,
}

impl<'a> Plan<'a> {
    fn new(session: &'a Session) -> Self {
        let history = session.history();
        let entries = history.entries();
        let messages = |entry: &Entry| !matches!(entry.message.as_ref(), ViewMessage::ToolResult { .. });
        let starts: Vec<usize> = (0..entries.len()).filter(|index| messages(&entries[*index])).collect();
        let protected_from = starts.len().checked_sub(PROTECTED).map_or(0, |index| starts[index]);
        let (keep_from, weight) = (history.keep_from(), history.weight());
        let (pruned, pruned_now, cut) = (Vec::new(), HashSet::new(), Vec::new());
        Self { history, entries, protected_from, keep_from, pruned, pruned_now, cut, weight }
    }

    /// Prunes old results, then leaves out old groups, until the target is met. What is protected is only touched when it
    /// is too large by itself: then its results are pruned, oldest first, and then its texts cut, largest first. `None`:
    /// nothing could be done.
    fn shrink(mut self, target: f64, most: f64) -> Option<Self> {
        let before = self.keep_from;
        self.prune(0..self.protected_from, target);
        self.leave_out(target);
        if self.weight > most {
            self.prune(self.protected_from..self.entries.len(), target);
        }
        if self.weight > most {
            self.cut_texts(target);
        }
        (before != self.keep_from || !self.pruned.is_empty() || !self.cut.is_empty()).then_some(self)
    }

    fn prune(&mut self, range: std::ops::Range<usize>, target: f64) {
        let entries: &'a [Entry] = self.entries;
        for entry in &entries[range] {
            if self.weight <= target {
                return;
            }
            if let ViewMessage::ToolResult { call, .. } = entry.message.as_ref()
                && entry.group >= self.keep_from
                && entry.weight > WORTH_PRUNING
                && !self.history.pruned().contains(call)
                && self.pruned_now.insert(call)
            {
                self.weight -= entry.weight - entry.pruned_weight();
                self.pruned.push(call.clone());
            }
        }
    }

    /// Each entry is looked at once, however many groups go.
    fn leave_out(&mut self, target: f64) {
        let entries: &'a [Entry] = self.entries;
        let limit = entries.get(self.protected_from).map_or(0, |entry| entry.group);
        let last_user = entries.iter().rfind(|entry| is_user(entry)).map(|entry| entry.group);
        let sent = &entries[entries.partition_point(|entry| entry.group < self.keep_from)..];
        let mut groups = sent.chunk_by(|one, other| one.group == other.group).peekable();
        while self.weight > target
            && let Some(first) = groups.next()
            && let Some(after) = groups.peek().map(|group| group[0].group).filter(|group| *group <= limit)
        {
            if Some(first[0].group) != last_user {
                self.weight -= first.iter().map(|entry| self.planned_weight(entry)).sum::<f64>();
            }
            self.keep_from = after;
        }
    }

    fn planned_weight(&self, entry: &Entry) -> f64 {
        match entry.message.as_ref() {
            ViewMessage::ToolResult { call, .. } if self.pruned_now.contains(call) => entry.pruned_weight(),
            _ => self.history.sent_weight(entry),
        }
    }

    /// Cuts what may not be left out and is too large all the same.
    fn cut_texts(&mut self, target: f64) {
        let entries: &'a [Entry] = self.entries;
        let last_user = entries.iter().rfind(|entry| is_user(entry)).map(|entry| entry.group);
        let is_sent = |entry: &&Entry| entry.group >= self.keep_from || Some(entry.group) == last_user;
        let mut large: Vec<(&Entry, &str)> = entries
            .iter()
            .filter(is_sent)
            .filter_map(|entry| match entry.message.as_ref() {
                ViewMessage::User { text, .. } | ViewMessage::Assistant { text, .. } => Some((entry, text.as_str())),
                ViewMessage::ToolResult { .. } => None,
            })
            .filter(|(entry, text)| !self.history.is_cut(entry) && characters(text) > LEAST_KEPT)
            .collect();
        large.sort_by(|(one, _), (other, _)| other.weight.total_cmp(&one.weight));
        for (entry, text) in large {
            if self.weight <= target {
                return;
            }
            let whole = weigh(text);
            let share = ((whole - (self.weight - target)) / whole).max(0.0);
            let keep = ((characters(text) as f64 * share) as u64).max(LEAST_KEPT);
            let keep_size = usize::try_from(keep).unwrap_or(usize::MAX);
            self.weight -= whole - weigh(&cut_words(text, keep_size));
            self.cut.push(CutText { message: entry.group, keep });
        }
    }
}
