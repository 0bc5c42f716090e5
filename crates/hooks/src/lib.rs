//! The builtin hooks, one file each, in folders by family. Adding one: its file, its cases beside it,
//! its page in `docs/hooks/`, and one line in [`BUILTINS`].
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod code;
pub mod context;
pub mod guard;
pub mod memory;
pub mod session;
pub mod team;
pub mod verify;

use sprag_runtime::hook::{Builtin, HookSpec};

/// Every builtin, in the order of the chains.
pub static BUILTINS: &[Builtin] = LIST;

const LIST: &[Builtin] = &[
    memory::session_start_reset::HOOK,
    session::session_init::HOOK,
    session::session_register::HOOK,
    session::session_outcome::HOOK,
    session::session_end::HOOK,
    session::session_end_cleanup::HOOK,
    team::identity_sync::HOOK,
    guard::cancel_check::HOOK,
    guard::command_guard::HOOK,
    guard::privacy_block::HOOK,
    guard::session_taint::HOOK,
    guard::strict_rules::HOOK,
    guard::scout_block::HOOK,
    guard::permission_policy::HOOK,
    guard::injection_scan::HOOK,
    guard::cost_limit::HOOK,
    guard::guard_task::HOOK,
    guard::polling_limit::HOOK,
    guard::tool_loop::HOOK,
    guard::loop_detection::HOOK,
    guard::descriptive_name::HOOK,
    guard::enforce_doc_rules::HOOK,
    guard::prompt_hook::HOOK,
    team::file_claims::HOOK,
    memory::pretooluse_lesson_inject::HOOK,
    code::tldr_read_enforcer::HOOK,
    code::smart_search_router::HOOK,
    code::signature_helper::HOOK,
    verify::typescript_preflight::HOOK,
    verify::build_sensor::HOOK,
    verify::stop_verify::HOOK,
    verify::compiler_in_the_loop::HOOK,
    verify::import_validator::HOOK,
    team::post_edit_simplify_reminder::HOOK,
    memory::memory_index::HOOK,
    memory::handoff_index::HOOK,
    memory::known_fix::HOOK,
    memory::posttooluse_directive_refresh::HOOK,
    team::heartbeat::HOOK,
    context::context_inject::HOOK,
    context::goal_reminder::HOOK,
    context::inject_rules::HOOK,
    memory::session_start_lesson_protocol::HOOK,
    memory::session_start_recall::HOOK,
    context::concurrent_context::HOOK,
    team::inbox::HOOK,
    team::pattern_suggest::HOOK,
    context::skill_activation_prompt::HOOK,
    memory::memory_awareness::HOOK,
    context::premortem_suggest::HOOK,
    context::dev_rules_reminder::HOOK,
    context::usage_context_awareness::HOOK,
    context::token_efficiency_reminder::HOOK,
    context::subagent_init::HOOK,
    team::subagent_start::HOOK,
    memory::subagent_start_lesson_protocol::HOOK,
    team::subagent_stop::HOOK,
    memory::subagent_learning::HOOK,
    team::plan_reminder::HOOK,
    context::pre_compact::HOOK,
    memory::precompact_handoff::HOOK,
    memory::auto_handoff::HOOK,
    session::session_export::HOOK,
    memory::compound_loop::HOOK,
    memory::session_summary::HOOK,
    memory::lesson_offer::HOOK,
    code::session_symbol_index::HOOK,
    memory::session_start_scan::HOOK,
    team::artifact_cleanup::HOOK,
    team::agent_offline::HOOK,
    session::session_cleanup::HOOK,
];

/// What each of them declares, for the configuration.
#[expect(clippy::indexing_slicing, reason = "checked by the compiler, which runs it")]
pub static SPECS: [&HookSpec; LIST.len()] = {
    let mut specs = [&memory::session_start_reset::HOOK.spec; LIST.len()];
    let mut at = 0;
    while at < LIST.len() {
        specs[at] = &LIST[at].spec;
        at += 1;
    }
    specs
};
