//! What the model is told.

pub mod concurrent_context;
pub mod goal_reminder;
pub mod inject_rules;
pub mod subagent_init;
