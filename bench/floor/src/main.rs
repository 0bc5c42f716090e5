//! The floor: the least that any native hook does. Reads its payload, parses it, prints an empty answer.

use std::io::{Read as _, Write as _};

fn main() {
    let mut payload = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut payload);
    let value: serde_json::Value = serde_json::from_slice(&payload).unwrap_or_default();
    std::hint::black_box(&value);
    let _ = std::io::stdout().lock().write_all(b"{}");
}
