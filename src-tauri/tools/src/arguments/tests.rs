//! Tests of schemas and of reading arguments.

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their shapes are tested")]
struct Sample {
    /// A path
    path: String,
    lines: Option<u32>,
    #[serde(default)]
    all: bool,
    edits: Option<Vec<Edit>>,
    order: Option<Order>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only their shapes are tested")]
struct Edit {
    old: String,
    new: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Name,
    Size,
}

#[test]
fn schemas_are_bare() {
    let expected = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A path"},
            "lines": {"type": "integer"},
            "all": {"type": "boolean"},
            "edits": {"type": "array", "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                "required": ["old", "new"],
            }},
            "order": {"type": "string", "enum": ["name", "size"]},
        },
        "required": ["path"],
    });
    assert_eq!(*schema::<Sample>(), expected);
}

#[test]
fn misfits_name_the_field_and_what_is_expected() {
    let cases = [
        (json!({"lines": 3}), "`path` is missing"),
        (json!({"path": null}), "`path` must be a string, not null"),
        (json!({"path": "a", "lines": 1.5}), "`lines` must be an integer, not 1.5"),
        (json!({"path": "a", "lines": -1}), "`lines` must be at least 0, not -1"),
        (json!({"path": "a", "all": "yes"}), "`all` must be true or false, not the string \"yes\""),
        (json!({"path": "a", "edits": {"old": "x"}}), "`edits` must be an array, not an object"),
        (json!({"path": "a", "edits": [{"old": "x"}]}), "`edits[0].new` is missing"),
        (
            json!({"path": "a", "edits": [{"old": "x", "new": "y", "z": 1}]}),
            "`edits[0].z` is unknown; there are `new`, `old`",
        ),
        (json!({"path": "a", "order": "date"}), "`order` must be one of \"name\", \"size\", not \"date\""),
    ];
    for (arguments, words) in cases {
        let refusal = read::<Sample>(arguments.as_object().unwrap()).unwrap_err();
        assert_eq!(refusal, Refusal::bad_arguments(words));
    }
    // Beyond what the schema says, the type has the last word.
    let arguments = json!({"path": "a", "lines": 5_000_000_000u64});
    assert!(read::<Sample>(arguments.as_object().unwrap()).is_err());
    let arguments = json!({"path": "a", "lines": null, "edits": null, "order": null});
    assert!(read::<Sample>(arguments.as_object().unwrap()).is_ok());
}
