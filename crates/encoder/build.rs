//! Sorts the vocabulary at build time, so that words are found by binary search and nothing is built at startup; and
//! weighs its words by how common they are. Joins the parts of the model, which are packages of their own.
#![allow(clippy::disallowed_methods, reason = "a build script reads the sources")]

use std::path::Path;

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=model/vocab.txt");
    let text = std::fs::read_to_string("model/vocab.txt")?;
    let mut words: Vec<(&str, u16)> = text.lines().zip(0..).collect();
    let weights: Vec<u8> = words.iter().map(|(word, id)| weight(word, *id)).collect();
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
    let parts = [sprag_model1::PART, sprag_model2::PART, sprag_model3::PART];
    std::fs::write(Path::new(&out).join("model.safetensors"), parts.concat())?;
    std::fs::write(Path::new(&out).join("vocab.weights"), weights)?;
    std::fs::write(Path::new(&out).join("vocab.idx"), index)
}

/// How much a token says, in 25ths: nothing for punctuation, little for common words. The vocabulary is sorted by
/// frequency from its first whole word on, so that the logarithm of the position stands for the rarity.
fn weight(word: &str, id: u16) -> u8 {
    const FIRST_WORD: u16 = 1996;
    const PIECE: f32 = 6.0;
    let spoken = word.starts_with("##") || word.starts_with(char::is_alphanumeric);
    let weight = if !spoken {
        0.0
    } else if word.starts_with("##") || id < FIRST_WORD {
        PIECE
    } else {
        (1.0 + f32::from(id - FIRST_WORD + 1) / 5.0).ln()
    };
    (weight * 25.0).round() as u8
}
