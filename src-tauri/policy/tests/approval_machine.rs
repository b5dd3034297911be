//! The approval machine, all of its states: one call with a side effect, two people who click, two crashes, flips of the
//! mode and another program that changes the file. The verdicts and the clearance are the real ones; store, engine and
//! tool are what the spec says of them (2.6, 2.7), each step one state.
//! Deliberately broken variants show that the checker would find what it looks for.

#[path = "approval_machine/real.rs"]
mod real;

use std::collections::BTreeSet;

use assent_protocol::permission::{Answer, Decider, Mode, Tier, Verdict};
use stateright::{Checker as _, HasDiscoveries, Model, Property};

/// Crashes in one run.
const CRASHES: u8 = 2;
/// Flips of the mode in one run.
const FLIPS: u8 = 2;
/// Changes by another program in one run.
const DRIFTS: u8 = 2;
/// Clicks that each of the two people makes.
const CLICKS: u8 = 2;

/// What is broken, if anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broken {
    /// Nothing: as the spec has it.
    Nothing,
    /// The claim does not look whether the call was started before, and a start runs again what was executing.
    Repeats,
    /// A decision counts for the call, whatever card it names.
    AnyCard,
    /// What was approved before a crash runs after it.
    RunsApproved,
    /// The claim does not ask the mode.
    IgnoresMode,
    /// The tool does not look at the file again through its handle.
    LooksOnce,
    /// A crash forgets what was pending.
    Forgets,
}

/// The machine, with what the real code says of every mode, card and version of the file.
struct Machine {
    tier: Tier,
    broken: Broken,
    /// By mode and version.
    verdicts: Vec<Vec<Verdict>>,
    /// Who clears it without a decision, by mode and version.
    by_verdict: Vec<Vec<Option<Word>>>,
    /// Whether a decision clears it, by card and version.
    by_decision: Vec<Vec<bool>>,
}

/// The row of the call on disk: it survives a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Row {
    Proposed,
    Pending { card: u8 },
    Approved { card: u8 },
    Cleared { by: Word },
    Executing,
    Done(End),
}

/// [`Decider`], as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    Mode,
    Tool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    Ran,
    Failed,
    Rejected,
    Refused,
    Interrupted,
    Probed,
    Lost,
}

/// What the running program knows: it dies with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Engine {
    Down,
    /// Everything on disk still has to be settled.
    Starting,
    Ready,
    /// Drawn and cleared, about to claim: with the version of the file that was drawn.
    Preparing {
        version: u8,
        by: Option<Word>,
    },
    /// Claimed in this mode, about to change the file.
    Claimed {
        version: u8,
        by: Option<Word>,
        mode: u8,
    },
    /// The effect happened, its result is not written.
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Person {
    /// The card on the screen, which may be an old one.
    sees: Option<u8>,
    clicks: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    row: Row,
    attempts: u8,
    engine: Engine,
    mode: u8,
    /// The file, as a version: another program makes it another one.
    version: u8,
    people: [Person; 2],
    crashes: u8,
    flips: u8,
    drifts: u8,
    /// What happened to the file.
    effects: Vec<Effect>,
    /// The card of the last approval that is on disk, and whether a crash came after it.
    approved: Option<(u8, bool)>,
    rejected: bool,
    /// Something was pending when the program died, and nobody has answered since.
    owed: bool,
}

/// One effect: the version it met, on whose word, and in which mode it was claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Effect {
    met: u8,
    approved: Option<(u8, bool)>,
    by: Option<Word>,
    mode: u8,
    was_rejected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Action {
    Judge,
    Draw,
    Claim,
    Effect,
    Result,
    Settle,
    Look(usize),
    Approve(usize),
    Reject(usize),
    Flip(u8),
    Drift,
    Crash,
    Start,
}

const MODES: [Mode; 3] = [Mode::Ask, Mode::Auto, Mode::Plan];

impl Machine {
    fn new(tier: Tier, broken: Broken) -> Self {
        let versions = || 0..=DRIFTS;
        let verdicts = MODES.map(|mode| versions().map(|version| real::verdict(tier, mode, version)).collect());
        let by_verdict = MODES.map(|mode| versions().map(|version| real::by_verdict(tier, mode, version)).collect());
        let by_decision = versions().map(|card| versions().map(|now| real::by_decision(tier, card, now)).collect());
        let by_decision = by_decision.collect();
        Self { tier, broken, verdicts: verdicts.into(), by_verdict: by_verdict.into(), by_decision }
    }

    fn verdict(&self, mode: u8, version: u8) -> &Verdict {
        &self.verdicts[usize::from(mode)][usize::from(version)]
    }

    fn clears_decision(&self, card: u8, version: u8) -> bool {
        self.by_decision[usize::from(card)][usize::from(version)]
    }

    fn clears_verdict(&self, mode: u8, version: u8) -> Option<Word> {
        self.by_verdict[usize::from(mode)][usize::from(version)]
    }

    /// Whether the present mode still lets a call of this tier run on this word: what the store's claim asks.
    fn mode_allows(&self, mode: u8, by: Option<Word>) -> bool {
        match (self.tier, MODES[usize::from(mode)]) {
            (Tier::Low, _) => true,
            (_, Mode::Plan) | (Tier::High, Mode::Auto) => false,
            (Tier::Medium, Mode::Auto) => true,
            (_, Mode::Ask) => by != Some(Word::Mode),
        }
    }
}

impl Model for Machine {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let person = Person { sees: None, clicks: 0 };
        let begin = |mode: u8| State {
            row: Row::Proposed,
            attempts: 0,
            engine: Engine::Ready,
            mode,
            version: 0,
            people: [person, person],
            crashes: 0,
            flips: 0,
            drifts: 0,
            effects: Vec::new(),
            approved: None,
            rejected: false,
            owed: false,
        };
        (0..3).map(begin).collect()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        match (state.engine, state.row) {
            (Engine::Down, _) => actions.push(Action::Start),
            (Engine::Starting, _) => actions.push(Action::Settle),
            (Engine::Ready, Row::Proposed) => actions.push(Action::Judge),
            (Engine::Ready, Row::Approved { .. } | Row::Cleared { .. }) => actions.push(Action::Draw),
            (Engine::Ready, _) => {}
            (Engine::Preparing { .. }, _) => actions.push(Action::Claim),
            (Engine::Claimed { .. }, _) => actions.push(Action::Effect),
            (Engine::Changed, _) => actions.push(Action::Result),
        }
        for (index, person) in state.people.iter().enumerate() {
            if let Row::Pending { card } = state.row
                && person.sees != Some(card)
            {
                actions.push(Action::Look(index));
            }
            if person.sees.is_some() && person.clicks < CLICKS {
                actions.extend([Action::Approve(index), Action::Reject(index)]);
            }
        }
        if state.flips < FLIPS {
            actions.extend((0..3).filter(|mode| *mode != state.mode).map(Action::Flip));
        }
        if state.drifts < DRIFTS {
            actions.push(Action::Drift);
        }
        if state.crashes < CRASHES && state.engine != Engine::Down {
            actions.push(Action::Crash);
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Judge => self.judge(&mut state),
            Action::Draw => self.draw(&mut state),
            Action::Claim => self.claim(&mut state),
            Action::Effect => self.effect(&mut state),
            Action::Result => (state.row, state.engine) = (Row::Done(End::Ran), Engine::Ready),
            Action::Settle => self.settle(&mut state),
            Action::Start => state.engine = Engine::Starting,
            Action::Look(person) => {
                let Row::Pending { card } = state.row else { return None };
                state.people[person].sees = Some(card);
            }
            Action::Approve(person) => self.click(&mut state, person, Answer::Approved),
            Action::Reject(person) => self.click(&mut state, person, Answer::Rejected),
            Action::Flip(mode) => (state.mode, state.flips) = (mode, state.flips + 1),
            Action::Drift => (state.version, state.drifts) = (state.version + 1, state.drifts + 1),
            Action::Crash => self.crash(&mut state),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("at most one effect", |_, state: &State| state.effects.len() <= 1),
            Property::always("an effect only as decided", |machine: &Machine, state: &State| {
                state.effects.iter().all(|effect| machine.is_decided(effect))
            }),
            Property::always("nothing runs that the mode refuses", |machine: &Machine, state: &State| {
                state.effects.iter().all(|effect| machine.is_allowed(effect))
            }),
            Property::always("what is pending survives", |_, state: &State| {
                let is_settled = matches!(state.engine, Engine::Ready);
                let is_kept = matches!(state.row, Row::Pending { .. } | Row::Done(_));
                !state.owed || !is_settled || (is_kept && state.row != Row::Done(End::Lost))
            }),
            Property::always("nothing is called done that wasn't", |_, state: &State| {
                state.row != Row::Done(End::Ran) || state.effects.len() == 1
            }),
            Property::sometimes("it can run", |_, state: &State| state.row == Row::Done(End::Ran)),
            Property::sometimes("it can be rejected", |_, state: &State| state.row == Row::Done(End::Rejected)),
            Property::sometimes("it can run after a crash", |_, state: &State| {
                state.row == Row::Done(End::Ran) && state.crashes == CRASHES
            }),
        ]
    }
}

impl Machine {
    fn judge(&self, state: &mut State) {
        state.row = match *self.verdict(state.mode, state.version) {
            Verdict::Run { by: Decider::Mode, .. } => Row::Cleared { by: Word::Mode },
            Verdict::Run { .. } => Row::Cleared { by: Word::Tool },
            Verdict::Ask => Row::Pending { card: state.version },
            Verdict::Refuse { .. } | Verdict::Defer { .. } => Row::Done(End::Refused),
        };
    }

    /// Draws the call once more against the present file and clears it as it was settled; else it is asked anew.
    fn draw(&self, state: &mut State) {
        let version = state.version;
        match state.row {
            Row::Approved { card } => {
                let is_fit = self.broken == Broken::AnyCard || self.clears_decision(card, version);
                if is_fit {
                    state.engine = Engine::Preparing { version, by: None };
                } else {
                    state.row = Row::Pending { card: version };
                }
            }
            Row::Cleared { by } => match self.clears_verdict(state.mode, version) {
                Some(now) if now == by => state.engine = Engine::Preparing { version, by: Some(by) },
                _ => self.judge(state),
            },
            _ => {}
        }
    }

    /// One transaction: the row, the attempt and the mode as they are on disk now.
    fn claim(&self, state: &mut State) {
        let Engine::Preparing { version, by } = state.engine else { return };
        let is_cleared = match (state.row, by) {
            (Row::Approved { .. }, None) => true,
            (Row::Cleared { by: judged }, Some(by)) => judged == by,
            _ => self.broken == Broken::Repeats && state.row == Row::Executing,
        };
        let is_first = self.broken == Broken::Repeats || state.attempts == 0;
        let is_allowed = self.broken == Broken::IgnoresMode || self.mode_allows(state.mode, by);
        if is_cleared && is_first && is_allowed {
            state.attempts += 1;
            (state.row, state.engine) = (Row::Executing, Engine::Claimed { version, by, mode: state.mode });
            return;
        }
        state.engine = Engine::Ready;
        state.row = match self.verdict(state.mode, state.version) {
            Verdict::Refuse { .. } => Row::Done(End::Refused),
            _ => Row::Pending { card: state.version },
        };
    }

    /// The tool looks at the file again through the handle that it uses, and changes it.
    fn effect(&self, state: &mut State) {
        let Engine::Claimed { version, by, mode } = state.engine else { return };
        if self.broken != Broken::LooksOnce && version != state.version {
            (state.row, state.engine) = (Row::Done(End::Failed), Engine::Ready);
            return;
        }
        let (approved, was_rejected) = (state.approved.filter(|_| by.is_none()), state.rejected);
        state.effects.push(Effect { met: state.version, approved, by, mode, was_rejected });
        state.engine = Engine::Changed;
    }

    /// Compare-and-set on the card.
    fn click(&self, state: &mut State, person: usize, answer: Answer) {
        state.people[person].clicks += 1;
        let Some(seen) = state.people[person].sees else { return };
        let Row::Pending { card } = state.row else { return };
        let is_running = !matches!(state.engine, Engine::Ready);
        if is_running || (seen != card && self.broken != Broken::AnyCard) {
            return;
        }
        state.owed = false;
        match answer {
            Answer::Approved => {
                state.row = Row::Approved { card: seen };
                state.approved = Some((seen, false));
            }
            Answer::Rejected => {
                state.row = Row::Done(End::Rejected);
                state.rejected = true;
            }
        }
    }

    fn crash(&self, state: &mut State) {
        state.crashes += 1;
        state.engine = Engine::Down;
        state.owed |= matches!(state.row, Row::Pending { .. } | Row::Approved { .. });
        if let Some((_, is_before_crash)) = &mut state.approved {
            *is_before_crash = true;
        }
    }

    /// Start-up: nothing runs by itself.
    fn settle(&self, state: &mut State) {
        state.engine = Engine::Ready;
        match state.row {
            Row::Pending { .. } if self.broken == Broken::Forgets => state.row = Row::Done(End::Lost),
            Row::Approved { .. } if self.broken == Broken::RunsApproved => {}
            // Asked again, by a card that is drawn anew.
            Row::Pending { .. } | Row::Approved { .. } => state.row = Row::Pending { card: state.version },
            Row::Cleared { .. } => state.row = Row::Done(End::Interrupted),
            Row::Executing if self.broken == Broken::Repeats => {
                state.engine = Engine::Preparing { version: state.version, by: None };
            }
            Row::Executing => state.row = Row::Done(End::Probed),
            // Judged again with today's code, as a call that just came.
            Row::Proposed | Row::Done(_) => {}
        }
    }

    /// Whether an effect is one that somebody let happen as it happened.
    fn is_decided(&self, effect: &Effect) -> bool {
        let mode = MODES[usize::from(effect.mode)];
        if effect.was_rejected {
            return false;
        }
        match (effect.approved, effect.by) {
            (Some((card, is_before_crash)), _) => card == effect.met && !is_before_crash,
            (None, Some(Word::Tool)) => self.tier == Tier::Low,
            (None, Some(Word::Mode)) => self.tier == Tier::Medium && mode == Mode::Auto,
            (None, None) => false,
        }
    }

    fn is_allowed(&self, effect: &Effect) -> bool {
        match MODES[usize::from(effect.mode)] {
            Mode::Ask => true,
            Mode::Auto => self.tier < Tier::High,
            Mode::Plan => self.tier == Tier::Low,
        }
    }
}

/// Explores everything, or until `sought` is found violated; returns the number of states and the properties that don't hold.
fn explore(tier: Tier, broken: Broken, sought: Option<&'static str>) -> (usize, BTreeSet<&'static str>) {
    let found = sought.map_or(HasDiscoveries::All, |name| HasDiscoveries::AllOf([name].into()));
    let checker = Machine::new(tier, broken).checker().finish_when(found).threads(2).spawn_bfs().join();
    let violated = checker
        .discoveries()
        .into_iter()
        .filter(|(name, _)| checker.model().properties().iter().any(|property| is_always(property, name)))
        .map(|(name, _)| name)
        .collect();
    (checker.unique_state_count(), violated)
}

fn is_always(property: &Property<Machine>, name: &str) -> bool {
    property.name == name && property.expectation == stateright::Expectation::Always
}

#[test]
fn the_machine_as_it_is_violates_nothing() {
    let mut total = 0;
    for tier in [Tier::Low, Tier::Medium, Tier::High] {
        let (states, violated) = explore(tier, Broken::Nothing, None);
        assert_eq!(violated, BTreeSet::new(), "{tier:?}");
        println!("{tier:?}: {states} states, 0 violations");
        total += states;
    }
    println!("{total} states in all");
    assert!(total > 10_000, "{total} states are too few for two people, two crashes, flips and drift");
}

#[test]
fn what_can_happen_does_happen() {
    let checker = Machine::new(Tier::High, Broken::Nothing).checker().threads(2).spawn_bfs().join();
    for name in ["it can run", "it can be rejected", "it can run after a crash"] {
        assert!(checker.discovery(name).is_some(), "{name}: never");
    }
}

#[test]
fn each_broken_variant_is_found() {
    let variants = [
        (Broken::Repeats, "at most one effect"),
        (Broken::AnyCard, "an effect only as decided"),
        (Broken::RunsApproved, "an effect only as decided"),
        (Broken::LooksOnce, "an effect only as decided"),
        (Broken::IgnoresMode, "nothing runs that the mode refuses"),
        (Broken::Forgets, "what is pending survives"),
    ];
    for (broken, expected) in variants {
        let (states, violated) = explore(Tier::High, broken, Some(expected));
        assert!(violated.contains(expected), "{broken:?} was not found in {states} states, only {violated:?}");
        println!("{broken:?}: found \"{expected}\"");
    }
}
