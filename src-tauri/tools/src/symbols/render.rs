//! Puts an outline, one definition, or a choice of several into text.
//! It stays below what a model gets whole, and says what it leaves out.

use super::language::Language;
use super::named::group_of;
use super::outline::{Outline, Symbol};
use crate::files::words::counted;

/// Longest text, in bytes; with a closing note it stays below 8,192.
const SHOWN_BYTES: usize = 7_400;

/// The outline of a file.
pub(super) fn outline(path: &str, language: Language, lines: usize, outline: &Outline) -> String {
    let mut text = format!("{path}: {}, {}\n", language.name(), counted(lines as u64, "line"));
    let listed: Vec<&Symbol> = outline.symbols.iter().filter(|symbol| !symbol.is_hidden).collect();
    for (index, symbol) in listed.iter().enumerate() {
        let line = entry(symbol);
        if text.len() + line.len() > SHOWN_BYTES {
            let more = counted((listed.len() - index) as u64, "more definition");
            text.push_str(&format!("[{more}; read one by its name, or the file from line {}]\n", symbol.first_line));
            break;
        }
        text.push_str(&line);
    }
    if listed.is_empty() {
        text.push_str("[no definitions]\n");
    }
    if outline.is_partial {
        text.push_str("[not all of the file was looked at]\n");
    }
    text
}

/// One definition, with its comments and attributes, and line numbers.
pub(super) fn definition(path: &str, source: &str, symbol: &Symbol, others: &[&Symbol]) -> String {
    let mut text = format!("{path}:{}-{} {} {}\n", symbol.lead_line, symbol.last_line, symbol.kind, name(symbol));
    let lines = source.lines().enumerate().skip(symbol.lead_line - 1).take(symbol.last_line + 1 - symbol.lead_line);
    for (index, line) in lines {
        let number = index + 1;
        if text.len() + line.len() > SHOWN_BYTES {
            let rest = symbol.last_line - index;
            let rest = counted(rest as u64, "more line");
            text.push_str(&format!("[{rest}; go on with read_file at line {number}]\n"));
            break;
        }
        text.push_str(&format!("{number}\t{line}\n"));
    }
    if !others.is_empty() {
        text.push_str("[its members:]\n");
        for other in others {
            let line = entry(other);
            if text.len() + line.len() > SHOWN_BYTES {
                text.push_str("[…]\n");
                break;
            }
            text.push_str(&line);
        }
    }
    text
}

/// Several definitions of one name.
pub(super) fn choice(asked: &str, symbols: &[&Symbol], all: &[Symbol]) -> String {
    let mut text = format!("{} definitions are called {asked}; name one in full, or read its lines:\n", symbols.len());
    for symbol in symbols {
        let around = group_of(symbol, all).map(|group| format!(" in {}", group.signature)).unwrap_or_default();
        let line =
            format!("{}-{} {}{around}: {}\n", symbol.first_line, symbol.last_line, name(symbol), symbol.signature);
        if text.len() + line.len() > SHOWN_BYTES {
            text.push_str("[…]\n");
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Qualified name, as people write it.
pub(super) fn name(symbol: &Symbol) -> String {
    symbol.path.join("::")
}

fn entry(symbol: &Symbol) -> String {
    let lines = if symbol.first_line == symbol.last_line {
        symbol.first_line.to_string()
    } else {
        format!("{}-{}", symbol.first_line, symbol.last_line)
    };
    let says_kind = symbol.signature.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == symbol.kind);
    let kind =
        if says_kind || symbol.signature.contains(symbol.kind) { String::new() } else { format!("{} ", symbol.kind) };
    format!("{lines}{}{kind}{}\n", "  ".repeat(symbol.depth + 1), symbol.signature)
}
