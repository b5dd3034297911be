//! Questions of the model to a person: asked, kept in the log until they are answered, and answered once.
//! While one is open nothing runs for it and no permit is held.

use assent_policy::Cleared;
use assent_protocol::event::Payload;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::CallId;
use assent_protocol::signal::Phase;
use assent_protocol::tool::{ASK_USER, Brief};
use assent_session::answered;
use assent_store::{Durability, StoreError};
use assent_tools::{Refusal, ToolOutput};

use super::Conversation;
use super::assess::Drawn;
use super::doing::Ended;
use crate::host::Note;
use crate::tools::Question;

/// Characters of an answer at most: as much as reaches the model whole.
const LONGEST_ANSWER: usize = 8_000;

impl Drawn {
    /// Whether a person answers it.
    pub fn is_question(&self) -> bool {
        self.tool.spec().name == ASK_USER
    }
}

impl Conversation {
    /// Asks what these calls ask.
    pub(super) async fn ask_person(&mut self, calls: Vec<(Cleared, Drawn)>) -> Result<(), StoreError> {
        for (cleared, drawn) in calls {
            let Question { question, options } = match Question::read(&cleared.arguments) {
                Ok(question) => question,
                // The same arguments were read when it was judged; should they be refused now, the call has its result all the same.
                Err(Refusal { words, cause }) => {
                    let result = self.result_of_closing(drawn.call, cause, words, Brief::Done);
                    self.append(vec![Payload::ToolResult(result)], Durability::Light).await?;
                    continue;
                }
            };
            let note = Note::Question {
                conversation: self.id.clone(),
                call: drawn.call.clone(),
                line: question.lines().next().unwrap_or_default().to_owned(),
            };
            self.append(vec![Payload::QuestionAsked { call: drawn.call, question, options }], Durability::Full).await?;
            self.shared.host.notify(note);
        }
        Ok(())
    }

    /// A person's answer is the call's result. The first one counts.
    pub(super) async fn answer_question(&mut self, call: CallId, text: &str) -> Result<(), Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Failure::new(Code::Invalid, "the answer is empty"));
        }
        if text.chars().count() > LONGEST_ANSWER {
            return Err(Failure::new(Code::Invalid, format!("an answer has {LONGEST_ANSWER} characters at most")));
        }
        if !self.session.call(&call).is_some_and(assent_session::Call::is_asked) {
            let words = "that question isn't open: somebody answered it, or its turn was stopped";
            return Err(Failure::new(Code::NotPending, words));
        }
        let ended = Ended {
            call: call.clone(),
            output: ToolOutput::ok(answered(text), Brief::Done),
            spool: None,
            duration_ms: 0,
            rules: Vec::new(),
        };
        let (result, contents) = self.result_of(ended);
        let payloads = vec![Payload::QuestionAnswered { call, answer: text.to_owned() }, Payload::ToolResult(result)];
        self.append_with(payloads, Durability::Full, contents).await.map_err(|error| Self::storage(&error))?;
        if matches!(self.phase, Phase::You { .. }) {
            // Whatever follows is a new phase, even if it is another wait.
            self.enter(Phase::Saving);
        }
        Ok(())
    }
}
