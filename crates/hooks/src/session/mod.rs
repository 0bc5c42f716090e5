//! Knowing what runs.

pub mod session_cleanup;
pub mod session_init;
pub mod session_register;
