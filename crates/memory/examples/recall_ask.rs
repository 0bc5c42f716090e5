//! Asks a filled state folder one question, to see where the time goes:
//! `cargo run --release -p sprag-memory --example recall_ask -- STATE_DIR QUESTION [STORE_URL]`, or below `valgrind`.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

use sprag_memory::recall::{Embedder, Library, Question};
use sprag_store::{Opening, Store, Target};
use std::path::Path;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let state = Path::new(args.first().expect("a folder"));
    let text = args.get(1).expect("a question").clone();
    let target =
        Target::parse(args.get(2).map_or("sqlite", String::as_str), &state.join("sprag.db")).unwrap();
    let begun = Instant::now();
    let mut library = Library::new(Store::open(&target, Opening::WORKER).unwrap(), state, Embedder::local());
    let question = Question { text, most: 5, ..Question::default() };
    let found = library.recall(&question, 1_794_768_642_000_000).unwrap();
    println!("{:.1} ms, {} found", begun.elapsed().as_secs_f64() * 1e3, found.len());
}
