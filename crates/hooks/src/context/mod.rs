//! What the model is told.

pub mod inject_rules;
pub mod subagent_init;
