//! What may not happen.

pub mod command_guard;
pub mod permission_policy;
pub mod privacy_block;
pub mod scout_block;
pub mod tool_loop;
