//! What an agent says to a hook and what it reads back, as plain data.
//! Pure: no files, no processes, no environment, no clock (held by `clippy.toml`).

pub mod agent;
pub mod answer;
pub mod decode;
pub mod dialect;
pub mod dialects;
pub mod edits;
pub mod event;
pub mod kind;
pub mod patch;
pub mod recordings;
pub mod tool;
pub mod verdict;

pub use agent::AgentId;
pub use decode::DecodeError;
pub use dialect::{Dialect, Encoded};
pub use event::Event;
pub use kind::EventKind;
pub use tool::{Access, PathUse, ToolCall, ToolKind};
pub use verdict::{Decision, Verdict};
