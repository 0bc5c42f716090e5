//! The builtin hooks, one file each, in folders by family. Adding one: its file, its cases beside it,
//! its page in `docs/hooks/`, and one line in [`BUILTINS`].

pub mod approvals;
mod calls;
pub mod code;
mod commands;
pub mod context;
mod edits;
pub mod guard;
pub mod jobs;
pub mod links;
pub mod memory;
pub mod plan;
pub mod protected;
mod record;
pub mod session;
pub mod shell;
pub mod store;
pub mod team;
pub mod verify;
pub mod workspace;

use sprag_engine::hook::Builtin;

/// Every builtin, in the order of the chains.
pub static BUILTINS: &[Builtin] = &[
    session::session_init::HOOK,
    session::session_register::HOOK,
    guard::command_guard::HOOK,
    guard::privacy_block::HOOK,
    guard::scout_block::HOOK,
    guard::permission_policy::HOOK,
    guard::injection_scan::HOOK,
    guard::guard_task::HOOK,
    guard::polling_limit::HOOK,
    guard::tool_loop::HOOK,
    guard::loop_detection::HOOK,
    guard::descriptive_name::HOOK,
    guard::enforce_doc_rules::HOOK,
    code::tldr_read_enforcer::HOOK,
    code::smart_search_router::HOOK,
    code::signature_helper::HOOK,
    context::inject_rules::HOOK,
    context::subagent_init::HOOK,
    code::session_symbol_index::HOOK,
    session::session_cleanup::HOOK,
];

/// Every handler of background work.
pub use jobs::JOBS;
