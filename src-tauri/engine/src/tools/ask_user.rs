//! `ask_user`: a question to the person, with answers on offer; the turn waits for the answer.
//! Here is what a call means; it is asked, kept and answered by the conversation that makes it.

use std::sync::Arc;

use assent_protocol::assessment::{Assessment, Reach, Reason};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::ASK_USER;
use assent_tools::{Looking, Refusal, Tool, ToolSpec, arguments};
use serde_json::{Map, Value};

/// Characters of a question at most.
const LONGEST: usize = 2_000;
/// Answers on offer at most.
const MOST_OPTIONS: usize = 8;
/// Characters of an answer on offer at most.
const LONGEST_OPTION: usize = 200;

/// Arguments of `ask_user`.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// One question, in the user's language.
    pub question: String,
    /// Short answers to choose from, where there are some; the user may always write another one.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Question {
    /// Reads arguments.
    ///
    /// # Errors
    /// When they don't fit, with words for the model.
    pub fn read(given: &Map<String, Value>) -> Result<Self, Refusal> {
        let read: Self = arguments::read(given)?;
        let question = Self {
            question: read.question.trim().to_owned(),
            options: read.options.iter().map(|option| option.trim().to_owned()).collect(),
        };
        match question.trouble() {
            Some(words) => Err(Refusal::bad_arguments(format!("It was not asked: {words}."))),
            None => Ok(question),
        }
    }

    fn trouble(&self) -> Option<String> {
        let Self { question, options } = self;
        if question.is_empty() {
            return Some("the question is empty".to_owned());
        }
        if question.chars().count() > LONGEST {
            return Some(format!("a question has {LONGEST} characters at most"));
        }
        if options.len() > MOST_OPTIONS {
            return Some(format!("there are {MOST_OPTIONS} options at most"));
        }
        if options.iter().any(|option| option.is_empty() || option.chars().count() > LONGEST_OPTION) {
            return Some(format!("an option has one to {LONGEST_OPTION} characters"));
        }
        let is_twice = |(index, option): (usize, &String)| options[..index].contains(option);
        options.iter().enumerate().any(is_twice).then(|| "an option stands there twice".to_owned())
    }
}

struct AskUser {
    spec: ToolSpec,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    Arc::new(AskUser {
        spec: ToolSpec {
            name: ASK_USER,
            version: 1,
            description: "Asks the user one question and waits for the answer. Only for what you can't find out \
                          yourself and can't go on without.",
            parameters: arguments::schema::<Question>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, _looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let Question { question, .. } = Question::read(given)?;
        Ok(Assessment {
            tier: Tier::Low,
            read_only: true,
            touches: Vec::new(),
            preview: Preview::Read { path: question.clone(), bytes: 0 },
            reason: Reason::Look { target: question },
            reach: Reach { inside: true, ..Reach::default() },
            argv: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(question: &str, options: &[&str]) -> Option<String> {
        let given = serde_json::json!({ "question": question, "options": options });
        Question::read(given.as_object().unwrap()).err().map(|refusal| refusal.words)
    }

    #[test]
    fn a_question_is_one_and_its_options_differ() {
        assert_eq!(trouble("Which one?", &["a", "b"]), None);
        assert_eq!(trouble(" ", &[]).as_deref(), Some("It was not asked: the question is empty."));
        assert_eq!(trouble("?", &["a", " a "]).as_deref(), Some("It was not asked: an option stands there twice."));
        assert_eq!(trouble("?", &["a", ""]).as_deref(), Some("It was not asked: an option has one to 200 characters."));
        assert_eq!(
            trouble("?", &["1", "2", "3", "4", "5", "6", "7", "8", "9"]).as_deref(),
            Some("It was not asked: there are 8 options at most.")
        );
        assert_eq!(
            trouble(&"长".repeat(2_001), &[]).as_deref(),
            Some("It was not asked: a question has 2000 characters at most.")
        );
    }
}
