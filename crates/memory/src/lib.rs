//! What one session leaves for the next: transcripts read, knowledge kept, lessons learned, memories recalled.
//! The hooks call it; it never answers an agent itself.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod collect;
pub mod knowledge;
pub mod memories;
pub mod recall;
pub mod takeover;
