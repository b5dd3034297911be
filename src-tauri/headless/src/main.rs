//! Placeholder header.

fn main() {}
