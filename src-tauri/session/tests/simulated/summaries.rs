//! The made-up model that summarises: in pieces, too long, failing, or killed in the middle.
//! When it is asked is the fold's answer.

use assent_protocol::event::{CompactionFailure, Payload, Purpose, RequestSent};
use assent_protocol::ids::{CompactionId, RequestId};
use assent_protocol::view::{FailureKind, ToolChoice, Usage};
use assent_session::CompactionPlan;

use super::world::World;

impl World {
    pub fn begin_compaction(&mut self, plan: CompactionPlan) {
        let CompactionPlan { cause, until, messages, tokens_before } = plan;
        let compaction = CompactionId::new(self.name("k"));
        // Mostly one piece, sometimes many.
        let piece = if self.pick(3) == 0 { 300.0 } else { 100_000.0 };
        let instructions = None;
        self.push(Payload::CompactionStart { compaction, cause, until, messages, piece, tokens_before, instructions });
    }

    /// A part of a summary comes, or doesn't.
    pub fn summarise(&mut self) {
        let compacting = self.session.compacting().expect("a summary is being made");
        let (compaction, fallen, attempt) = (compacting.compaction.clone(), compacting.fallen, compacting.attempts + 1);
        if fallen > 1 {
            let (cause, message) = (CompactionFailure::Model, "no".to_owned());
            return self.push(Payload::CompactionFailed { compaction, cause, message });
        }
        let request = RequestId::new(self.name("r"));
        let view = self.session.aside_view(Purpose::Compaction, "m").expect("there is something to ask");
        assert_eq!(view.messages.len(), 1, "a question is one message");
        let sent = RequestSent { attempt, purpose: Purpose::Compaction, ..self.request(&request, ToolChoice::Auto, 0) };
        self.push(Payload::RequestSent(sent));
        match self.pick(8) {
            0 => self.fail_aside(request, attempt, None),
            1 => self.fail_aside(request, attempt, (attempt <= 3).then_some(1_000)),
            2 => self.crash(),
            3 => {
                let text = "a summary that is far too long ".repeat(400).into();
                self.push(Payload::CompactionPart { compaction, text });
            }
            _ => {
                self.push(Payload::CompactionPart { compaction, text: "They talked.".into() });
                let usage = Payload::UsageRecorded {
                    request,
                    purpose: Purpose::Compaction,
                    usage: Usage::default(),
                    cost_micros: None,
                    coefficient: 9.0,
                };
                self.push(usage);
            }
        }
    }

    fn fail_aside(&mut self, request: RequestId, attempt: u32, retry_in_ms: Option<u64>) {
        let (failure, message) = (FailureKind::Server, "no".to_owned());
        self.push(Payload::RequestFailed { request, failure, message, attempt, retry_in_ms });
    }
}
