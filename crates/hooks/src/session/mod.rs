//! Knowing what runs.

pub mod session_cleanup;
pub mod session_end;
pub mod session_end_cleanup;
pub mod session_export;
pub mod session_init;
pub mod session_outcome;
pub mod session_register;
