//! Does what a script's acts say: requests to the engine as a front-end sends them, and what other programs do.
//! What comes of it is waited for in `play`.

use std::time::Duration;

use assent_protocol::event::{Event, Payload};
use assent_protocol::failure::Failure;
use assent_protocol::ids::{CallId, ProjectId};
use assent_protocol::permission::Scope;
use assent_protocol::request::{Request, Response};
use assent_protocol::settings::Settings;
use assent_protocol::signal::Delta;
use assent_protocol::snapshot::ConversationRow;
use assent_protocol::steering::TrustedContent;
use serde_json::Value;

use super::asked;
use super::folder;
use super::live::Live;
use super::play::Stage;
use super::random;
use super::script::{Act, ONLY, What};
use super::words::{code_word, phase_words, words};
use crate::fake_server::FakeServer;

/// Turns that every task gets after time has passed.
const YIELDS: usize = 16;

impl Stage {
    pub(super) fn act(&mut self, act: &Act) {
        match &act.what {
            What::At(gate) => {
                self.say(&format!("> at {gate:?}"));
                let name = gate.clone();
                self.wait_until(&format!("arrival at {gate:?}"), |stage| {
                    stage.gates.is_waiting_at(&name)
                        || stage.server.as_ref().is_some_and(|server| server.is_waiting_at(&name))
                });
                self.rest();
            }
            What::Until(kind) => {
                let (kind, conversation) = (kind.clone(), self.conversation(&act.on));
                self.wait_until(&format!("{kind} event"), |stage| {
                    let fresh =
                        |live: &Live| live.events[live.printed..].iter().any(|event| event.payload.kind() == kind);
                    stage.lives.get(&conversation).is_some_and(fresh)
                });
            }
            What::UntilOutput(text) => {
                let text = text.clone();
                self.wait_until(&format!("output {text:?}"), |stage| {
                    stage.lives.values().any(|live| live.output.contains(&text))
                });
            }
            What::Any(dice) => match random::act(self, *dice) {
                Some(act) => self.act(&act),
                None => self.say("= nothing can be done"),
            },
            What::Open(gate) => {
                self.say(&format!("> open {gate:?}"));
                self.gates.open(gate);
                if let Some(server) = &self.server {
                    server.release(gate);
                }
            }
            What::Write { path, text } => {
                self.say(&format!("> another program writes {path}"));
                self.written_outside.push(path.clone());
                folder::write(&self.folders.root, path, text).expect("the file can be written");
            }
            What::Remove { path } => {
                self.say(&format!("> another program removes {path}"));
                self.written_outside.push(path.clone());
                std::fs::remove_file(self.folders.root.join(path)).expect("the file can be removed");
            }
            What::Pass { ms } => {
                self.say(&format!("> {ms} ms pass"));
                assert!(self.script.is_paused, "time passes by itself in this script");
                self.pass(Duration::from_millis(*ms));
            }
            What::Restart => {
                self.say("> restart");
                self.close();
                self.open();
            }
            What::Upgrade => {
                self.say("> restart as the next version");
                self.close();
                self.watch.upgrade();
                self.open();
            }
            What::InHome { words, act } => {
                self.say(&format!("> {words}"));
                act(&self.folders.home);
            }
            What::Standing
            | What::Todo
            | What::Inbox
            | What::Trusted
            | What::Request { .. }
            | What::Beats
            | What::Snapshot
            | What::Asked => self.show(act),
            What::Together(acts) => self.together(acts),
            What::Fork { name, .. } | What::Resend { name, .. } => self.fork(act, name),
            What::Carry { name, change } => self.carry(&act.on, name, *change),
            _ => self.request(act),
        }
    }

    /// What is asked of the engine only to be shown.
    fn show(&mut self, act: &Act) {
        let conversation = self.conversation(&act.on);
        match &act.what {
            What::Standing => match self.ask(Request::Standing { conversation }) {
                Ok(Response::Standing(standing)) => self.say(&format!("= {}", phase_words(&standing.phase))),
                other => panic!("{other:?}"),
            },
            What::Todo => match self.ask(Request::Open { conversation }) {
                Ok(Response::Open(opened)) => {
                    let steps = opened.todo.iter().map(|item| format!(" {:?} {:?}", item.state, item.text));
                    self.say(&format!("= steps{}", steps.collect::<String>()));
                }
                other => panic!("{other:?}"),
            },
            What::Inbox => {
                let Ok(Response::Inbox(rows)) = self.ask(Request::Inbox {}) else { panic!("the inbox can be read") };
                let Ok(Response::Questions(asked)) = self.ask(Request::Questions {}) else {
                    panic!("they can be read")
                };
                let cards = rows.iter().map(|row| format!(" {} {:?}", row.tool, row.card.reason.line()));
                let asked = asked.iter().map(|row| format!(" asks {:?}", row.question));
                let lines: String = cards.chain(asked).collect();
                self.say(&format!("= inbox{lines}"));
            }
            What::Trusted => {
                let Ok(Response::Trusted(files)) = self.ask(Request::Trusted {}) else { panic!("it can be listed") };
                let root = self.folders.root.to_string_lossy();
                assert!(files.iter().all(|file| file.root == root), "{files:?} are of {root}");
                let files = files.iter().map(|file| format!(" {} {:?} {:?}", file.path, file.kind, file.now));
                self.say(&format!("= trusted{}", files.collect::<String>()));
            }
            What::Beats => {
                let beats = self.lives.get_mut(&conversation).map(|live| std::mem::take(&mut live.beats));
                self.say(&format!("= said again {} times", beats.unwrap_or_default()));
            }
            What::Snapshot => self.snapshot(&act.on),
            What::Request { number } => {
                let recomputed = self.engine().recompute(&conversation, |counted, _| counted == *number);
                let body: Value =
                    serde_json::from_slice(&recomputed.expect("it was sent").body).expect("a body is JSON");
                let messages = body["messages"].as_array().into_iter().flatten();
                messages
                    .filter(|message| message["role"] != "system")
                    .for_each(|message| self.say(&format!("= {message}")));
            }
            What::Asked => {
                let requests = self.server.as_ref().map(FakeServer::requests).unwrap_or_default();
                let fresh: Vec<String> = requests.iter().skip(self.asked).map(asked::shape).collect();
                self.asked = requests.len();
                fresh.iter().for_each(|shape| self.say(&format!("= asked {shape}")));
            }
            other => panic!("{other:?} shows nothing"),
        }
    }

    fn pass(&mut self, time: Duration) {
        self.lives.values_mut().for_each(|live| live.beats = 0);
        self.runtime().block_on(async {
            tokio::time::advance(time).await;
            // Whoever was woken by that gets its turn before anyone asks whether all is at rest.
            for _ in 0..YIELDS {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Acts that are requests to the engine.
    fn request(&mut self, act: &Act) {
        self.is_held &= !is_human_act(&act.what);
        let words = format!("> {}", words(&act.what));
        let line = if act.on == ONLY { words } else { format!("{} {words}", act.on) };
        self.say(&line);
        let request = self.to_request(act);
        if let What::Slots { global, .. } = act.what {
            self.slots = global as usize;
        }
        let is_left = matches!(request, Request::Delete { .. });
        match self.ask(request) {
            Ok(_) if is_left => {
                let conversation = self.conversation(&act.on);
                self.lives.entry(conversation).or_default().is_left = true;
            }
            Ok(Response::CheckAgain(found) | Response::RefreshPrompt(found)) => self.say(&format!("= {found}")),
            Ok(_) => {}
            Err(failure) => self.refused(&failure),
        }
    }

    /// What makes another conversation of one. What the two have in common is known to it and not shown again.
    fn fork(&mut self, act: &Act, name: &str) {
        self.is_held = false;
        self.say(&format!("{} > {}", act.on, words(&act.what)));
        let conversation = self.conversation(&act.on);
        let messages: Vec<&Event> = self.lives[&conversation].events.iter().filter(|event| is_message(event)).collect();
        let nth = |number: usize| *messages.get(number - 1).expect("there are as many messages");
        let request = match &act.what {
            What::Fork { message, .. } => Request::Fork { conversation, seq: nth(*message).seq },
            What::Resend { message, text, .. } => {
                let Payload::UserMessage { message, attachments, .. } = &nth(*message).payload else {
                    panic!("only a person's message is said anew")
                };
                let (message, attachments) = (message.clone(), attachments.clone());
                Request::Resend { conversation, message, text: text.clone(), attachments }
            }
            other => panic!("{other:?} makes no fork"),
        };
        match self.ask(request) {
            Ok(Response::Fork(row) | Response::Resend(row)) => {
                self.goes_on(name, row);
            }
            Ok(other) => panic!("{other:?}"),
            Err(failure) => self.refused(&failure),
        }
    }

    /// From now on this fork is part of the script; what it has in common with its origin isn't printed again.
    pub(super) fn goes_on(&mut self, name: &str, row: ConversationRow) {
        let common = row.fork.as_ref().expect("a fork says of what").seq;
        self.lives.insert(row.id.clone(), Live::default());
        self.catch_up(&row.id);
        if let Some(live) = self.lives.get_mut(&row.id) {
            live.printed = live.events.iter().filter(|event| event.seq <= common).count();
        }
        self.conversations.push((name.to_owned(), row.id));
    }

    pub(super) fn refused(&mut self, failure: &Failure) {
        self.say(&format!("! {}: {}", code_word(failure), failure.message));
    }

    /// What a window gets now has to be all that was heard of, and what is happening.
    fn snapshot(&mut self, on: &str) {
        let conversation = self.conversation(on);
        let opened = match self.ask(Request::Open { conversation: conversation.clone() }) {
            Ok(Response::Open(opened)) => opened,
            other => panic!("{other:?}"),
        };
        assert_eq!(opened.seq, self.lives[&conversation].session.seq(), "the snapshot is of another moment");
        let words = |delta: &Delta| match delta {
            Delta::Text { part, offset, text, .. } => format!(" {part:?} from {offset} {text:?}"),
            Delta::Writing { name, target, .. } => format!(" writing {name} {target:?}"),
            Delta::Output { offset, text, .. } => format!(" output from {offset} {text:?}"),
            Delta::Phase { phase, .. } => format!(" {}", phase_words(phase)),
        };
        let live: Vec<String> = opened.live.iter().map(words).collect();
        let kinds =
            opened.events.iter().filter(|event| matches!(event.payload, Payload::AssistantChunk { .. })).count();
        self.say(&format!("= snapshot with {kinds} chunks, live:{}", live.join(",")));
    }

    fn together(&mut self, acts: &[Act]) {
        self.is_held &= !acts.iter().any(|act| is_human_act(&act.what));
        let all: Vec<String> = acts.iter().map(|act| words(&act.what)).collect();
        self.say(&format!("> together: {}", all.join("; ")));
        let requests: Vec<Request> = acts.iter().map(|act| self.to_request(act)).collect();
        let engine = self.engine();
        let asked = requests.into_iter().map(|request| engine.handle(request));
        let answers = self.runtime().block_on(futures_util::future::join_all(asked));
        let mut lines: Vec<String> = answers
            .into_iter()
            .map(|answer| match answer {
                Ok(_) => "= done".to_owned(),
                Err(failure) => format!("! {}: {}", code_word(&failure), failure.message),
            })
            .collect();
        lines.sort();
        lines.iter().for_each(|line| self.say(line));
    }

    fn to_request(&self, act: &Act) -> Request {
        let conversation = self.conversation(&act.on);
        let live = &self.lives[&conversation];
        match &act.what {
            What::Send { text, delivery, reject, files } => {
                let attachments = files.iter().map(|(name, bytes)| {
                    let engine = self.engine();
                    let attached = self.runtime().block_on(engine.attach(&conversation, name, bytes.clone()));
                    attached.expect("it can be attached")
                });
                let (text, attachments) = (text.clone(), attachments.collect());
                Request::Send {
                    conversation: conversation.clone(),
                    text,
                    delivery: *delivery,
                    reject: *reject,
                    attachments,
                }
            }
            What::Approve { call, card, breadth, note } => {
                live.approve(self.call(*call), *card, *breadth, note.clone())
            }
            What::Reject { call, note } => Request::Reject { call: self.call(*call), note: note.clone() },
            What::RevokeRule { call } => {
                let call = self.call(*call);
                let made = live.events.iter().find_map(|event| match &event.payload {
                    Payload::ApprovalDecided { call: of, scope: Scope::Conversation { rule }, .. } if *of == call => {
                        Some(rule.clone())
                    }
                    _ => None,
                });
                Request::RevokeRule { conversation, rule: made.expect("a rule was made with that call") }
            }
            What::Answer { call, text } => Request::AnswerQuestion { call: self.call(*call), text: text.clone() },
            What::Stop => Request::Stop { conversation },
            What::Continue => Request::ContinueTurn { conversation },
            What::Keep => {
                let discarded = live.events.iter().rev().find_map(|event| match &event.payload {
                    Payload::AssistantDiscarded { request, .. } => Some(request.clone()),
                    _ => None,
                });
                Request::KeepDiscarded { conversation, request: discarded.expect("an answer was discarded") }
            }
            What::Edit { item, text } => {
                Request::EditQueued { conversation, item: self.item(*item), text: text.clone() }
            }
            What::Move { item, before } => {
                let before = before.map(|before| self.item(before));
                Request::MoveQueued { conversation, item: self.item(*item), before }
            }
            What::Redeliver { item, delivery } => {
                Request::RedeliverQueued { conversation, item: self.item(*item), delivery: *delivery }
            }
            What::Withdraw { item } => Request::WithdrawQueued { conversation, item: self.item(*item) },
            What::SetMode(mode) => Request::SetMode { conversation, mode: *mode },
            What::Choose(model) => Request::SetModel { conversation, choice: self.choice(model) },
            What::SetLimits(limits) => Request::SetLimits { conversation, limits: *limits },
            What::Slots { global, conversation } => {
                let (global_slots, conversation_slots) = (*global, *conversation);
                let settings = self.engine().settings();
                Request::SaveSettings { settings: Settings { global_slots, conversation_slots, ..settings } }
            }
            What::Defaults(limits) => {
                Request::SaveSettings { settings: Settings { limits: *limits, ..self.engine().settings() } }
            }
            What::Resolve { call, done } => Request::Resolve { call: self.call(*call), done: *done },
            What::CheckAgain { call } => Request::CheckAgain { call: self.call(*call) },
            What::Revert { call } => Request::Revert { call: self.call(*call) },
            What::Trust { paths } => self.to_trust(paths),
            What::Distrust { paths } => {
                let root = self.folders.root.to_string_lossy().into_owned();
                Request::Distrust { root, paths: paths.clone() }
            }
            What::RefreshPrompt => Request::RefreshPrompt { conversation },
            What::Delete => Request::Delete { conversation },
            What::Compact { instructions } => Request::Compact { conversation, instructions: instructions.clone() },
            What::Rename(title) => Request::Rename { conversation, title: title.clone() },
            other => panic!("{other:?} is no request"),
        }
    }

    /// Trusts these files as they are listed now.
    fn to_trust(&self, paths: &[String]) -> Request {
        let project = self.project();
        let Ok(Response::Steering(found)) = self.ask(Request::Steering { project: project.clone() }) else {
            panic!("the files can be listed")
        };
        let files = found.files.into_iter().filter(|file| paths.contains(&file.path));
        let files = files.filter_map(|file| Some(TrustedContent { path: file.path, hash: file.hash? })).collect();
        Request::Trust { project, files }
    }

    /// The folder as a project.
    fn project(&self) -> ProjectId {
        let (engine, root) = (self.engine(), self.folders.root.to_string_lossy());
        self.runtime().block_on(engine.open_folder(&root, true)).expect("the folder can be opened").id
    }

    fn call(&self, number: usize) -> CallId {
        let name = format!("c{number}");
        CallId::new(self.names.id(&name).unwrap_or_else(|| panic!("there is no call {name}\n{}", self.text)))
    }

    fn item(&self, number: usize) -> assent_protocol::ids::ItemId {
        let name = format!("i{number}");
        assent_protocol::ids::ItemId::new(self.names.id(&name).unwrap_or_else(|| panic!("there is no item {name}")))
    }
}

fn is_message(event: &Event) -> bool {
    matches!(event.payload, Payload::UserMessage { .. } | Payload::AssistantMessage(_))
}

fn is_human_act(what: &What) -> bool {
    matches!(
        what,
        What::Compact { .. }
            | What::Send { .. }
            | What::Approve { .. }
            | What::Reject { .. }
            | What::Answer { .. }
            | What::Continue
    )
}
