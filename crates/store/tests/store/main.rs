//! The store on SQLite and on a real PostgreSQL.

mod claims;
mod common;
mod conformance;
mod lessons;
mod memories;
mod migrations;
mod patterns;
mod tasks;
mod tls;
