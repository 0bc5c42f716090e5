//! What is kept.

pub mod posttooluse_directive_refresh;
pub mod precompact_handoff;
pub mod pretooluse_lesson_inject;
pub mod session_start_lesson_protocol;
pub mod session_start_reset;
pub mod session_start_scan;
pub mod subagent_start_lesson_protocol;
