//! The builtin hooks, one file each, in folders by family. Adding one: its file, its cases beside it,
//! its page in `docs/hooks/`, and one line in [`BUILTINS`].

pub mod context;
pub mod guard;
pub mod jobs;
pub mod plan;
pub mod session;
pub mod workspace;

use sprag_engine::hook::Builtin;

/// Every builtin, in the order of the chains.
pub static BUILTINS: &[Builtin] = &[
    session::session_init::HOOK,
    guard::injection_scan::HOOK,
    guard::tool_loop::HOOK,
    context::inject_rules::HOOK,
    context::subagent_init::HOOK,
    session::session_cleanup::HOOK,
];

/// Every handler of background work.
pub use jobs::JOBS;
