//! Examines an installation: is everything in place, and did every event come that should have come. [`examine`] lists
//! findings, each with what to do; [`check`] the faults of a configuration. Nothing is changed.

mod abilities;
mod check;
mod examine;
mod model;
mod probe;

pub use check::{Checked, check};
pub use examine::{AgentReport, EventRow, Examined, examine, state_fault};

/// How a finding is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth a look.
    Warn,
    /// Broken.
    Fail,
}

impl Level {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
pub struct Finding {
    /// How it is meant.
    pub level: Level,
    /// Which part of the installation.
    pub area: &'static str,
    /// What is so.
    pub what: String,
    /// What a person can do; empty when there is nothing to do.
    pub todo: String,
}
