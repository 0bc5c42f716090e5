//! The store on SQLite and on a real PostgreSQL.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail, and sets up files"
)]

mod claims;
mod common;
mod conformance;
mod deadlines;
mod dispatch;
mod histories;
mod lessons;
mod memories;
mod migrations;
mod patterns;
mod tasks;
mod tls;
