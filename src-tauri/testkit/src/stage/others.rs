//! What other programs do while a script plays: to the folder, and to the engine's data.
//! They know nothing of the engine.

use super::script::{Act, What, act};

/// Another program writes a file.
pub fn write_outside(path: &str, text: &str) -> Act {
    act(What::Write { path: path.to_owned(), text: text.to_owned() })
}

/// Another program removes a file.
pub fn remove_outside(path: &str) -> Act {
    act(What::Remove { path: path.to_owned() })
}

/// Another program does something to the engine's data folder.
pub fn in_home(words: &str, does: fn(&std::path::Path)) -> Act {
    act(What::InHome { words: words.to_owned(), act: does })
}
