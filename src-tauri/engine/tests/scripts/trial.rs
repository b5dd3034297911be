//! A stand-in for the app in tests: asked for the helper mode, it supervises one command, as the real programs do.
//! It does nothing else.

fn main() {
    assent_engine::supervise_if_asked();
}
