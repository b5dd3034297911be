//! What a wire format is: a pure builder of bodies and a pure reader of answers.
//! No format opens a connection; one provider has one format.

use assent_protocol::view::ModelView;

use crate::answer::Machine;
use crate::model::Body;

/// One wire format with the settings of one provider.
pub(crate) trait WireFormat: Send + Sync {
    /// Version of the code that makes bodies.
    fn builder(&self) -> &'static str;
    /// The body of the request for `view`; the same with and without `previous`.
    fn body(&self, view: &ModelView, previous: Option<Body>) -> Body;
    /// A machine for one answer.
    fn machine(&self) -> Box<dyn Machine>;
    /// Where requests go, behind the base URL.
    fn path(&self) -> &'static [&'static str];
}
