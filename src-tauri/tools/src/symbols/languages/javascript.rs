//! What counts as a definition in JavaScript and TypeScript, JSX and TSX included.
//! Imports by `require` and members of interfaces are left out.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::{field, text};

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let body = node.child_by_field_name("body");
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "comment" | "decorator" => Sort::Lead,
        "export_statement" | "ambient_declaration" => Sort::Wrap { signs: true },
        "lexical_declaration" | "variable_declaration" if node.named_child_count() == 1 => Sort::Wrap { signs: true },
        "expression_statement" => match node.named_child(0).map(|child| child.kind()) {
            Some("assignment_expression" | "internal_module") => Sort::Wrap { signs: true },
            _ => Sort::Plain,
        },
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Definition::function("function", vec![name().to_owned()], body)
        }
        "class_declaration" | "abstract_class_declaration" | "class" if !name().is_empty() => {
            Definition::of("class", name(), body)
        }
        "class" if is_exported(node) => Definition::of("class", "default", body),
        "method_definition" | "abstract_method_signature" => {
            Definition::function("method", vec![bare_name(name())], body)
        }
        // In a class: an overload, or a method of a class that is only declared.
        "method_signature" if node.parent().is_some_and(|parent| parent.kind() == "class_body") => {
            Definition::function("method", vec![bare_name(name())], None)
        }
        "interface_declaration" => Definition::of("interface", name(), body),
        "enum_declaration" => Definition::of("enum", name(), body),
        "type_alias_declaration" => Definition::value("type", name(), None),
        "internal_module" | "module" if body.is_some() => Definition::of("namespace", &bare_name(name()), body),
        "variable_declarator" => declarator(node, source),
        "pair" | "field_definition" | "public_field_definition" => member(node, source),
        "assignment_expression" => assignment(node, source),
        "arrow_function" | "function_expression" | "generator_function" if is_exported(node) => {
            let name = if name().is_empty() { "default" } else { name() };
            Definition::function("function", vec![name.to_owned()], body)
        }
        "object" if is_exported(node) => Definition::value("object", "default", Some(node)),
        "arrow_function" | "function_expression" | "generator_function" => Sort::Body,
        _ => Sort::Plain,
    }
}

fn declarator<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let (Some(name), value) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return Sort::Plain;
    };
    if name.kind() != "identifier" {
        return Sort::Plain;
    }
    let name = text(name, source);
    match value.and_then(function_body) {
        Some(body) => Definition::function("function", vec![name.to_owned()], Some(body)),
        None if value.is_some_and(|value| text(value, source).starts_with("require(")) => Sort::Plain,
        None => Definition::value("variable", name, value.filter(|value| value.kind() == "object")),
    }
}

/// A function as a member of an object or a class: `name: () => …`, `name = () => …`.
fn member<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let name = ["key", "property", "name"].iter().find_map(|name| field(node, name, source)).unwrap_or_default();
    match node.child_by_field_name("value").and_then(function_body) {
        Some(body) => Definition::function("method", vec![bare_name(name)], Some(body)),
        None => Sort::Plain,
    }
}

/// Whether it is what a module exports as its default.
fn is_exported(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "export_statement")
}

/// `exports.name = function …`, `Type.prototype.name = …`, `module.exports = { … }`.
fn assignment<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let left = field(node, "left", source).unwrap_or_default();
    let is_path = left.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    let right = node.child_by_field_name("right");
    match right.and_then(function_body) {
        Some(body) if left == "module.exports" => {
            Definition::function("function", vec!["exports".to_owned()], Some(body))
        }
        Some(body) if is_path => {
            let skipped = ["module", "exports", "prototype", "window", "globalThis", "this", "self"];
            let names = left.split('.').filter(|part| !skipped.contains(part)).map(str::to_owned).collect();
            Definition::function("function", names, Some(body))
        }
        None if left == "module.exports" && right.is_some_and(|right| right.kind() == "object") => {
            Definition::value("object", "exports", right)
        }
        _ => Sort::Plain,
    }
}

fn function_body(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => value.child_by_field_name("body"),
        _ => None,
    }
}

fn bare_name(name: &str) -> String {
    name.trim_matches(['"', '\'', '`', '[', ']']).to_owned()
}
