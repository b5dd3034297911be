//! What counts as a definition in Java.
//! Fields are left to reading the class.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::field;

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let body = node.child_by_field_name("body");
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "line_comment" | "block_comment" => Sort::Lead,
        "class_declaration" => Definition::of("class", name(), body),
        "interface_declaration" => Definition::of("interface", name(), body),
        "enum_declaration" => Definition::of("enum", name(), body),
        "record_declaration" => Definition::of("record", name(), body),
        "annotation_type_declaration" => Definition::of("@interface", name(), body),
        "method_declaration" | "annotation_type_element_declaration" => {
            Definition::function("method", vec![name().to_owned()], body)
        }
        "constructor_declaration" | "compact_constructor_declaration" => {
            Definition::function("constructor", vec![name().to_owned()], body)
        }
        "lambda_expression" => Sort::Body,
        _ => Sort::Plain,
    }
}
