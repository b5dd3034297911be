//! Writes the generated TypeScript to the folder given as its argument.
//! It only calls the library; a test there finds drift.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: assent-types FOLDER");
        return ExitCode::from(2);
    };
    match assent_testkit::types::write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("writing {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
