//! Streaming readers for the transcripts of the agents.
