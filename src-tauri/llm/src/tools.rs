//! The tool definitions of a view, for formats that write them in their own shape.

use assent_protocol::tool::ToolDefinition;

/// Whether a view has tools at all.
pub(crate) fn has_tools(tools: &str) -> bool {
    tools.contains('{')
}

/// The definitions in the view's JSON array.
pub(crate) fn tools(tools: &str) -> Vec<ToolDefinition> {
    if !has_tools(tools) {
        return Vec::new();
    }
    let definitions = serde_json::from_str(tools);
    debug_assert!(definitions.is_ok(), "the view's tools are no definitions: {definitions:?}");
    definitions.unwrap_or_default()
}
