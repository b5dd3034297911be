//! Names and ids of calls in a form that every provider takes.
//! They are labels only: calls are matched by our own ids.

use assent_protocol::ids::CallId;
use bytes::BytesMut;

use crate::json_text::write_string;

/// Stands where the name of a call would be empty.
const NO_NAME: &str = "unnamed";
/// Letters of a function's name at most, as OpenAI documents it; others take no more.
const LONGEST_NAME: usize = 64;

/// A call's name as the model gave it, within what servers take (`^[a-zA-Z0-9_-]{1,64}$`): one bad name that a model
/// made up must not make every later request of the conversation a refused one.
pub(crate) fn write_name(out: &mut BytesMut, name: &str) {
    let is_fit = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(|letter| is_fit(&letter)) {
        return write_string(out, name);
    }
    let fit: String = name.chars().take(LONGEST_NAME).map(|c| if is_fit(&c) { c } else { '_' }).collect();
    write_string(out, if fit.is_empty() { NO_NAME } else { &fit });
}

/// Our id in a form that the narrowest servers take: at most 40 characters, no dashes.
pub(crate) fn write_call_id(out: &mut BytesMut, call: &CallId) {
    let bare: String = call.as_str().chars().filter(|letter| *letter != '-').collect();
    write_string(out, &format!("call_{bare}"));
}
