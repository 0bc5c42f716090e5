//! Fills a state folder with many made-up memories, to measure recall at a size that nobody writes by hand:
//! `cargo run --release -p sprag-memory --example recall_fill -- STATE_DIR COUNT [STORE_URL]`.
//! Texts are words drawn by frequency, vectors point anywhere; every thousandth has the vector of its text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "an example")]

use sprag_encoder::{DIMENSIONS, Encoder, MODEL, Vector};
use sprag_memory::recall::{Draft, Embedder, Library};
use sprag_store::{Added, Opening, Store, Target};
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

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let state = Path::new(args.first().expect("a folder"));
    let count: u64 = args.get(1).and_then(|text| text.parse().ok()).expect("a count");
    std::fs::create_dir_all(state).unwrap();
    let url = args.get(2).map_or("sqlite", String::as_str);
    let target = Target::parse(url, &state.join("sprag.db")).unwrap();
    let mut store = Store::open(&target, Opening::WORKER).unwrap();
    let words: Vec<&str> = include_str!("../../encoder/model/vocab.txt")
        .lines()
        .skip(2_000)
        .filter(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    let encoder = Encoder::new().unwrap();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut vectors = Vec::new();
    for number in 0..count {
        let text: Vec<&str> = (0..18)
            .map(|_| {
                // Squared: some words are in many texts, most in few.
                let share = (dice.roll() % 1_000_000) as f64 / 1e6;
                words.get((share * share * words.len() as f64) as usize).copied().unwrap_or("word")
            })
            .collect();
        let draft = Draft { text: format!("{} {number}", text.join(" ")), ..Draft::default() };
        let new = draft.clean(number as i64).unwrap();
        let Added::New { seq, .. } = store.add_memory(&new, 1_794_768_642_000_000 + number as i64).unwrap()
        else {
            continue;
        };
        let vector = if number % 1_000 == 0 {
            encoder.encode(&new.text)
        } else {
            let plain: Vec<f32> = (0..DIMENSIONS).map(|_| (dice.roll() % 2_001) as f32 - 1_000.0).collect();
            let length = plain.iter().map(|x| x * x).sum::<f32>().sqrt();
            plain.iter().map(|x| x / length).collect()
        };
        let vector = Vector::quantize(&vector);
        vectors.push((seq, vector.scale, vector.numbers));
        if vectors.len() == 2_000 {
            store.put_vectors(MODEL, &vectors).unwrap();
            vectors.clear();
        }
    }
    store.put_vectors(MODEL, &vectors).unwrap();
    let mut library = Library::new(store, state, Embedder::local());
    library.tidy().unwrap();
    println!("{count} memories in {}", state.display());
}
