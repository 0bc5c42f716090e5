//! What the model is told.

pub mod concurrent_context;
pub mod context_inject;
pub mod dev_rules_reminder;
pub mod goal_reminder;
pub mod inject_rules;
pub mod pre_compact;
pub mod premortem_suggest;
pub mod skill_activation_prompt;
pub mod subagent_init;
pub mod token_efficiency_reminder;
pub mod usage_context_awareness;
