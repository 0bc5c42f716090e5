//! The sentence encoder: text to a vector, offline, in this process.
