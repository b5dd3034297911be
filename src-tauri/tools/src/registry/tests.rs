//! Tests of what a model is told of the tools.

use serde_json::Value;

use super::*;

/// Most bytes of the definitions of all standard tools in a request.
const MAX_BYTES: usize = 6_500;

#[test]
fn definitions_are_small_sorted_and_always_the_same_bytes() {
    let registry = Registry::standard();
    let text = registry.definitions();
    assert_eq!(text, Registry::standard().definitions());
    println!("{} bytes of definitions", text.len());
    assert!(text.len() < MAX_BYTES, "{} bytes", text.len());
    let definitions: Vec<ToolDefinition> = serde_json::from_str(text).unwrap();
    let names: Vec<_> = definitions.iter().map(|definition| definition.name.to_string()).collect();
    assert!(names.is_sorted() && !names.is_empty(), "{names:?}");
    for definition in &definitions {
        assert!(!definition.description.is_empty());
        let schema: Value = serde_json::from_str(definition.parameters.get()).unwrap();
        assert_eq!(schema["type"], "object", "{}", definition.name);
        assert!(schema["properties"].is_object(), "{}", definition.name);
        for noise in ["$schema", "title", "format", "$defs", "additionalProperties"] {
            assert!(!definition.parameters.get().contains(&format!("\"{noise}\"")), "{}: {noise}", definition.name);
        }
    }
}

#[test]
fn a_tool_is_found_by_its_exact_name() {
    let registry = Registry::standard();
    assert_eq!(registry.get("read_file").unwrap().spec().name, "read_file");
    assert!(registry.get("Read_File").is_none());
    assert_eq!(registry.tools().count(), registry.tools.len());
}
