//! Table. The commands the page may call, each named once: the build script, the dispatcher and the tests all read this list.
//! It holds names only, so that the build script can read it without the program.

/// Hands the table to another macro, as `shell: [..] engine: [..]`.
///
/// `shell` are the window's own commands; `engine` are the methods of the protocol, in its order.
macro_rules! commands {
    ($reader:ident) => {
        $reader! {
            shell: [ping, launch_folder, subscribe, keep_running, save_export, import_file]
            engine: [
                overview, open_folder, rename_project, remove_project, locate_project, create_conversation, open, history,
                after, standing, send, attach, attachment, edit_queued, withdraw_queued, move_queued, redeliver_queued,
                save_draft, save_draft_attachments, mark_read, approve, reject, revoke_rule, answer_question, questions, inbox, stop, continue_turn, compact, context, keep_discarded,
                set_mode, set_model, set_fallbacks, set_limits, rename, archive, delete, restore, clear, fork, resend, revert, resolve,
                check_again, memory, save_memory, output, replay, export, import, models, presets, known_models, save_provider, remove_provider, set_key,
                key_place, test_provider, save_settings, usage, usage_requests, search, complete_path, complete_symbol,
                skills, steering, trust, trusted, distrust, refresh_prompt
            ]
        }
    };
}
