//! What is said beside the window: how much waits (badge and tray), and notices while nobody looks.
//! It changes nothing in a conversation; a click on a notice only shows it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assent_engine::Note;
use assent_protocol::ids::ConversationId;
use assent_protocol::request::{Request, Response};
use assent_protocol::signal::Signal;
use assent_protocol::snapshot::ConversationRow;
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime};
use tauri_plugin_notification::NotificationExt as _;

use crate::backend::{Backend, Listening};
use crate::words::{Words, words};
use crate::{tray, window};

/// Sent to the page when a notice was clicked; carries the conversation's id.
const SHOW: &str = "show-conversation";
/// A turn that took this long deserves a notice when it ends, in milliseconds.
const LONG_TURN_MS: i64 = 20_000;
/// Characters of a notice's text: more is cut off by the desktops themselves.
const NOTICE: usize = 160;

/// What runs and what waits, kept up to date by the engine's signals.
#[derive(Default)]
pub(crate) struct Attention {
    /// Whether the window has the keyboard.
    is_focused: AtomicBool,
    counted: Mutex<Counted>,
    /// Ends with the program.
    listening: Mutex<Option<Listening>>,
}

#[derive(Default)]
struct Counted {
    rows: HashMap<ConversationId, (bool, u32)>,
    language: Option<String>,
}

/// What is shown beside the window.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Conversations that are at work. One that waits for a decision is not: its card is there again at the next start.
    pub running: usize,
    /// Cards and questions that wait for a person.
    pub waiting: u32,
    /// The language that was set.
    pub language: Option<String>,
}

impl Attention {
    /// Remembers whether the window has the keyboard.
    pub fn focused(&self, is_focused: bool) {
        self.is_focused.store(is_focused, Ordering::Relaxed);
    }

    /// What runs and waits now.
    pub fn counts(&self) -> Counts {
        self.counted().counts()
    }

    fn words(&self) -> &'static Words {
        words(self.counted().language.as_deref())
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn begin(&mut self, rows: Vec<ConversationRow>, language: Option<String>) {
        rows.into_iter().for_each(|row| self.row(row));
        self.language = language;
    }

    fn apply(&mut self, signal: Signal) {
        match signal {
            Signal::Row { row } => self.row(row),
            Signal::Gone { conversation } => {
                self.rows.remove(&conversation);
            }
            Signal::Settings { settings } => self.language = settings.language,
            Signal::Recorded { .. } | Signal::Delta { .. } | Signal::Projects { .. } => {}
        }
    }

    fn row(&mut self, row: ConversationRow) {
        // A sub-agent is at work while its conversation is: it counts once.
        if row.parent.is_some() {
            return;
        }
        self.rows.insert(row.id, (row.generating, row.pending));
    }

    fn counts(&self) -> Counts {
        Counts {
            running: self.rows.values().filter(|(generating, pending)| *generating && *pending == 0).count(),
            waiting: self.rows.values().map(|(_, pending)| pending).sum(),
            language: self.language.clone(),
        }
    }
}

/// Begins to count, and to bring forward what a clicked notice was about.
///
/// # Errors
/// When clicks can't be listened to.
pub(crate) fn begin<R: Runtime>(app: &AppHandle<R>) -> Result<(), tauri_plugin_notification::Error> {
    let counting = app.clone();
    let listening = app.state::<Backend>().listen(move |engine, mut signals| async move {
        let attention = counting.state::<Attention>();
        if let Ok(Response::Overview(overview)) = engine.handle(Request::Overview {}).await {
            attention.counted().begin(overview.conversations, overview.settings.language);
        }
        let mut shown = Counts::default();
        loop {
            let counts = attention.counts();
            if counts != shown {
                show(&counting, counts.clone());
                shown = counts;
            }
            let batch = signals.next().await;
            let mut counted = attention.counted();
            batch.into_iter().for_each(|signal| counted.apply(signal));
        }
    });
    *app.state::<Attention>().listening.lock().unwrap_or_else(PoisonError::into_inner) = Some(listening);

    let clicked = app.clone();
    app.notification().on_action(move |action| {
        window::bring_forward(&clicked);
        let conversation = action.notification().and_then(|notice| notice.extra().get("conversation"));
        if let Some(conversation) = conversation
            && let Err(failure) = clicked.emit(SHOW, conversation)
        {
            eprintln!("the page could not be told which notice was clicked: {failure}");
        }
    })
}

/// Shows counts, on the main thread, without waiting for it.
fn show<R: Runtime>(app: &AppHandle<R>, counts: Counts) {
    let shown = app.clone();
    let asked = app.run_on_main_thread(move || {
        tray::show_counts(&shown, &counts);
        window::badge(&shown, counts.waiting);
    });
    if let Err(failure) = asked {
        eprintln!("badge and tray can't be brought up to date: {failure}");
    }
}

/// Tells a person who isn't looking.
pub(crate) fn call_for<R: Runtime>(app: &AppHandle<R>, note: &Note) {
    let attention = app.state::<Attention>();
    if attention.is_focused.load(Ordering::Relaxed) {
        return;
    }
    let words = attention.words();
    let (conversation, title, text) = match note {
        Note::Approval { conversation, line, .. } => (conversation, words.approval, line),
        Note::Question { conversation, line, .. } => (conversation, words.question, line),
        Note::TurnEnded { took_ms, .. } if *took_ms < LONG_TURN_MS => return,
        Note::TurnEnded { conversation, title, .. } => (conversation, words.ended, title),
    };
    let notice = app.notification().builder().title(title).body(plain(text)).extra("conversation", conversation);
    if let Err(failure) = notice.show() {
        eprintln!("a notice could not be shown: {failure}");
    }
}

/// Text that a model had a hand in, as a notice may show it: short, on one line, without characters that hide others, and
/// without markup where desktops read it.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == NOTICE {
            plain.push('…');
            break;
        }
        match character {
            '&' if cfg!(target_os = "linux") => plain.push_str("&amp;"),
            '<' if cfg!(target_os = "linux") => plain.push_str("&lt;"),
            '>' if cfg!(target_os = "linux") => plain.push_str("&gt;"),
            hidden if hidden.is_control() || is_invisible(hidden) => plain.push('\u{fffd}'),
            visible => plain.push(visible),
        }
    }
    plain
}

/// Characters that reorder or hide text: bidirectional controls, zero-width ones, tags.
fn is_invisible(character: char) -> bool {
    matches!(
        u32::from(character),
        0x00AD | 0x061C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xE0000..=0xE0FFF
    )
}

#[cfg(test)]
mod tests;
