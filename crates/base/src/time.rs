//! The clock, and the points in time that it gives.

pub use sprag_time::{Stamp, parse_span};
use std::time::SystemTime;

/// Where the time comes from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A fixed time, for tests.
    Fixed(Stamp),
}

impl Clock {
    /// Now.
    pub fn now(self) -> Stamp {
        match self {
            Self::System => Stamp::from(SystemTime::now()),
            Self::Fixed(stamp) => stamp,
        }
    }
}
