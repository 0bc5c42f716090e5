//! Tests of deploy.
