//! Many agents.
pub mod agent_offline;
pub mod file_claims;
pub mod heartbeat;
