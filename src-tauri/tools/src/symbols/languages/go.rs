//! What counts as a definition in Go. A method's qualified name begins with its receiver's type.
//! Fields and methods of interfaces are left to reading the type.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::{bare_type, field, text};

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let body = node.child_by_field_name("body");
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "comment" => Sort::Lead,
        "type_declaration" | "const_declaration" | "var_declaration"
            if node.named_child_count() == 1 && node.child(1).is_some_and(|child| child.kind() != "(") =>
        {
            Sort::Wrap { signs: true }
        }
        "function_declaration" => Definition::function("func", vec![name().to_owned()], body),
        "method_declaration" => Definition::function("func", vec![receiver(node, source), name().to_owned()], body),
        "type_spec" | "type_alias" => {
            let kind = match node.child_by_field_name("type").map(|node| node.kind()) {
                Some("struct_type") => "struct",
                Some("interface_type") => "interface",
                _ => "type",
            };
            let body = node.child_by_field_name("type").and_then(|of| match of.kind() {
                "struct_type" => of.named_child(0),
                "interface_type" => of.child(1),
                _ => None,
            });
            Definition::of(kind, name(), body)
        }
        "const_spec" => Definition::value("const", name(), None),
        "var_spec" => Definition::value("var", name(), None),
        "func_literal" => Sort::Body,
        _ => Sort::Plain,
    }
}

fn receiver(method: Node<'_>, source: &str) -> String {
    let parameter = method.child_by_field_name("receiver").and_then(|list| list.named_child(0));
    let of = parameter.and_then(|parameter| parameter.child_by_field_name("type"));
    of.map(|node| bare_type(text(node, source))).unwrap_or_default()
}
