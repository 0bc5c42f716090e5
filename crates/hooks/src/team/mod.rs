//! Many agents.

pub mod agent_offline;
pub mod artifact_cleanup;
pub mod file_claims;
pub mod heartbeat;
pub mod identity_sync;
pub mod inbox;
pub mod pattern_suggest;
pub mod plan_reminder;
pub mod post_edit_simplify_reminder;
pub mod subagent_start;
pub mod subagent_stop;
