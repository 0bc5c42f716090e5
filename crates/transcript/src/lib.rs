//! Transcripts of the agents as one stream of records. What a line says is read by `sprag_protocol::agents`.
//! Read once, line by line, from where the last reading ended; what is not understood is passed over.

mod database;
mod reader;
mod usage;

pub use database::{exists, lines, sessions};
pub use reader::{Cursor, MAX_LINE, Reader};
pub use sprag_protocol::transcript::{Call, CallResult, Facts, Limit, Record, RecordKind, Role, Usage};
pub use usage::Totals;
