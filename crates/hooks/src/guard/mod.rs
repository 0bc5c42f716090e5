//! What may not happen.

pub mod loop_detection;
pub mod tool_loop;
