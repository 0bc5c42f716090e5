//! Learns the weights of the injection scanner from labelled texts.
//! Run with: `cargo run --release -p sprag-scan --example injection_train -- [--folds] --out crates/scan/src/injection/weights.bin
//! crates/scan/corpus/injections{,2,2.blind,3,3.train}.jsonl docs/*.md docs/*/*.md *.md`. The blind half of the third set is for judging only.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "it is a program that reads files and prints"
)]
#![allow(
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "buckets are below the table's length"
)]

use sprag_scan::injection::learned::{BUCKETS, Passage, UNIT};
use sprag_scan::injection::passages;

struct Sample {
    file: usize,
    bad: bool,
    hash: u64,
    /// How much it counts.
    weight: f32,
    passages: Vec<Passage>,
}

struct Model {
    bias: f32,
    weights: Vec<f32>,
    seen: Vec<f32>,
}

const EPOCHS: usize = 60;
const RATE: f32 = 0.12;
const DECAY: f32 = 2e-4;
/// How often of ten a text is learned without the signs of the rules. The rules were made with some of these texts
/// and fit them too well.
const WITHOUT_SIGNS: u64 = 8;
/// The kind of texts that were put together from parts, and how much one counts.
const COMPOSED: (&str, f32) = ("train/en", 0.5);

impl Model {
    fn new() -> Self {
        Self { bias: -1.0, weights: vec![0.0; BUCKETS], seen: vec![1e-3; BUCKETS] }
    }

    fn value(&self, passage: &Passage) -> f32 {
        let sum = |buckets: &[u16]| buckets.iter().map(|b| self.weights[usize::from(*b)]).sum::<f32>();
        let root = |buckets: &[u16]| (buckets.len() as f32 + 1.0).sqrt();
        self.bias
            + sum(&passage.words) / root(&passage.words)
            + sum(&passage.means) / root(&passage.means)
            + sum(&passage.signs)
    }

    /// The strongest passage decides, as it does when a text is scanned.
    fn strongest<'a>(&self, sample: &'a Sample) -> Option<(f32, &'a Passage)> {
        sample
            .passages
            .iter()
            .map(|passage| (self.value(passage), passage))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn learn(&mut self, sample: &Sample, signs: bool) {
        let Some((value, passage)) = self.strongest(sample) else { return };
        let known: f32 = passage.signs.iter().map(|bucket| self.weights[usize::from(*bucket)]).sum();
        let value = if signs { value } else { value - known };
        let error = (1.0 / (1.0 + (-value).exp()) - f32::from(u8::from(sample.bad))) * sample.weight;
        self.bias -= RATE * 0.05 * error;
        for (buckets, scale) in [
            (&passage.words, 1.0 / (passage.words.len() as f32 + 1.0).sqrt()),
            (&passage.means, 1.0 / (passage.means.len() as f32 + 1.0).sqrt()),
            (&passage.signs, f32::from(u8::from(signs)) * 0.5),
        ] {
            if scale == 0.0 {
                continue;
            }
            for bucket in buckets.iter().map(|bucket| usize::from(*bucket)) {
                let slope = error * scale + DECAY * self.weights[bucket];
                self.seen[bucket] += slope * slope;
                self.weights[bucket] -= RATE * slope / self.seen[bucket].sqrt();
            }
        }
    }

    fn trained(samples: &[&Sample]) -> Self {
        let mut model = Self::new();
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..EPOCHS {
            for at in (1..order.len()).rev() {
                order.swap(at, (random() % (at as u64 + 1)) as usize);
            }
            for at in &order {
                model.learn(samples[*at], (random() >> 20) % 10 >= WITHOUT_SIGNS);
            }
        }
        model
    }

    fn bytes(&self) -> Vec<u8> {
        let scaled = |weight: f32| (weight * UNIT as f32).round();
        let mut out = (scaled(self.bias) as i16).to_le_bytes().to_vec();
        out.extend(
            self.weights.iter().map(|weight| (scaled(*weight).clamp(-127.0, 127.0) as i8).cast_unsigned()),
        );
        out
    }
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Rows with labels; other files are documents.
fn labelled(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|extension| extension == "jsonl")
}

fn read(file: usize, path: &str, out: &mut Vec<Sample>) -> std::io::Result<()> {
    let content = std::fs::read_to_string(path)?;
    let mut push = |text: &str, bad: bool, weight: f32| {
        out.push(Sample { file, bad, hash: hash(text), weight, passages: passages(text) });
    };
    if labelled(path) {
        for line in content.lines() {
            let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let field = |name: &str| row.get(name).and_then(|value| value.as_str()).unwrap_or_default();
            let weight = if field("kind") == COMPOSED.0 { COMPOSED.1 } else { 1.0 };
            push(field("text"), field("expect") == "inject", weight);
        }
    } else {
        // A document counts by its sections.
        content.split("\n#").for_each(|section| push(section, false, 1.0));
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let out = args.iter().position(|arg| arg == "--out").and_then(|at| args.get(at + 1));
    let files: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--") && Some(*arg) != out).collect();
    let mut samples = Vec::new();
    for (at, file) in files.iter().enumerate() {
        read(at, file, &mut samples)?;
    }
    println!("{} texts, {} to find", samples.len(), samples.iter().filter(|sample| sample.bad).count());
    if args.iter().any(|arg| arg == "--folds") {
        folds(&samples, &files);
    }
    if let Some(out) = out {
        std::fs::write(out, Model::trained(&samples.iter().collect::<Vec<_>>()).bytes())?;
    }
    Ok(())
}

/// Every text judged by weights that were learned without it: shares at several thresholds, by file.
fn folds(samples: &[Sample], files: &[&String]) {
    let mut judged: Vec<(usize, bool, f32)> = Vec::new();
    for fold in 0..5 {
        let train: Vec<&Sample> = samples.iter().filter(|sample| sample.hash % 5 != fold).collect();
        let model = Model::trained(&train);
        judged.extend(samples.iter().filter(|sample| sample.hash % 5 == fold).map(|sample| {
            (sample.file, sample.bad, model.strongest(sample).map_or(-99.0, |(value, _)| value))
        }));
    }
    for (at, file) in files.iter().enumerate() {
        let share = |bad: bool, least: f32| {
            let all: Vec<_> = judged.iter().filter(|row| row.0 == at && row.1 == bad).collect();
            100.0 * all.iter().filter(|row| row.2 >= least).count() as f32 / (all.len() as f32).max(1.0)
        };
        if !labelled(file) {
            continue;
        }
        print!("{file:50}");
        for least in [-1.0, 0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0] {
            print!("  {least}: {:.1}/{:.1}", share(true, least), share(false, least));
        }
        println!();
    }
    for least in [0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0] {
        let all: Vec<_> = judged.iter().filter(|row| !labelled(files[row.0])).collect();
        let stopped = all.iter().filter(|row| row.2 >= least).count();
        println!("documents at {least}: {stopped} of {}", all.len());
    }
}
