//! Transcripts of the agents as one stream of records: Claude Code's and Codex's JSON lines, Gemini's chat files.
//! Read once, line by line, from where the last reading ended; what is not understood is passed over.

mod claude;
mod codex;
mod gemini;
mod reader;
mod record;
mod usage;

pub use reader::{Cursor, MAX_LINE, Reader};
pub use record::{Call, CallResult, Facts, Kind, Limit, Record, Role, Usage};
pub use usage::Totals;
