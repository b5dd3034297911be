//! What counts as a definition in C and C++. `Foo::bar` defined outside of its class has both names.
//! Variables and fields are left out; prototypes and function-like macros are listed.

use tree_sitter::Node;

use super::super::outline::{Definition, Sort};
use super::{bare_type, field, text};

/// Most declarators around a name (`*(*f)(int)`) that are looked through.
const DECLARATORS: usize = 32;

/// What a node is to an outline.
pub(in super::super) fn sort<'tree>(node: Node<'tree>, source: &str) -> Sort<'tree> {
    let body = node.child_by_field_name("body");
    let name = || field(node, "name", source).unwrap_or_default();
    match node.kind() {
        "comment" => Sort::Lead,
        "template_declaration" => Sort::Wrap { signs: true },
        "function_definition" => {
            let end = body.or_else(|| child_of_kind(node, &["default_method_clause", "delete_method_clause"]));
            Definition::function("function", declared(node, source), end)
        }
        "declaration" | "field_declaration" if is_prototype(node) => {
            Definition::function("prototype", declared(node, source), None)
        }
        // `template <> struct hash<T> { … };`
        "declaration" | "field_declaration" if is_in_template(node) => Sort::Wrap { signs: true },
        "struct_specifier" if body.is_some() => Definition::of("struct", &bare_type(name()), body),
        "class_specifier" if body.is_some() => Definition::of("class", &bare_type(name()), body),
        "union_specifier" if body.is_some() => Definition::of("union", name(), body),
        "enum_specifier" if body.is_some() => Definition::of("enum", name(), body),
        "namespace_definition" => {
            let names = name().split("::").map(str::to_owned).collect::<Vec<_>>().join("::");
            Definition::of("namespace", &names, body)
        }
        "alias_declaration" => Definition::value("using", name(), None),
        "concept_definition" => Definition::value("concept", name(), None),
        "type_definition" => {
            let declarator = node.child_by_field_name("declarator");
            let names = declarator.map(|node| names_in(node, source)).unwrap_or_default();
            let inner = node.child_by_field_name("type").and_then(|of| of.child_by_field_name("body"));
            Definition::value("typedef", names.last().map_or("", String::as_str), inner)
        }
        "preproc_function_def" => Definition::value("macro", name(), node.child_by_field_name("value")),
        "lambda_expression" => Sort::Body,
        _ => Sort::Plain,
    }
}

fn is_prototype(node: Node<'_>) -> bool {
    let mut declarator = node.child_by_field_name("declarator");
    for _ in 0..DECLARATORS {
        match declarator {
            Some(node) if node.kind() == "function_declarator" => {
                // `int (*f)(int)` declares a variable.
                return node
                    .child_by_field_name("declarator")
                    .is_some_and(|node| node.kind() != "parenthesized_declarator");
            }
            Some(node) => declarator = inner_declarator(node),
            None => return false,
        }
    }
    false
}

fn declared(node: Node<'_>, source: &str) -> Vec<String> {
    node.child_by_field_name("declarator").map(|node| names_in(node, source)).unwrap_or_default()
}

/// The name inside a declarator, with its scopes.
fn names_in(declarator: Node<'_>, source: &str) -> Vec<String> {
    let mut node = declarator;
    for _ in 0..DECLARATORS {
        match node.kind() {
            "qualified_identifier" => {
                return text(node, source)
                    .split("::")
                    .map(|part| if part.contains("operator") { operator_name(part) } else { bare_type(part) })
                    .collect();
            }
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name" | "operator_name"
            | "primitive_type" => {
                return vec![text(node, source).to_owned()];
            }
            "operator_cast" => return vec![operator_name(text(node, source))],
            "template_function" => return vec![bare_type(text(node, source))],
            _ => match inner_declarator(node) {
                Some(inner) => node = inner,
                None => return Vec::new(),
            },
        }
    }
    Vec::new()
}

/// An operator's name without the parameters that may follow: `operator bool() const` is `operator bool`.
fn operator_name(text: &str) -> String {
    let text = text.trim();
    let from = text.find("operator").map_or(0, |at| at + "operator".len());
    let own = &text[from..];
    // The parentheses of `operator()` are its name.
    let called = own.trim_start().strip_prefix("()").map_or(from, |rest| text.len() - rest.len());
    let end = text[called..].find('(').map_or(text.len(), |at| called + at);
    text[..end].trim().to_owned()
}

fn is_in_template(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "template_declaration")
}

fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("declarator").or_else(|| match node.kind() {
        "reference_declarator" | "parenthesized_declarator" | "attributed_declarator" | "pointer_declarator" => (0..12)
            .filter_map(|index| node.named_child(index))
            .find(|child| child.kind().ends_with("declarator") || child.kind().ends_with("identifier")),
        _ => None,
    })
}

fn child_of_kind<'tree>(node: Node<'tree>, kinds: &[&str]) -> Option<Node<'tree>> {
    (0..12).filter_map(|index| node.child(index)).find(|child| kinds.contains(&child.kind()))
}
