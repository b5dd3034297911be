//! What counts as a definition in Rust.
//! Fields, variants and local variables are left to reading the definition.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::{bare_type, field, text};

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let body = node.child_by_field_name("body");
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "line_comment" | "block_comment" | "attribute_item" => Sort::Lead,
        "function_item" | "function_signature_item" => Definition::function("fn", vec![name().to_owned()], body),
        "struct_item" => Definition::of("struct", name(), body),
        "enum_item" => Definition::of("enum", name(), body),
        "union_item" => Definition::of("union", name(), body),
        "trait_item" => Definition::of("trait", name(), body),
        "mod_item" => Definition::of("mod", name(), body),
        "type_item" | "associated_type" => Definition::value("type", name(), None),
        "const_item" => Definition::value("const", name(), None),
        "static_item" => Definition::value("static", name(), None),
        "macro_definition" => Definition::of("macro_rules", name(), node.child(2)),
        "impl_item" => {
            let of = node.child_by_field_name("type").map(|node| text(node, source)).unwrap_or_default();
            // A tuple, an array or a function has no name but itself.
            let bare = bare_type(of);
            Definition::group("impl", if bare.is_empty() { of.to_owned() } else { bare }, body)
        }
        "closure_expression" => Sort::Body,
        _ => Sort::Plain,
    }
}
