//! What is kept.

pub mod memory_awareness;
pub mod memory_index;
pub mod session_start_recall;
pub mod session_summary;
pub mod shelf;
pub mod subagent_learning;
