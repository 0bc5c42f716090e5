//! Many agents.

pub mod identity;
pub mod identity_sync;
pub mod pattern;
pub mod subagent_start;
pub mod subagent_stop;
