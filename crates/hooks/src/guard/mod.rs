//! What may not happen.

pub mod tool_loop;
