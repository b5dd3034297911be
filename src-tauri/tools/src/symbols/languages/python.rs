//! What counts as a definition in Python.
//! Of assignments only constants (capital letters) are listed; attributes are left to reading the class.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::{field, text};

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "comment" => Sort::Lead,
        "decorated_definition" => Sort::Wrap { signs: false },
        "function_definition" => Definition::function("def", vec![name().to_owned()], colon(node)),
        "class_definition" => Definition::of("class", name(), colon(node)),
        "lambda" => Sort::Body,
        "type_alias_statement" => {
            let left = field(node, "left", source).unwrap_or_default();
            Definition::value("type", left.split('[').next().unwrap_or(left), None)
        }
        "assignment" => match node.child_by_field_name("left") {
            Some(left) if left.kind() == "identifier" && is_constant(text(left, source)) => {
                Definition::value("constant", text(left, source), None)
            }
            _ => Sort::Plain,
        },
        _ => Sort::Plain,
    }
}

/// Where the signature ends: a comment may stand between the colon and the body.
fn colon(definition: Node<'_>) -> Option<Node<'_>> {
    (0..12).filter_map(|at| definition.child(at)).find(|child| child.kind() == ":")
}

fn is_constant(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}
