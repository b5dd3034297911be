//! The projections: one function says what an event does to every table that is computed from the log.
//! It is the same for a live append and for a rebuild, and checks nothing.

use assent_protocol::event::Event;

use crate::error::StoreError;
use crate::table::{cards, conversations, executions, questions, queue, references, requests, search};
use crate::writer::Writing;

/// Carries an event into the projections, in the transaction that stores it. Tables that others read come first.
pub(crate) fn project(writing: &Writing<'_>, event: &Event) -> Result<(), StoreError> {
    conversations::project(writing, event)?;
    executions::project(writing, event)?;
    cards::project(writing, event)?;
    questions::project(writing, event)?;
    queue::project(writing, event)?;
    requests::project(writing, event)?;
    references::project(writing, event)?;
    search::project(writing, event)
}
