//! Many agents.
pub mod agent_offline;
pub mod file_claims;
pub mod heartbeat;

pub mod identity;
pub mod identity_sync;
pub mod pattern;
pub mod subagent_start;
pub mod subagent_stop;
