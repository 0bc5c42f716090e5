//! What the model is told.

pub mod concurrent_context;
pub mod context_inject;
pub mod goal_reminder;
pub mod inject_rules;
pub mod pre_compact;
pub mod subagent_init;
