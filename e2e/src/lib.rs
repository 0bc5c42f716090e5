//! End-to-end tests with the real agents; they are in `tests/`.
