//! Puts the pieces of calls together, whatever a server does with indices, ids and names.
//! Doesn't look at what arguments mean and mends none.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::body::call_extra_item;
use super::wire::CallDelta;
use crate::item::{CallPart, FinishedCall};
use crate::json_text::argument_text;
use assent_protocol::view::ProviderItem;

/// The calls of one answer, in the order of their first pieces.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Option<String>,
}

impl Calls {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes one piece; `place` is its position in its chunk. Says what there is to show.
    ///
    /// To which call a piece belongs is decided in this order:
    /// 1. An id that is known, at the same index if both have one: that call, unless it is complete and this is a
    ///    complete one again (some servers give all calls one id).
    /// 2. An id that is new: the call at this index that has no id yet and only lacks one, else a new call, also when
    ///    the index is taken.
    /// 3. No id, but an index: the latest call there, unless it is complete and another begins; else a new call.
    /// 4. Neither: the last call, unless a name says that another begins.
    pub(super) fn take(&mut self, delta: &CallDelta<'_>, place: usize) -> Option<CallPart> {
        let name = delta.function.as_ref().map_or("", |function| function.name.0.as_ref());
        let arguments =
            delta.function.as_ref().and_then(|function| function.arguments).map_or(Cow::Borrowed(""), argument_text);
        let id = delta.id.0.as_ref();
        if id.is_empty() && name.is_empty() && arguments.is_empty() && delta.extra_content.is_none() {
            return None;
        }

        let found = self.find(delta.index.0, id, name, &arguments, place);
        let position = found.unwrap_or_else(|| {
            self.calls.push(Call { index: delta.index.0, ..Call::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[position];
        call.index = call.index.or(delta.index.0);
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        call.take_name(name);
        call.arguments.push_str(&arguments);
        if let Some(extra) = delta.extra_content {
            call.extra = Some(extra.get().to_owned());
        }
        Some(CallPart { index: position as u32, name: call.name.clone(), arguments: arguments.into_owned() })
    }

    /// The calls as they were finished, and what has to be sent back with them.
    pub(super) fn finish(self) -> (Vec<FinishedCall>, Vec<ProviderItem>) {
        let mut finished = Vec::new();
        let mut items = Vec::new();
        for (index, call) in self.calls.into_iter().enumerate() {
            if let Some(extra) = call.extra {
                items.push(call_extra_item(index, &extra));
            }
            finished.push(FinishedCall {
                provider_id: Some(call.id).filter(|id| !id.is_empty()),
                name: call.name,
                arguments: call.arguments,
            });
        }
        (finished, items)
    }

    fn find(&self, index: Option<u64>, id: &str, name: &str, arguments: &str, place: usize) -> Option<usize> {
        let latest = |fits: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(fits);
        let begins_anew = |call: &Call| {
            !name.is_empty() && (arguments.trim_start().starts_with('{') || name != call.name) && call.is_complete()
        };
        if !id.is_empty() {
            let known = latest(&|call| call.id == id && may_be_same(call.index, index));
            if let Some(known) = known {
                return Some(known).filter(|at| !begins_anew(&self.calls[*at]));
            }
            let nameless =
                |call: &Call| call.id.is_empty() && (name.is_empty() || call.name.is_empty() || call.name == name);
            let without_id = match index {
                Some(_) => latest(&|call| call.index == index),
                None => self.calls.len().checked_sub(1),
            };
            return without_id.filter(|at| nameless(&self.calls[*at]) && !begins_anew(&self.calls[*at]));
        }
        if index.is_some() {
            let there = latest(&|call| call.index == index);
            if let Some(there) = there {
                return Some(there).filter(|at| !begins_anew(&self.calls[*at]));
            }
            // The first piece had no index and later ones do.
            let last = self.calls.len().checked_sub(1)?;
            return Some(last).filter(|at| self.calls[*at].index.is_none() && name.is_empty());
        }
        let last = self.calls.len().checked_sub(1)?;
        if name.is_empty() {
            return Some(last);
        }
        let begins = place > 0 || !self.calls[last].arguments.is_empty();
        Some(last).filter(|at| !begins || (self.calls[*at].name == name && !begins_anew(&self.calls[*at])))
    }
}

impl Call {
    /// Names come whole, in pieces before the arguments, growing, or again and again.
    fn take_name(&mut self, name: &str) {
        if name.is_empty() || name == self.name || (!self.name.is_empty() && !self.arguments.is_empty()) {
            return;
        }
        if name.starts_with(&self.name) {
            name.clone_into(&mut self.name);
        } else {
            self.name.push_str(name);
        }
    }

    /// Whether the arguments are a whole JSON object.
    fn is_complete(&self) -> bool {
        self.arguments.trim_start().starts_with('{') && serde_json::from_str::<&RawValue>(&self.arguments).is_ok()
    }
}

fn may_be_same(one: Option<u64>, other: Option<u64>) -> bool {
    one.is_none() || other.is_none() || one == other
}
