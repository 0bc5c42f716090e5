//! The event path: decode, plan, chain, merge, encode; with journal, queue and recording.
//! Hooks themselves are in `sprag-hooks`; how agents spell things is in `sprag-protocol`.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod approvals;
pub mod ask;
pub mod broker;
pub mod calls;
pub mod chain;
pub mod disk;
pub mod dispatch;
pub mod error;
pub mod failures;
pub mod heartbeat;
pub mod history;
pub mod hook;
pub mod interactive;
pub mod job;
pub mod journal;
pub mod merge;
pub mod message;
pub mod notices;
pub mod once;
pub mod panics;
pub mod pending;
pub mod queue;
pub mod record;
pub mod remote;
pub mod seal;
pub mod session;
pub mod stops;
pub mod summary;
pub mod trial;
pub mod work;
