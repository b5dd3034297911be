//! A person at a terminal: `chat`, and `exec` that asks. The terminal is a real one, only nobody sits there.
//! What a card shows is tested with the tools.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::facts::of_kind;
use crate::support::{Place, Running, text, until};

const WRITE: &str = r#"call write_file with {"path":"a.txt","content":"a\n"} then say written"#;

/// The keyboard and the screen of a terminal.
struct Terminal {
    keyboard: File,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    /// A terminal with the program in it.
    fn with(place: &Place, arguments: &[&str]) -> (Self, Running) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let end = |of: &OwnedFd| Stdio::from(of.try_clone().unwrap());
        let mut command = place.command(arguments);
        command.stdin(end(&theirs)).stdout(end(&theirs)).stderr(end(&theirs));
        let running = Running::start(&mut command);
        let keyboard = File::from(ours);
        let (mut reading, screen) = (keyboard.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let shown = screen.clone();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = reading.read(&mut piece) {
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..read]));
            }
        });
        (Self { keyboard, screen }, running)
    }

    fn until_shown(&self, words: &str) {
        until(&format!("{words:?} is shown"), || self.screen.lock().unwrap().contains(words));
    }

    /// Types a line when these words are shown, and takes them off.
    fn answer(&mut self, words: &str, line: &str) {
        self.until_shown(words);
        self.screen.lock().unwrap().clear();
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

fn exec<'a>(place: &'a Place, prompt: &'a str, url: &'a str) -> Vec<&'a str> {
    let mut arguments = place.exec_arguments(prompt, url, &[]);
    arguments.retain(|word| *word != "--json");
    arguments
}

#[test]
fn a_question_is_asked_in_the_terminal_and_an_option_is_chosen_by_its_number() {
    let place = Place::new();
    let ask = r#"call ask_user with {"question":"Which one?","options":["first","second"]} then say done"#;
    let url = place.server.base_url();
    let (mut terminal, running) = Terminal::with(&place, &exec(&place, ask, &url));
    terminal.until_shown("2. second");
    terminal.answer("Answer: ", "2");
    terminal.until_shown("done");
    assert_eq!(running.end().code, Some(0));
    let told = place.server.requests().pop().unwrap().body;
    assert!(told.contains("The user answered:") && told.contains("second"), "{told}");
    place.check();
}

#[test]
fn at_a_terminal_exec_asks_and_goes_on() {
    let place = Place::new();
    let url = place.server.base_url();
    let (mut terminal, running) = Terminal::with(&place, &exec(&place, WRITE, &url));
    terminal.until_shown("Create a.txt: 1 line");
    terminal.answer("Approve?", "yes");
    terminal.until_shown("written");
    assert_eq!(running.end().code, Some(0));
    assert_eq!(place.read("a.txt").unwrap(), "a\n");
    place.check();
}

#[test]
fn at_a_terminal_anything_but_yes_rejects_with_a_note() {
    for answer in ["y", "YES", "ok", "", "better b.txt"] {
        let place = Place::new();
        let url = place.server.base_url();
        let (mut terminal, running) = Terminal::with(&place, &exec(&place, WRITE, &url));
        terminal.answer("Approve?", answer);
        terminal.until_shown("written");
        assert_eq!(running.end().code, Some(0));
        assert_eq!(place.read("a.txt"), None, "{answer:?}");
        let told = place.server.requests().pop().unwrap().body;
        assert!(told.contains("did not run") && told.contains(answer), "{told}");
        place.check();
    }
}

#[test]
fn chat_takes_messages_and_asks_for_cards_until_an_empty_line() {
    let place = Place::new();
    let url = place.server.base_url();
    let workspace = place.workspace.to_str().unwrap();
    let arguments = ["chat", "--workspace", workspace, "--base-url", &url, "--model", "tiny"];
    let (mut terminal, running) = Terminal::with(&place, &arguments);
    terminal.answer("> ", "say 你好");
    terminal.until_shown("你好");
    terminal.answer("\n> ", WRITE);
    terminal.answer("Approve?", "yes");
    terminal.until_shown("written");
    terminal.answer("\n> ", "");
    assert_eq!(running.end().code, Some(0));
    assert_eq!(place.read("a.txt").unwrap(), "a\n");
    place.check();
}

#[test]
fn an_interrupt_leaves_a_chat_that_waits_for_a_person() {
    let place = Place::new();
    let url = place.server.base_url();
    let workspace = place.workspace.to_str().unwrap();
    let arguments = ["chat", "--workspace", workspace, "--base-url", &url, "--model", "tiny"];
    let (terminal, running) = Terminal::with(&place, &arguments);
    terminal.until_shown("> ");
    running.signal(Signal::INT);
    assert_eq!(running.end().code, Some(0));
    let (mut terminal, running) = Terminal::with(&place, &arguments);
    terminal.answer("> ", WRITE);
    terminal.until_shown("Approve?");
    running.signal(Signal::TERM);
    assert_eq!(running.end().code, Some(3));
    assert_eq!(place.approvals().len(), 1);
    place.check();
}

#[test]
fn chat_without_a_terminal_leaves_what_waits_to_others() {
    let place = Place::new();
    let url = place.server.base_url();
    let workspace = place.workspace.to_str().unwrap();
    let mut command = place.command(&["chat", "--workspace", workspace, "--base-url", &url, "--model", "tiny"]);
    let (reader, mut writer) = std::io::pipe().unwrap();
    command.stdin(reader);
    writer.write_all(format!("{WRITE}\n").as_bytes()).unwrap();
    drop(writer);
    let ran = Running::start(&mut command).end();
    drop(command);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let pending = place.only_approval();
    let log = place.log(text(&pending, "conversation"));
    assert_eq!(of_kind(&log, "approval/decided").len(), 0);
    assert_eq!(place.read("a.txt"), None);
    place.check();
}
