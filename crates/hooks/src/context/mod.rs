//! What the model is told.

pub mod context_inject;
pub mod inject_rules;
pub mod pre_compact;
pub mod subagent_init;
