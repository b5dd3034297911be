//! A conversation in a terminal: prompts, approvals as questions, the text as it streams.
//! Where there is no terminal nobody is asked: what waits stays pending.

use std::io::IsTerminal as _;

use assent_engine::{Engine, Subscription};
use assent_protocol::event::Delivery;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::ConversationId;
use assent_protocol::permission::Scope;
use assent_protocol::request::Request;
use assent_protocol::snapshot::{PendingRow, QuestionRow};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};

use crate::arguments::Options;
use crate::interrupts::Interrupts;
use crate::turn::{Ending, follow};
use crate::{cli, print};

/// What a person types, or a pipe says, line by line.
type Input = Lines<BufReader<Stdin>>;

/// Runs `assent chat` until the input ends; the exit code.
pub async fn run(engine: &Engine, options: Options) -> Result<u8, Failure> {
    let conversation = cli::conversation(engine, &options).await?;
    let mut interrupts = Interrupts::watch().map_err(|error| cli::no_interrupts(&error))?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    print::out("Assent. Write a message; an empty line or Ctrl-D ends.\n");
    loop {
        let text = ask(&mut lines, &mut interrupts, "\n> ").await?;
        let Some(text) = text.filter(|line| !line.trim().is_empty()) else { return Ok(0) };
        let mut signals = engine.subscribe();
        let send = Request::Send {
            conversation: conversation.clone(),
            text,
            delivery: Delivery::NextTurn,
            reject: false,
            attachments: Vec::new(),
        };
        engine.handle(send).await?;
        loop {
            if follow(engine, signals, &mut interrupts, &conversation, false).await? != Ending::Waiting {
                break;
            }
            signals = engine.subscribe();
            if !answer_cards(engine, &conversation, &mut lines, &mut interrupts).await? {
                return Ok(Ending::Waiting.code());
            }
        }
    }
}

/// Follows a turn; where a person sits at the terminal, cards are asked for and the turn goes on.
pub async fn follow_and_ask(
    engine: &Engine,
    mut signals: Subscription,
    interrupts: &mut Interrupts,
    conversation: &ConversationId,
    json: bool,
) -> Result<Ending, Failure> {
    let is_manned = !json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut lines = None;
    loop {
        let ending = follow(engine, signals, interrupts, conversation, json).await?;
        if ending != Ending::Waiting || !is_manned {
            return Ok(ending);
        }
        let lines = lines.get_or_insert_with(|| BufReader::new(tokio::io::stdin()).lines());
        signals = engine.subscribe();
        if !answer_cards(engine, conversation, lines, interrupts).await? {
            return Ok(Ending::Waiting);
        }
    }
}

/// Asks every question and for every card that waits in the conversation; false when the input ended.
async fn answer_cards(
    engine: &Engine,
    conversation: &ConversationId,
    lines: &mut Input,
    interrupts: &mut Interrupts,
) -> Result<bool, Failure> {
    let questions = engine.questions()?;
    for row in questions.into_iter().filter(|row| row.conversation == *conversation) {
        show_question(&row);
        let Some(text) = ask(lines, interrupts, "Answer: ").await? else { return Ok(false) };
        let text = chosen(&row, text);
        if let Err(failure) = engine.handle(Request::AnswerQuestion { call: row.call, text }).await {
            print::complain(&failure.message);
        }
    }
    let pending = engine.inbox()?;
    for row in pending.into_iter().filter(|row| row.conversation == *conversation) {
        show_card(&row);
        let asked = ask(lines, interrupts, "Approve? Type yes to approve; anything else rejects, as a note. ").await?;
        let Some(answer) = asked else {
            return Ok(false);
        };
        let request = match answer.trim() {
            "yes" => Request::Approve { call: row.call, digest: row.card.digest, scope: Scope::Once, note: None },
            note => Request::Reject { call: row.call, note: Some(note.to_owned()).filter(|note| !note.is_empty()) },
        };
        if let Err(failure) = engine.handle(request).await {
            print::complain(&failure.message);
        }
    }
    Ok(true)
}

/// The option with the number that was typed, or what was typed.
fn chosen(row: &QuestionRow, typed: String) -> String {
    let number = typed.trim().parse::<usize>().ok();
    number.and_then(|number| row.options.get(number.checked_sub(1)?)).cloned().unwrap_or(typed)
}

/// Prints a question with its options.
pub fn show_question(row: &QuestionRow) {
    let options = (1..).zip(&row.options);
    let options: String = options.map(|(number, option)| format!("  {number}. {}\n", print::plain(option))).collect();
    print::out(&format!("\n[Question] {}\n{options}  {}\n", print::plain(&row.question), row.call));
}

/// Prints a card whole.
pub fn show_card(row: &PendingRow) {
    let card = &row.card;
    print::out(&format!(
        "\n[{:?}] {}\n{}\n  {} · {}\n",
        card.tier,
        print::plain(&card.reason.line()),
        print::plain(&card.preview.text()),
        row.call,
        card.digest
    ));
}

/// The next line; none when the input ended or the person interrupts.
async fn ask(lines: &mut Input, interrupts: &mut Interrupts, prompt: &str) -> Result<Option<String>, Failure> {
    print::out(prompt);
    tokio::select! {
        line = lines.next_line() => {
            line.map_err(|error| Failure::new(Code::Other, format!("the input can't be read: {error}")))
        }
        () = interrupts.next() => {
            print::out("\n");
            Ok(None)
        }
    }
}
