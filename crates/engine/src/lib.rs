//! The runtime: configuration to plan to chain to verdict, with journal, queue and external hooks.
//! Hooks themselves are in `sprag-hooks`; how agents spell things is in `sprag-protocol`.

pub mod broker;
pub mod cache;
pub mod chain;
pub mod config;
pub mod deploy;
pub mod detach;
pub mod dispatch;
pub mod env;
pub mod external;
pub mod failures;
pub mod files;
pub mod glob;
pub mod heartbeat;
pub mod hook;
pub mod host;
pub mod injection;
pub mod job;
pub mod journal;
pub mod merge;
pub mod panics;
pub mod paths;
pub mod pattern;
pub mod person;
pub mod plan;
pub mod planted;
pub mod project;
pub mod queue;
pub mod record;
pub mod register;
pub mod scrub;
pub mod session;
pub mod settings;
pub mod summary;
pub mod time;
pub mod trust;
