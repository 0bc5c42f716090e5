//! Tests of the crate against data.

mod requests;
