//! Outlines as data: one file of tests per language, and one for hostile sources.
//! Each goes through the tool, as a model's call does.

mod c;
mod go;
mod hostile;
mod java;
mod javascript;
mod python;
mod rust;
mod typescript;

use expect_test::Expect;
use serde_json::json;

use crate::search::tests::Ground;
use crate::symbols::read_symbol::tool;

/// The outline of a file of this name and text.
fn outline(name: &str, source: &str, expected: Expect) {
    let ground = Ground::new();
    ground.write(name, source);
    expected.assert_eq(&ground.text(tool(), json!({"path": name})));
}

/// One definition of a file, by name.
fn symbol(name: &str, source: &str, symbol: &str, expected: Expect) {
    let ground = Ground::new();
    ground.write(name, source);
    expected.assert_eq(&ground.text(tool(), json!({"path": name, "symbol": symbol})));
}
