//! Replacing a file while everything that can go wrong does.
//! What the tools make of it is tested with them.
