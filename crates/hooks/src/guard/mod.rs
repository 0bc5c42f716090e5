//! What may not happen.

pub mod descriptive_name;
pub mod enforce_doc_rules;
pub mod guard_task;
pub mod loop_detection;
pub mod polling_limit;
pub mod tool_loop;
