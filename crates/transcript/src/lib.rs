//! Transcripts of the agents as one stream of records. What a line says is read by `sprag_protocol::agents`.
//! Read once, line by line, from where the last reading ended; what is not understood is passed over.

mod reader;
mod usage;

pub use reader::{Cursor, MAX_LINE, Reader};
pub use sprag_protocol::transcript::{Call, CallResult, Facts, Limit, Record, RecordKind, Role, Usage};
pub use usage::Totals;
