//! What may not happen.

pub mod injection_scan;
pub mod tool_loop;
