//! Table. The commands the page may call, each named once: the build script, the dispatcher and the tests all read this list.
//! It holds names only, so that the build script can read it without the program.

/// Hands the table to another macro, as `shell: [..] engine: [..]`.
///
/// `shell` are the window's own commands; `engine` are the methods of the protocol, in its order.
macro_rules! commands {
    ($reader:ident) => {
        $reader! {
            shell: [ping, launch_folder]
            engine: []
        }
    };
}
