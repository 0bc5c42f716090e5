//! Verification: which checkers a project has, what their output says, what of that is new, and when to stop holding a session.
//! Pure: files, processes and time are the caller's.

pub mod breaker;
pub mod detect;
pub mod diagnostic;
pub mod imports;
pub mod intent;
pub mod ledger;
pub mod lines;
pub mod parse;
pub mod report;
pub mod table;

pub use diagnostic::{Diagnostic, Severity};
