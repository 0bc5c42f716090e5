//! What the journal has, for those who measure: spans and metrics over OTLP, and text for Prometheus and node_exporter. Only from
//! the background or when a person asks, only as the user's own configuration says. Labels are names of agents, events, hooks,
//! rules and tools; never a path, a command or a prompt.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod calls;
mod counts;
mod cursor;
mod export;
mod otlp;
mod prometheus;
mod spans;

pub use export::{ExportError, run};
pub use prometheus::{KIND, text, write_textfile};
