//! `read_symbol`: the outline of a source file, or one definition of it, by tree-sitter; and names for the composer.
//! Nothing here resolves imports or types: names are those that stand in the file.

pub mod read_symbol;

mod index;
mod language;
mod languages;
mod macros;
mod memory;
mod named;
mod outline;
mod parse;
mod render;

pub use index::{NamedSymbol, SymbolIndex};

#[cfg(test)]
#[cfg(unix)]
mod tests;
