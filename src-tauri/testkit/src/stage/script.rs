//! A script as data: the folder it begins with, what the model answers, and what the person does.
//! It is played by `play`; nothing here runs.

use assent_protocol::event::Delivery;
use assent_protocol::permission::Mode;
use assent_protocol::price::Price;
use assent_protocol::settings::Limits;
use assent_protocol::view::Protocol;

use super::answer::Answer;
use crate::fake_server::Reply;

/// Name of the conversation of a script that has only one.
pub(super) const ONLY: &str = "a";

/// What is played.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) files: Vec<(String, String)>,
    pub(super) has_git: bool,
    pub(super) is_worktree: bool,
    pub(super) has_folder: bool,
    pub(super) window: u64,
    pub(super) tools: bool,
    pub(super) seeing: Vec<String>,
    pub(super) price: Option<Price>,
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    pub(super) slots: Option<(u32, u32)>,
    pub(super) conversations: Vec<(String, Vec<Answer>)>,
    pub(super) agents: Vec<(String, Vec<Answer>)>,
    pub(super) fallbacks: Vec<(String, Vec<Answer>)>,
    pub(super) protocols: Vec<(String, Protocol)>,
    pub(super) acts: Vec<Act>,
    pub(super) holds: Vec<String>,
    pub(super) dying: Vec<String>,
    pub(super) refusing: Vec<String>,
    pub(super) rare: Vec<String>,
    pub(super) has_all_tools: bool,
    pub(super) is_paused: bool,
    pub(super) is_whole: bool,
    pub(super) is_named: bool,
    pub(super) supervisor: Option<String>,
    pub(super) served: Vec<Reply>,
    pub(super) seed: Option<u64>,
}

/// A script in an empty folder, in mode `ask`.
pub fn script() -> Script {
    Script {
        files: Vec::new(),
        has_git: false,
        is_worktree: false,
        has_folder: true,
        window: 128_000,
        tools: true,
        seeing: Vec::new(),
        price: None,
        mode: Mode::Ask,
        limits: Limits::default(),
        slots: None,
        conversations: Vec::new(),
        agents: Vec::new(),
        fallbacks: Vec::new(),
        protocols: Vec::new(),
        acts: Vec::new(),
        holds: Vec::new(),
        dying: Vec::new(),
        refusing: Vec::new(),
        rare: Vec::new(),
        has_all_tools: false,
        is_paused: false,
        is_whole: false,
        is_named: false,
        supervisor: None,
        served: Vec::new(),
        seed: None,
    }
}

impl Script {
    /// A file that is there from the beginning.
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.to_owned()));
        self
    }

    /// The folder is a git repository, with its files committed.
    pub fn in_git(mut self) -> Self {
        self.has_git = true;
        self
    }

    /// The folder is a linked worktree of the repository `BASE/repo`, on the branch `side`, with its files committed.
    /// `BASE/other` holds it for its worktree `second`, on the branch `foreign`, but `.git` doesn't point there.
    pub fn in_worktree(mut self) -> Self {
        self.is_worktree = true;
        self
    }

    /// The conversation has no folder.
    pub fn without_folder(mut self) -> Self {
        self.has_folder = false;
        self
    }

    /// The model's window in tokens.
    pub fn window(mut self, tokens: u64) -> Self {
        self.window = tokens;
        self
    }

    /// These models take images and PDFs; the others don't.
    pub fn seeing(mut self, models: &[&str]) -> Self {
        self.seeing.extend(models.iter().map(|name| (*name).to_owned()));
        self
    }

    /// What a million of the model's tokens cost, in dollars: input, output, and input read from a cache.
    pub fn price(mut self, input: f64, output: f64, cache_read: f64) -> Self {
        let [input, output, cache_read] = [input, output, cache_read].map(Some);
        self.price = Some(Price { input, output, cache_read, ..Price::default() });
        self
    }

    /// The mode at the beginning.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The limits at the beginning.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Model calls at once: over all conversations, and in one.
    pub fn slots(mut self, global: u32, conversation: u32) -> Self {
        self.slots = Some((global, conversation));
        self
    }

    /// What the model answers, one answer a request.
    pub fn model(self, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.conversation(ONLY, answers)
    }

    /// One more conversation, with a model of its own.
    pub fn conversation(mut self, name: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.conversations.push((name.to_owned(), answers.into_iter().collect()));
        self
    }

    /// One more model that takes over when the one before fails.
    pub fn fallback(mut self, name: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.fallbacks.push((name.to_owned(), answers.into_iter().collect()));
        self
    }

    /// The model of this name is spoken to in this protocol; without it in `chat/completions`.
    pub fn speaks(mut self, name: &str, protocol: Protocol) -> Self {
        self.protocols.push((name.to_owned(), protocol));
        self
    }

    /// Everyone who answers.
    pub(super) fn models(&self) -> impl Iterator<Item = &(String, Vec<Answer>)> {
        self.conversations.iter().chain(&self.fallbacks)
    }

    /// What happens, in order. Each act waits until everything that follows from the one before has happened.
    pub fn acts(mut self, acts: impl IntoIterator<Item = Act>) -> Self {
        self.acts.extend(acts);
        self
    }

    /// What the server sends, byte for byte, to a script that is played over HTTP alone.
    pub fn served(mut self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.conversations.push((ONLY.to_owned(), Vec::new()));
        self.served.extend(replies);
        self
    }

    /// The model answers whatever this seed makes of it, without end; see [`any`].
    pub fn random(mut self, seed: u64) -> Self {
        self.conversations.push((ONLY.to_owned(), Vec::new()));
        self.seed = Some(seed);
        self
    }

    /// Tools wait at these moments, once each: `assessing`, `prepared`, `before` or `after`, then `TOOL TARGET`.
    pub fn holds(mut self, moments: &[&str]) -> Self {
        self.holds.extend(moments.iter().map(|moment| (*moment).to_owned()));
        self
    }

    /// This tool dies in the middle of its work.
    pub fn dies(mut self, tool: &str) -> Self {
        self.dying.push(tool.to_owned());
        self
    }

    /// This tool refuses at the last moment what it assessed, every time.
    pub fn refuses(mut self, tool: &str) -> Self {
        self.refusing.push(tool.to_owned());
        self
    }

    /// These tools are not offered by name: they are found with `find_tools` and called with `call_tool`.
    pub fn rare(mut self, tools: &[&str]) -> Self {
        self.rare.extend(tools.iter().map(|tool| (*tool).to_owned()));
        self
    }

    /// The tools that need tables or conversations are there as well, as in the program.
    pub fn with_all_tools(mut self) -> Self {
        self.has_all_tools = true;
        self
    }

    /// Commands run under this program, which has to supervise when it is asked to.
    pub fn supervisor(mut self, program: &str) -> Self {
        self.supervisor = Some(program.to_owned());
        self
    }

    /// Time stands still and passes only with [`pass`].
    pub fn paused(mut self) -> Self {
        self.is_paused = true;
        self
    }

    /// Models name conversations, as they do in a window.
    pub fn named(mut self) -> Self {
        self.is_named = true;
        self
    }

    /// The expectation shows the whole log, with what every conversation begins with.
    pub fn whole(mut self) -> Self {
        self.is_whole = true;
        self
    }
}

/// One thing that a person, the clock or another program does.
#[derive(Debug, Clone)]
pub struct Act {
    pub(super) on: String,
    pub(super) what: What,
}

/// What is done. Calls and items are numbered from 1 in the order in which they first stood in the log.
#[derive(Debug, Clone)]
pub(super) enum What {
    Send { text: String, delivery: Delivery, reject: bool, files: Vec<(String, Vec<u8>)> },
    Approve { call: usize, card: Option<usize>, breadth: Option<usize>, note: Option<String> },
    Reject { call: usize, note: Option<String> },
    Answer { call: usize, text: String },
    Stop,
    Continue,
    Keep,
    Edit { item: usize, text: String },
    Move { item: usize, before: Option<usize> },
    Redeliver { item: usize, delivery: Delivery },
    Withdraw { item: usize },
    SetMode(Mode),
    SetLimits(Limits),
    Choose(String),
    Slots { global: u32, conversation: u32 },
    Defaults(Limits),
    Resolve { call: usize, done: bool },
    CheckAgain { call: usize },
    Revert { call: usize },
    Delete,
    Compact { instructions: Option<String> },
    Rename(String),
    Together(Vec<Act>),
    Standing,
    Todo,
    Inbox,
    Request { number: usize },
    Write { path: String, text: String },
    Remove { path: String },
    Trust { paths: Vec<String> },
    Distrust { paths: Vec<String> },
    Trusted,
    RefreshPrompt,
    Open(String),
    At(String),
    Until(String),
    UntilOutput(String),
    Beats,
    Snapshot,
    Asked,
    Any(u64),
    Pass { ms: u64 },
    Restart,
    Upgrade,
    RevokeRule { call: usize },
    Fork { message: usize, name: String },
    Resend { message: usize, text: String, name: String },
    InHome { words: String, act: fn(&std::path::Path) },
    Carry { name: String, change: fn(String) -> String },
}

pub(super) fn act(what: What) -> Act {
    Act { on: ONLY.to_owned(), what }
}

/// Does it in another conversation than the only one.
pub fn on(conversation: &str, act: Act) -> Act {
    Act { on: conversation.to_owned(), ..act }
}

/// Sends a message with Enter: a turn begins now or after the running one.
pub fn send(text: &str) -> Act {
    act(What::Send { text: text.to_owned(), delivery: Delivery::NextTurn, reject: false, files: Vec::new() })
}

/// Sends a message that goes in before the next model call.
pub fn steer(text: &str) -> Act {
    act(What::Send { text: text.to_owned(), delivery: Delivery::NextStep, reject: false, files: Vec::new() })
}

/// The same message with these files attached first, by name and bytes.
///
/// # Panics
/// When `message` sends none.
pub fn attaching(message: Act, files: &[(&str, &[u8])]) -> Act {
    let What::Send { text, delivery, reject, .. } = message.what else { panic!("{message:?} is no message") };
    let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    Act { what: What::Send { text, delivery, reject, files }, ..message }
}

/// Adds context that wakes nothing.
pub fn inject(text: &str) -> Act {
    act(What::Send { text: text.to_owned(), delivery: Delivery::Inject, reject: false, files: Vec::new() })
}

/// Rejects what is pending, with this text as the note.
pub fn reject_and_send(text: &str) -> Act {
    act(What::Send { text: text.to_owned(), delivery: Delivery::NextTurn, reject: true, files: Vec::new() })
}

/// Approves a call by the card that is shown now.
pub fn approve(call: usize) -> Act {
    act(What::Approve { call, card: None, breadth: None, note: None })
}

/// Approves a call by the `card`-th card that was ever shown for it.
pub fn approve_card(call: usize, card: usize) -> Act {
    act(What::Approve { call, card: Some(card), breadth: None, note: None })
}

/// Approves a call and whatever fits the `breadth`-th rule that its card offers.
pub fn approve_wide(call: usize, breadth: usize) -> Act {
    act(What::Approve { call, card: None, breadth: Some(breadth), note: None })
}

/// Approves a call with a word to the model.
pub fn approve_with(call: usize, note: &str) -> Act {
    act(What::Approve { call, card: None, breadth: None, note: Some(note.to_owned()) })
}

/// Rejects a call.
pub fn reject(call: usize) -> Act {
    act(What::Reject { call, note: None })
}

/// Rejects a call with a note.
pub fn reject_with(call: usize, note: &str) -> Act {
    act(What::Reject { call, note: Some(note.to_owned()) })
}

/// Stops the turn.
pub fn stop() -> Act {
    act(What::Stop)
}

/// Continue, or Retry, after an ended turn.
pub fn go_on() -> Act {
    act(What::Continue)
}

/// Keeps the text of the discarded answer.
pub fn keep() -> Act {
    act(What::Keep)
}

/// Sets the mode.
pub fn set_mode(mode: Mode) -> Act {
    act(What::SetMode(mode))
}

/// Sets the limits.
pub fn set_limits(limits: Limits) -> Act {
    act(What::SetLimits(limits))
}

/// Picks another model by its name.
pub fn choose(model: &str) -> Act {
    act(What::Choose(model.to_owned()))
}

/// Sets how many model calls may run at once: over all conversations, and in one.
pub fn set_slots(global: u32, conversation: u32) -> Act {
    act(What::Slots { global, conversation })
}

/// Sets the limits of the settings, which conversations follow that have none of their own.
pub fn set_defaults(limits: Limits) -> Act {
    act(What::Defaults(limits))
}

/// Marks an unknown outcome.
pub fn resolve(call: usize, done: bool) -> Act {
    act(What::Resolve { call, done })
}

/// Probes an unknown outcome again.
pub fn check_again(call: usize) -> Act {
    act(What::CheckAgain { call })
}

/// Takes back what a call did to files.
pub fn revert(call: usize) -> Act {
    act(What::Revert { call })
}

/// Forks the conversation at its `message`-th message, a person's or the model's; the fork has this name.
pub fn fork(message: usize, name: &str) -> Act {
    act(What::Fork { message, name: name.to_owned() })
}

/// Says its `message`-th message anew with other words; the fork that this makes has this name.
pub fn resend(message: usize, text: &str, name: &str) -> Act {
    act(What::Resend { message, text: text.to_owned(), name: name.to_owned() })
}

/// Deletes the conversation.
pub fn delete() -> Act {
    act(What::Delete)
}

/// Several acts at the same moment.
pub fn together(acts: impl IntoIterator<Item = Act>) -> Act {
    act(What::Together(acts.into_iter().collect()))
}

/// Takes back the rule that was made when this call was approved.
pub fn revoke_rule(call: usize) -> Act {
    act(What::RevokeRule { call })
}
