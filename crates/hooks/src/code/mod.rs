//! The shape instead of the text.
