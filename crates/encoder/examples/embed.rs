//! Encodes its arguments and prints how long it took: `cargo run --release -p sprag-encoder --example embed -- TEXT…`

#![allow(clippy::print_stdout, reason = "an example")]

use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), sprag_encoder::Error> {
    let begin = Instant::now();
    let encoder = sprag_encoder::Encoder::new()?;
    println!("opened in {:?}", begin.elapsed());
    for text in std::env::args().skip(1) {
        let run = |_| {
            let begin = Instant::now();
            black_box(encoder.encode(black_box(&text)));
            begin.elapsed()
        };
        let (first, best) = (run(0), (0..20).map(run).min().unwrap_or_default());
        println!("{} tokens: first {first:?}, best {best:?}", sprag_encoder::tokens(&text).len());
    }
    Ok(())
}
