//! Sorts the vocabulary at build time, so that words are found by binary search and nothing is built at startup.
#![allow(clippy::disallowed_methods, reason = "a build script reads the sources")]

use std::path::Path;

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=model/vocab.txt");
    let text = std::fs::read_to_string("model/vocab.txt")?;
    let mut words: Vec<(&str, u16)> = text.lines().zip(0..).collect();
    words.sort_unstable();
    // One record per word: its offset in the text (three bytes), its length, its id (two bytes).
    let mut index = Vec::with_capacity(words.len() * 6);
    let base = text.as_ptr() as usize;
    for (word, id) in words {
        let begin = (word.as_ptr() as usize - base) as u32;
        index.extend_from_slice(&begin.to_le_bytes()[..3]);
        index.push(word.len() as u8);
        index.extend_from_slice(&id.to_le_bytes());
    }
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("vocab.idx"), index)
}
