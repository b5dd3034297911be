//! Placeholder.
/// Placeholder.
#[derive(Debug)]
pub struct SerialisedHistory;
