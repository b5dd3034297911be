//! Acts about files that steer the model: trusting them, and no longer, and what follows from that.
//! What the engine makes of them is told in the scripts.

use super::script::{Act, What, act};

/// Trusts these files of the folder as they are now.
pub fn trust(paths: &[&str]) -> Act {
    act(What::Trust { paths: paths.iter().map(|path| (*path).to_owned()).collect() })
}

/// Trusts these files no longer.
pub fn distrust(paths: &[&str]) -> Act {
    act(What::Distrust { paths: paths.iter().map(|path| (*path).to_owned()).collect() })
}

/// Sets the prompt anew.
pub fn refresh_prompt() -> Act {
    act(What::RefreshPrompt)
}
