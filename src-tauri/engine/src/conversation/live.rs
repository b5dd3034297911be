//! What is happening now, for snapshots: output so far of running calls. Text so far stands with the stream itself.
//! Never stored; after a result the log has the whole output.

use std::collections::HashMap;

use assent_protocol::event::Payload;
use assent_protocol::ids::CallId;
use assent_protocol::signal::Delta;
use assent_session::{CallState, Session};

use super::doing::Printed;

/// How much of a running call's output a snapshot carries, in bytes.
const TAIL: usize = 64 * 1024;

/// Output so far of running calls.
#[derive(Debug, Default)]
pub(super) struct Live {
    outputs: HashMap<CallId, Output>,
}

#[derive(Debug, Default)]
struct Output {
    /// The newest text.
    tail: String,
    /// Bytes of text before `tail`.
    before: u64,
    /// Bytes of a character that isn't complete.
    rest: Vec<u8>,
    /// Bytes that came, with those that were left out.
    came: u64,
    /// When something came last.
    at: i64,
}

impl Live {
    /// Takes output; returns the delta that says so, if it made any text.
    pub fn take(&mut self, printed: &Printed, at: i64) -> Option<Delta> {
        let Printed { call, offset, bytes } = printed;
        let output = self.outputs.entry(call.clone()).or_default();
        output.at = at;
        let bytes = output.leave_out(*offset, bytes);
        output.came = *offset + printed.bytes.len() as u64;
        let text = output.decode(bytes);
        if text.is_empty() {
            return None;
        }
        let offset = output.before + output.tail.len() as u64;
        output.tail.push_str(&text);
        output.trim();
        Some(Delta::Output { call: call.clone(), offset, text })
    }

    /// When a call's output came last.
    pub fn output_at(&self, call: &CallId) -> Option<i64> {
        self.outputs.get(call).map(|output| output.at)
    }

    /// The call ended: its output is in the log.
    pub fn ended(&mut self, call: &CallId) {
        self.outputs.remove(call);
    }

    /// Nothing runs any more.
    pub fn clear(&mut self) {
        self.outputs.clear();
    }

    /// What a snapshot carries.
    pub fn deltas(&self) -> Vec<Delta> {
        let delta = |(call, output): (&CallId, &Output)| Delta::Output {
            call: call.clone(),
            offset: output.before,
            text: output.tail.clone(),
        };
        self.outputs.iter().map(delta).collect()
    }
}

impl Output {
    /// Notes what was left out before `offset`, and returns what can be shown of `bytes`: after a hole, from the first
    /// character that is whole.
    fn leave_out<'a>(&mut self, offset: u64, bytes: &'a [u8]) -> &'a [u8] {
        /// Bytes of the longest character, less the first.
        const MOST_FOLLOWING: usize = 3;
        let left_out = offset.saturating_sub(self.came);
        if left_out == 0 {
            return bytes;
        }
        let is_following = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        let cut = bytes.iter().take(MOST_FOLLOWING).take_while(|byte| is_following(byte)).count();
        self.before += (self.tail.len() + self.rest.len() + cut) as u64 + left_out;
        self.tail.clear();
        self.rest.clear();
        &bytes[cut..]
    }

    /// Valid UTF-8 of what came so far; an incomplete character waits for its rest, other bytes become U+FFFD.
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut text = String::with_capacity(rest.len());
        let mut from = rest.as_slice();
        loop {
            match std::str::from_utf8(from) {
                Ok(valid) => {
                    text.push_str(valid);
                    return text;
                }
                Err(error) => {
                    let (valid, after) = from.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    match error.error_len() {
                        Some(length) => {
                            text.push(char::REPLACEMENT_CHARACTER);
                            from = &after[length..];
                        }
                        None => {
                            self.rest = after.to_vec();
                            return text;
                        }
                    }
                }
            }
        }
    }

    fn trim(&mut self) {
        if self.tail.len() <= 2 * TAIL {
            return;
        }
        let mut cut = self.tail.len() - TAIL;
        while !self.tail.is_char_boundary(cut) {
            cut += 1;
        }
        self.before += cut as u64;
        self.tail.drain(..cut);
    }
}

/// Whether an event changes what the list of conversations shows, which `before` is the fold of.
pub(super) fn changes_row(payload: &Payload, before: &Session) -> bool {
    match payload {
        // A call that ran no longer waited for anybody, so nothing of that ends with it.
        Payload::ToolResult(result) => {
            !before.call(&result.call).is_some_and(|call| matches!(call.state, CallState::Executing { .. }))
        }
        Payload::AssistantChunk { .. }
        | Payload::RequestSent(_)
        | Payload::RequestFailed { .. }
        | Payload::IterationStart { .. }
        | Payload::IterationEnd { .. }
        | Payload::ToolStarted { .. }
        | Payload::PromptSet { .. }
        | Payload::ToolsSet { .. }
        | Payload::LimitsSet { .. }
        | Payload::UsageRecorded { .. }
        | Payload::AgentStarted { .. }
        | Payload::AgentEnded { .. }
        | Payload::WindowMoved { .. }
        | Payload::MemorySet { .. }
        | Payload::CompactionStart { .. }
        | Payload::CompactionPart { .. }
        | Payload::CompactionEnd { .. }
        | Payload::CompactionFailed { .. }
        | Payload::AssistantMessage(_)
        | Payload::ToolCall(_)
        | Payload::RuleRevoked { .. }
        | Payload::Unknown(_) => false,
        Payload::ConversationCreated { .. }
        | Payload::TitleSet { .. }
        | Payload::ConversationArchived { .. }
        | Payload::ModelSet { .. }
        | Payload::FallbacksSet { .. }
        | Payload::ProviderSwitched { .. }
        | Payload::ModeSet { .. }
        | Payload::UserMessage { .. }
        | Payload::TurnStart { .. }
        | Payload::TurnStop {}
        | Payload::TurnEnd { .. }
        | Payload::AssistantDiscarded { .. }
        | Payload::ApprovalRequested { .. }
        | Payload::ApprovalDecided { .. }
        | Payload::QuestionAsked { .. }
        | Payload::QuestionAnswered { .. }
        | Payload::ToolResolved { .. }
        | Payload::EffectReverted { .. }
        | Payload::QueueEdited { .. }
        | Payload::QueueTaken { .. } => true,
    }
}

#[cfg(test)]
mod tests;
