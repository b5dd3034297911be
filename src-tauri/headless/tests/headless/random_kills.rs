//! A real session that is killed at random moments, again and again, on one data folder: what must hold after each start.
//! The seed is printed; `ASSENT_SEED` repeats a run, `ASSENT_KILLS` (100) makes it longer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::facts::{Call, calls, check_pairs};
use crate::support::{Place, Ran, Running, text};

/// Conversations are changed after so many rounds, so that histories don't grow without end.
const ROUNDS_EACH: usize = 12;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// A session, and what it has seen so far.
struct Session {
    place: Place,
    random: fastrand::Rng,
    conversation: String,
    rounds: usize,
    /// A number for each effect.
    effects: u64,
    kills: u64,
    /// How long a process of each kind runs when it isn't killed.
    takes: BTreeMap<&'static str, Duration>,
    outcomes: BTreeMap<String, usize>,
}

impl Session {
    fn begin(seed: u64) -> Self {
        let place = Place::in_memory();
        place.write("log.txt", "begin\n");
        place.write("patched.txt", "tail\n");
        let random = fastrand::Rng::with_seed(seed);
        let (takes, outcomes) = (BTreeMap::new(), BTreeMap::new());
        Self { place, random, conversation: String::new(), rounds: 0, effects: 0, kills: 0, takes, outcomes }
    }

    /// The conversation to go on in; a new one from time to time.
    fn conversation(&mut self, mode: &str) -> String {
        if self.rounds.is_multiple_of(ROUNDS_EACH) {
            let ran = self.place.exec("say hello", &["--mode", mode]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            self.conversation = ran.conversation();
        }
        self.rounds += 1;
        self.conversation.clone()
    }

    fn next(&mut self) -> u64 {
        self.effects += 1;
        self.effects
    }

    /// Runs a process that is killed at a random moment, unless it is faster.
    fn run_and_kill(&mut self, kind: &'static str, arguments: &[&str]) -> Ran {
        let usual = self.takes.get(kind).copied().unwrap_or(Duration::from_millis(300));
        let wait = usual.mul_f64(self.random.f64() * 1.2);
        let began = Instant::now();
        let mut running = Running::start(&mut self.place.command(arguments));
        while began.elapsed() < wait && !running.is_over() {
            std::thread::sleep(Duration::from_micros(200));
        }
        // Machines differ, and what else they do: so that all of a process is reached, its usual time follows what happens.
        if running.is_over() {
            self.takes.insert(kind, (usual + began.elapsed()) / 2);
            return running.end();
        }
        self.takes.insert(kind, usual.mul_f64(1.06));
        running.signal(Signal::KILL);
        let ran = running.end();
        // It may have ended in the very moment.
        self.kills += u64::from(ran.code.is_none());
        ran
    }

    /// Everything that must hold after a start, be it that some starts were killed themselves while they settled.
    fn check(&mut self) -> Vec<Value> {
        while self.random.u8(..3) == 0 {
            self.run_and_kill("start", &["approvals", "--json"]);
        }
        let verified = self.place.run(&["verify", "--json"]);
        assert_eq!((verified.code, verified.out.trim()), (Some(0), "[]"), "{verified:?}");
        let pending = self.place.approvals();
        let log = self.place.log(&self.conversation);
        check_pairs(&log, &pending);
        for (id, call) in calls(&log) {
            self.check_effect(&id, &call);
        }
        let tree = self.place.tree();
        assert!(!tree.iter().any(|name| name.ends_with(".tmp")), "{tree:?}");
        assert_eq!(self.place.server.violations(), Vec::<String>::new());
        pending
    }

    /// The effect is there as often as the result says, and never twice.
    fn check_effect(&self, id: &str, call: &Call) {
        let Some(count) = effect_count(&self.place, id, call) else { return };
        let expected = match call.outcome() {
            Some("ok") => 1..=1,
            Some("unknown") => 0..=1,
            Some(_) | None => 0..=0,
        };
        assert!(expected.contains(&count), "{count} times instead of {expected:?}: {call:?}");
        assert!(call.name == "run_command" || call.outcome() != Some("unknown"), "files can be looked at: {call:?}");
    }

    fn count_outcomes(&mut self) {
        for call in calls(&self.place.log(&self.conversation)).into_values() {
            let recovered = call.results.last().is_some_and(|result| result["recovered"] == true);
            let outcome = call.outcome().unwrap_or("waits");
            let name = if recovered { format!("{outcome} (found after a kill)") } else { outcome.to_owned() };
            *self.outcomes.entry(name).or_default() += 1;
        }
    }
}

/// How often the effect of a call is there; none: it has none.
fn effect_count(place: &Place, id: &str, call: &Call) -> Option<usize> {
    let arguments = &call.arguments;
    let lines =
        |path: &str, line: &str| place.read(path).unwrap_or_default().lines().filter(|found| *found == line).count();
    Some(match call.name.as_str() {
        "append_file" => lines("log.txt", text(arguments, "content").trim_end()),
        "write_file" => usize::from(place.read(text(arguments, "path")).as_deref() == Some(text(arguments, "content"))),
        "patch_file" => lines("patched.txt", text(&arguments["edits"][0], "new").lines().next().unwrap()),
        "run_command" => lines("commands.txt", text(arguments, "command").split(' ').nth(1).unwrap()),
        "rename_file" => {
            let (from, to) = (text(arguments, "from"), text(arguments, "to"));
            let there = [from, to].map(|path| usize::from(place.read(path).is_some()));
            assert_eq!(there[0] + there[1], 1, "{from} is in one place");
            there[1]
        }
        "delete_file" => {
            let path = text(arguments, "path");
            let trashed = format!(".assent/trash/{id}/{}", path.rsplit('/').next().unwrap());
            let there = [path, &trashed].map(|path| usize::from(place.read(path).is_some()));
            assert_eq!(there[0] + there[1], 1, "{path} is in one place");
            there[1]
        }
        _ => return None,
    })
}

/// Kills so many times; `round` does something in the session and has a part of it killed.
fn kill_often(name: &str, mut round: impl FnMut(&mut Session)) {
    let wanted = number("ASSENT_KILLS").unwrap_or(100).div_ceil(2);
    let seed = number("ASSENT_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("{name}: ASSENT_SEED={seed}");
    let mut session = Session::begin(seed);
    let began = Instant::now();
    while session.kills < wanted {
        let before = session.rounds;
        round(&mut session);
        if session.rounds.is_multiple_of(ROUNDS_EACH) && session.rounds > before {
            session.count_outcomes();
        }
    }
    session.count_outcomes();
    println!(
        "{name}: {} kills in {} rounds, {} s; {:?}; nothing twice, nothing lost",
        session.kills,
        session.rounds,
        began.elapsed().as_secs(),
        session.outcomes
    );
}

#[test]
fn random_kills_in_auto_mode() {
    kill_often("auto mode", |session| {
        let conversation = session.conversation("auto");
        let append = |number: u64| {
            format!("append_file with {}", json!({ "path": "log.txt", "content": format!("line {number}\n") }))
        };
        let patch = |number: u64| {
            let edit = json!({ "old": "tail", "new": format!("patch {number}\ntail") });
            format!("patch_file with {}", json!({ "path": "patched.txt", "edits": [edit] }))
        };
        let write = |number: u64| {
            let content = format!("file {number}\n").repeat(1 + number as usize % 50);
            format!(
                "write_file with {}",
                json!({ "path": format!("files/{}/{number}.txt", number % 7), "content": content })
            )
        };
        let read = r#"call read_file with {"path":"log.txt"} and read_file with {"path":"patched.txt"}"#;
        let first = [append(session.next()), patch(session.next()), write(session.next())].join(" and ");
        let second = [write(session.next()), append(session.next()), patch(session.next())].join(" and ");
        let prompt = format!("{read} then call {first} then call {second} then say done");
        session.run_and_kill("auto", &["exec", &prompt, "--conversation", &conversation, "--json"]);
        let pending = session.check();
        assert_eq!(pending, Vec::<Value>::new(), "nothing asks in auto mode");
    });
}

#[test]
fn random_kills_around_approvals() {
    kill_often("approvals", |session| {
        let conversation = session.conversation("ask");
        let (renamed, deleted, ran) = (session.next(), session.next(), session.next());
        session.place.write(&format!("r/{renamed}.txt"), "r");
        session.place.write(&format!("d/{deleted}.txt"), "d");
        let rename = json!({ "from": format!("r/{renamed}.txt"), "to": format!("r/done/{renamed}.txt") });
        let delete = json!({ "path": format!("d/{deleted}.txt") });
        let command = json!({ "command": format!("echo c{ran} >> commands.txt") });
        let prompt = format!(
            "call rename_file with {rename} and delete_file with {delete} and run_command with {command} then say done"
        );
        session.run_and_kill("ask", &["exec", &prompt, "--conversation", &conversation, "--json"]);
        let mut pending = session.check();
        // Each decision by a process of its own, each killed at some moment.
        while let Some(row) = pending.first() {
            let (call, digest) = (text(row, "call").to_owned(), text(row, "digest").to_owned());
            if session.random.u8(..5) == 0 {
                session.run_and_kill("reject", &["reject", &call, "--json"]);
            } else {
                session.run_and_kill("approve", &["approve", &call, "--digest", &digest, "--json"]);
            }
            pending = session.check();
        }
    });
}
