//! Fills a state folder with many made-up memories, to measure recall at a size that nobody writes by hand:
//! `cargo run --release -p sprag-memory --example recall_fill -- STATE_DIR COUNT`.
//! Texts are words drawn by frequency, vectors and tokens point anywhere; every thousandth has those of its text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "an example")]

use sprag_encoder::{DIMENSIONS, Encoder, MODEL, TOKENS, Vector};
use sprag_memory::recall::{Draft, Embedder, Library};
use sprag_store::{Added, NewMemory, Opening, Store, Target};
use std::path::Path;

/// A generator of numbers that needs no crate.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Words drawn by frequency: some are in many texts, most in few.
fn sentence(words: &[&str], dice: &mut Dice) -> String {
    let drawn = (0..18).map(|_| {
        let share = (dice.roll() % 1_000_000) as f64 / 1e6;
        words.get((share * share * words.len() as f64) as usize).copied().unwrap_or("word")
    });
    drawn.collect::<Vec<_>>().join(" ")
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let state = Path::new(args.first().expect("a folder"));
    let count: u64 = args.get(1).and_then(|text| text.parse().ok()).expect("a count");
    std::fs::create_dir_all(state).unwrap();
    let target = Target::Sqlite(state.join("sprag.db"));
    let mut store = Store::open(&target, Opening::WORKER).unwrap();
    let words: Vec<&str> = include_str!("../../encoder/model/vocab.txt")
        .lines()
        .skip(2_000)
        .filter(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    let encoder = Encoder::new().unwrap();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let numbers: Vec<u64> = (0..count).collect();
    for batch in numbers.chunks(2_000) {
        let rows: Vec<NewMemory> = batch
            .iter()
            .map(|number| {
                let text = format!("{} {number}", sentence(&words, &mut dice));
                Draft { text, ..Draft::default() }.clean(*number as i64).unwrap()
            })
            .collect();
        let (mut vectors, mut all_tokens) = (Vec::new(), Vec::new());
        for (row, added) in rows.iter().zip(store.add_memories(&rows, 1_794_768_642_000_000).unwrap()) {
            let Added::New { seq, .. } = added else { continue };
            let (vector, tokens) = if seq % 1_000 == 0 {
                encoder.encode_tokens(&row.text, sprag_encoder::MAX_TOKENS)
            } else {
                let plain: Vec<f32> =
                    (0..DIMENSIONS).map(|_| (dice.roll() % 2_001) as f32 - 1_000.0).collect();
                let length = plain.iter().map(|x| x * x).sum::<f32>().sqrt();
                // As many bytes as 25 tokens have.
                let tokens = (0..25 * 33).map(|_| dice.roll() as u8).collect();
                (plain.iter().map(|x| x / length).collect(), tokens)
            };
            let vector = Vector::quantize(&vector);
            vectors.push((seq, vector.scale, vector.numbers));
            all_tokens.push((seq, 1.0, tokens));
        }
        store.put_vectors(MODEL, &vectors).unwrap();
        store.put_vectors(TOKENS, &all_tokens).unwrap();
    }
    let mut library = Library::new(store, state, Embedder::local());
    library.tidy().unwrap();
    println!("{count} memories in {}", state.display());
}
