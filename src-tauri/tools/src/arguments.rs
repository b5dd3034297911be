//! Arguments of tools: their JSON schema from the Rust type, and reading them with words that a model can act on.
//! What a value means (whether a path exists, a pattern parses) is left to each tool.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::tool::Refusal;

/// JSON schema of a tool's arguments, made when it is first looked at: a start needs none of them at once.
#[derive(Clone)]
pub struct Parameters(Arc<Schema>);

struct Schema {
    made: OnceLock<Value>,
    make: fn() -> Value,
}

impl Deref for Parameters {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.0.made.get_or_init(self.0.make)
    }
}

impl From<Value> for Parameters {
    fn from(schema: Value) -> Self {
        Self(Arc::new(Schema { made: schema.into(), make: || Value::Null }))
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::fmt(self, f)
    }
}

/// The schema of an argument type, without what no model needs: titles, formats, nulls for absent fields.
pub fn schema<T: JsonSchema>() -> Parameters {
    Parameters(Arc::new(Schema { made: OnceLock::new(), make: made::<T> }))
}

fn made<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(root) = &mut schema {
        root.remove("description");
        // Several providers want the word even where there is nothing to say.
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    strip(&mut schema);
    schema
}

/// Reads arguments into their type. A misfit names the field and says what is expected.
pub fn read<T: DeserializeOwned + JsonSchema>(arguments: &Map<String, Value>) -> Result<T, Refusal> {
    serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| {
        let misfit = misfit(&made::<T>(), &Value::Object(arguments.clone()), "");
        Refusal::bad_arguments(misfit.unwrap_or_else(|| error.to_string()))
    })
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(map) => {
            if matches!(map.get("type"), Some(Value::String(_) | Value::Array(_))) {
                for noise in ["title", "format", "additionalProperties"] {
                    map.remove(noise);
                }
                if map.get("minimum") == Some(&Value::from(0)) {
                    map.remove("minimum");
                }
            }
            if matches!(map.get("default"), Some(Value::Null | Value::Bool(false))) {
                map.remove("default");
            }
            if let Some(Value::Array(choices)) = map.get_mut("enum") {
                choices.retain(|choice| !choice.is_null());
            }
            if let Some(Value::Array(types)) = map.get("type") {
                let real: Vec<_> = types.iter().filter(|name| **name != "null").cloned().collect();
                if let [only] = real.as_slice() {
                    map.insert("type".to_owned(), only.clone());
                }
            }
            map.values_mut().for_each(strip);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The first place where `value` doesn't fit, in words; `None` when the schema sees nothing wrong.
fn misfit(schema: &Value, value: &Value, at: &str) -> Option<String> {
    let name = if at.is_empty() { "the arguments".to_owned() } else { format!("`{at}`") };
    let wanted = schema.get("type").and_then(Value::as_str)?;
    if !is_of_type(value, wanted) {
        return Some(format!("{name} must be {}, not {}", with_article(wanted), described(value)));
    }
    match value {
        Value::Object(map) => {
            let known = schema.get("properties").and_then(Value::as_object)?;
            let inner = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let is_optional = |key: &str| !required.clone().any(|name| name == key);
            if let Some(absent) = required.clone().filter_map(Value::as_str).find(|key| !map.contains_key(*key)) {
                return Some(format!("`{}` is missing", inner(absent)));
            }
            if let Some(unknown) = map.keys().find(|key| !known.contains_key(*key)) {
                let names: Vec<_> = known.keys().map(|key| format!("`{key}`")).collect();
                return Some(format!("`{}` is unknown; there are {}", inner(unknown), names.join(", ")));
            }
            // A field that may be absent may be written as null.
            let given = map.iter().filter(|(key, value)| !(value.is_null() && is_optional(key)));
            given.into_iter().find_map(|(key, value)| misfit(&known[key], value, &inner(key)))
        }
        Value::Array(items) => {
            let schema = schema.get("items")?;
            items.iter().enumerate().find_map(|(index, item)| misfit(schema, item, &format!("{at}[{index}]")))
        }
        Value::Number(number) => {
            let least = schema.get("minimum").and_then(Value::as_f64).unwrap_or(0.0);
            (number.as_f64()? < least).then(|| format!("{name} must be at least {least}, not {number}"))
        }
        Value::String(text) => {
            let choices = schema.get("enum").and_then(Value::as_array)?;
            let names: Vec<_> = choices.iter().map(Value::to_string).collect();
            (!choices.contains(value)).then(|| format!("{name} must be one of {}, not {text:?}", names.join(", ")))
        }
        Value::Null | Value::Bool(_) => None,
    }
}

fn is_of_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn with_article(kind: &str) -> &'static str {
    match kind {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "an array",
        _ => "an object",
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.len() <= 40 => format!("the string {text:?}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests;
