//! Lessons: a mistake made once is not made again. What was learned is kept, matched to calls, said once where it
//! helps, and found in transcripts in the first place.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod artifacts;
pub mod call;
pub mod doctor;
pub mod fires;
pub mod fixes;
pub mod handoff;
pub mod import;
pub mod index;
pub mod jobs;
pub mod library;
pub mod model;
pub mod news;
pub mod pattern;
pub mod project;
pub mod review;
pub mod scan;
pub mod seen;
pub mod select;
pub mod similar;
pub mod speak;
pub mod texts;
pub mod validate;
