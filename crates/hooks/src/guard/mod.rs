//! What may not happen.

pub mod cancel_check;
pub mod command_guard;
pub mod cost_limit;
pub mod descriptive_name;
pub mod enforce_doc_rules;
pub mod guard_task;
pub mod injection_scan;
pub mod loop_detection;
pub mod permission_policy;
pub mod polling_limit;
pub mod privacy_block;
pub mod prompt_hook;
pub mod scout_block;
pub mod session_taint;
pub mod strict_rules;
pub mod tool_loop;
