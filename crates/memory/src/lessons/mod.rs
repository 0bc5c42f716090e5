//! Lessons: what was learned once, matched to what is about to be done.
