//! Memories and how the right one is found.
