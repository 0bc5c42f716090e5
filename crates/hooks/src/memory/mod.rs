//! What is kept.

pub mod auto_handoff;
pub mod compound_loop;
pub mod handoff_index;
pub mod known_fix;
pub mod lesson_offer;
pub mod memory_awareness;
pub mod memory_index;
pub mod posttooluse_directive_refresh;
pub mod precompact_handoff;
pub mod pretooluse_lesson_inject;
pub mod session_start_lesson_protocol;
pub mod session_start_recall;
pub mod session_start_reset;
pub mod session_start_scan;
pub mod session_summary;
pub mod subagent_learning;
pub mod subagent_start_lesson_protocol;
