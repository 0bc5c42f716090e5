//! Exports, decisions, failures, learnings and handoffs: plain files that a person can read.
