//! sprag.
fn main() {}
