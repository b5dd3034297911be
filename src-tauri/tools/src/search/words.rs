//! The words for what searches leave out.
//! It searches nothing itself.

use super::budget::Over;
use super::walk::Left;
use crate::files::words::on_one_line;

/// Words for what a walk left out, each a line of its own.
pub(super) fn notes(left: &Left, seconds: u64, out: &mut Vec<String>) {
    match left.over {
        Some(Over::Time) => {
            out.push(format!("ended after {seconds} s: not everything was searched; narrow `path` or the glob"))
        }
        Some(Over::Stopped) => out.push("stopped: not everything was searched".to_owned()),
        None => {}
    }
    let counted = [
        (left.unreadable, "folder", "could not be read"),
        (left.too_deep, "folder", "lies too deep and was not entered"),
        (left.unnamed, "name", "is not Unicode and was left out"),
        (left.refused, "place", "is always refused and was left out"),
    ];
    for (count, noun, words) in counted {
        if count > 0 {
            out.push(format!("{count} {noun}{}: {words}", if count == 1 { "" } else { "s" }));
        }
    }
    if left.is_cut {
        out.push("a folder has too many entries: not all were looked at".to_owned());
    }
}

/// A few of many names, and how many more there are.
pub(crate) fn some_of(names: &[String]) -> String {
    const FEW: usize = 5;
    let few = names.iter().take(FEW).map(|name| on_one_line(name)).collect::<Vec<_>>().join(", ");
    if names.len() > FEW { format!("{few} and {} more", names.len() - FEW) } else { few }
}
