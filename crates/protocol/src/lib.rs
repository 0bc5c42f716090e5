//! What an agent says to a hook and what it reads back, as plain data.
//! Pure: no files, no processes, no environment, no clock (held by `clippy.toml`).

pub mod agents;
pub mod answer;
pub mod decode;
pub mod dialect;
pub mod dialects;
pub mod edits;
pub mod event;
pub mod kind;
pub mod outcome;
pub mod patch;
pub mod recordings;
mod reduce;
pub mod respell;
pub mod tool;
pub mod transcript;
pub mod verdict;

pub use agents::AgentId;
pub use decode::DecodeError;
pub use dialect::{Dialect, Encoded};
pub use event::Event;
pub use kind::EventKind;
pub use tool::{Access, PathUse, ToolCall, ToolKind};
pub use verdict::{Decision, Verdict};
