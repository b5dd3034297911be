//! What happens around a person: other programs, gates, time, and the end of the program itself.
//! Nothing here runs; it is played by `play`.

use super::script::{Act, What, act};

/// Another program writes a file.
pub fn write_outside(path: &str, text: &str) -> Act {
    act(What::Write { path: path.to_owned(), text: text.to_owned() })
}

/// Another program removes a file.
pub fn remove_outside(path: &str) -> Act {
    act(What::Remove { path: path.to_owned() })
}

/// Opens a gate for one who waits there, now or later.
pub fn open(gate: &str) -> Act {
    act(What::Open(gate.to_owned()))
}

/// Waits until somebody stands at a gate, and everything else has happened.
pub fn at(gate: &str) -> Act {
    act(What::At(gate.to_owned()))
}

/// Waits for an event of this kind in the conversation after the last act; the next act follows at once.
pub fn until(kind: &str) -> Act {
    act(What::Until(kind.to_owned()))
}

/// Waits until a running call put this out; the next act follows at once.
pub fn until_output(text: &str) -> Act {
    act(What::UntilOutput(text.to_owned()))
}

/// Whatever this number makes of what can be done now: a decision, a stop, a message, a flip, a restart, a change by
/// another program.
pub fn any(dice: u64) -> Act {
    act(What::Any(dice))
}

/// Lets time pass, in milliseconds; only in a script that is paused.
pub fn pass(ms: u64) -> Act {
    act(What::Pass { ms })
}

/// The program is killed where it stands, and started again on the same data folder.
pub fn restart() -> Act {
    act(What::Restart)
}

/// The same with the next version of the program, in which every tool is another one.
pub fn upgrade() -> Act {
    act(What::Upgrade)
}

/// Another program does something to the engine's data folder.
pub fn in_home(words: &str, does: fn(&std::path::Path)) -> Act {
    act(What::InHome { words: words.to_owned(), act: does })
}
