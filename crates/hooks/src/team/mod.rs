//! Many agents.
