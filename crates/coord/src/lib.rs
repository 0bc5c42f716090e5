//! Many agents at work: sessions, claims, tasks, identity documents, messages, patterns and artifacts, as services over the store.

pub mod artifact;
pub mod caller;
pub mod claims;
pub mod identity;
pub mod liveness;
pub mod member;
pub mod messages;
pub mod patterns;
pub mod store;
pub mod tasks;
