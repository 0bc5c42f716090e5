//! Known fixes: errors that were met before, and what fixed them. Found in transcripts, kept in small files by the hash of the
//! masked error, told at the moment when the same error is met again.

pub mod book;
pub mod episode;
pub mod error_text;
pub mod intent;
pub mod lesson;
