//! Is it right.
