//! Secrets and prompt injections in text. Pure: text in, findings out, bounded in steps and bytes.

pub mod injection;
pub mod scrub;
