//! Rates of the scanners on corpora of JSON lines: `{"text": …, "expect": "inject" | "secret" | "clean", "kind": …}`.
//! Run with: `cargo run --release -p sprag-engine --example scan_eval -- FILE… [--secrets] [--misses] [--speed]`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that prints")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it reads files and measures time")]

use sprag_scan::injection;
use sprag_scan::scrub;
use std::collections::BTreeMap;
use std::time::Instant;

/// A character that parts fake secrets in the files, so that no scanner of a hosting site takes them for real ones.
const JOINT: char = '⸱';

#[derive(Default)]
struct Rate {
    all: usize,
    stopped: usize,
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let misses = args.iter().any(|arg| arg == "--misses");
    let secrets = args.iter().any(|arg| arg == "--secrets");
    for file in args.iter().filter(|arg| !arg.starts_with("--")) {
        evaluate(file, misses, secrets)?;
    }
    if args.iter().any(|arg| arg == "--speed") {
        speed();
    }
    Ok(())
}

fn evaluate(file: &str, misses: bool, secrets: bool) -> std::io::Result<()> {
    let mut rates: BTreeMap<(String, String), Rate> = BTreeMap::new();
    let content = std::fs::read_to_string(file)?;
    let secrets =
        secrets || content.contains("\"expect\":\"secret\"") || content.contains("\"expect\": \"secret\"");
    for (number, line) in content.lines().enumerate() {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else {
            eprintln!("{file}:{}: no JSON", number + 1);
            continue;
        };
        let field =
            |name: &str| row.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let text = field("text").replace(JOINT, "");
        let (expect, kind) = (field("expect"), field("kind"));
        let stopped =
            if secrets { !scrub::find(&text).is_empty() } else { !injection::scan(&text).is_empty() };
        let wrong = stopped == matches!(expect.as_str(), "clean" | "allow");
        if wrong && misses {
            let short: String = text.chars().take(300).collect();
            println!(
                "{} {expect} {kind}: {}",
                if stopped { "FALSE" } else { "MISS " },
                short.replace('\n', "⏎")
            );
            if stopped && !secrets {
                println!("      {:?}", injection::scan(&text));
            } else if stopped {
                for secret in scrub::find(&text).iter().take(3) {
                    let from = secret.range.start.saturating_sub(40);
                    let near = text.get(
                        (0..=from).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)..secret.range.end,
                    );
                    println!("      {}: {}", secret.kind, near.unwrap_or_default().replace('\n', "⏎"));
                }
            }
        }
        for kind in [kind, "*".to_owned()] {
            let rate = rates.entry((expect.clone(), kind)).or_default();
            rate.all += 1;
            rate.stopped += usize::from(stopped);
        }
    }
    println!("{file}");
    for ((expect, kind), rate) in &rates {
        let share = 100.0 * rate.stopped as f64 / rate.all as f64;
        println!("  {expect:8} {kind:40} {:4} of {:4} stopped {share:5.1} %", rate.stopped, rate.all);
    }
    Ok(())
}

/// Ten megabytes of log lines, code and prose.
fn speed() {
    let piece = "2026-11-15T09:03:00Z INFO request id=9f86d081884c7d659a2feaa0c55ad015 path=/api/v1/items?page=2 took 12ms\n\
                 let total = items.iter().map(|item| item.price * item.quantity).sum::<u64>(); // the sum of a cart\n\
                 \"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\",\n\
                 The quick brown fox jumps over the lazy dog, and nobody was told to ignore it. password: changeme\n";
    let text = piece.repeat((10 << 20) / piece.len() + 1);
    for (name, bad) in [
        ("plain", text.clone()),
        ("colons", ":".repeat(10 << 20)),
        ("headers", "-----BEGIN RSA PRIVATE KEY-----".repeat(300_000)),
        ("password is ", "password is ".repeat(800_000)),
        ("dashes", "--token -u ".repeat(800_000)),
        ("one line", "a1B2".repeat(2 << 20)),
        ("://", "://a:b".repeat(1 << 20)),
    ] {
        let began = Instant::now();
        let found = scrub::find(&bad).len();
        println!("secrets    {name:12} {:9} bytes {found:6} found {:?}", bad.len(), began.elapsed());
        let began = Instant::now();
        let found = injection::scan(&bad).len();
        println!("injections {name:12} {:9} bytes {found:6} found {:?}", bad.len(), began.elapsed());
    }
    let short = text.get(..10_000).unwrap_or_default();
    let began = Instant::now();
    for _ in 0..100 {
        std::hint::black_box((scrub::find(short).len(), injection::scan(short).len()));
    }
    println!("both, 10 kB: {:?} each", began.elapsed() / 100);
}
