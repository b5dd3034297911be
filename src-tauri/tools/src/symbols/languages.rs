//! What counts as a definition, one file per language family.
//! The walk that asks these rules stands in `outline`.

pub(super) mod c;
pub(super) mod go;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod rust;

use tree_sitter::Node;

/// The text of a node; empty when it isn't on character boundaries, which no grammar here produces.
fn text<'source>(node: Node<'_>, source: &'source str) -> &'source str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field, when the node has it.
fn field<'source>(node: Node<'_>, name: &str, source: &'source str) -> Option<&'source str> {
    node.child_by_field_name(name).map(|child| text(child, source))
}

/// A type's bare name: `Vec<T>` is `Vec`, `&mut a::B` is `B`.
fn bare_type(text: &str) -> String {
    let head = text.split(['<', '[', '(']).next().unwrap_or(text);
    let last = head.rsplit([':', '.', '&', '*', ' ']).find(|part| !part.is_empty()).unwrap_or(head);
    last.trim().to_owned()
}
