//! Measures the flow layers over real code: `cargo run --release -p sprag-code --example flow_bench -- DIR…`
//! With `--long` it shows instead how time grows with the length of one function, for several forms.
#![allow(clippy::disallowed_methods, reason = "tests set up files")]
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/flow/forms.rs"]
mod forms;

use forms::FORMS;
use sprag_code::flow::{self, Analysis, Direction};
use sprag_code::language::Language;
use sprag_code::parse::{self, Limits};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

#[derive(Default)]
struct Tally {
    functions: usize,
    lines: usize,
    blocks_of_code: usize,
    partial: usize,
    /// Text of the control flow and of the data flow, as part of the code.
    cfg: Vec<f64>,
    dfg: Vec<f64>,
    /// Slices: lines as part of the lines with code, empty ones.
    backward: Vec<f64>,
    of_length: Vec<f64>,
    empty: usize,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--long") {
        return long();
    }
    let slices = !args.iter().any(|arg| arg == "--fast");
    let mut files = Vec::new();
    for arg in args.iter().filter(|arg| !arg.starts_with("--")) {
        collect(Path::new(arg), &mut files);
    }
    let start = Instant::now();
    let next = Mutex::new(files.into_iter());
    let tallies: Vec<Vec<(Language, Tally)>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(|| work(&next, slices))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let took = start.elapsed();
    let mut all: Vec<(Language, Tally)> = Vec::new();
    for (language, tally) in tallies.into_iter().flatten() {
        match all.iter_mut().find(|(other, _)| *other == language) {
            Some((_, sum)) => add(sum, tally),
            None => all.push((language, tally)),
        }
    }
    all.sort_by_key(|(language, _)| *language);
    let functions: usize = all.iter().map(|(_, tally)| tally.functions).sum();
    println!("{functions} functions in {:.2} s, two threads", took.as_secs_f64());
    for (language, mut tally) in all {
        println!(
            "{:10} {:6} functions {:7} lines {:4} partial; cfg {:.0} % dfg {:.0} % of the code (median); \
             slices at {} lines: {} empty, mean {:.1} % median {:.1} % of the code, mean {:.1} % of the length",
            language.name(),
            tally.functions,
            tally.lines,
            tally.partial,
            median(&mut tally.cfg) * 100.0,
            median(&mut tally.dfg) * 100.0,
            tally.backward.len(),
            tally.empty,
            mean(&tally.backward) * 100.0,
            median(&mut tally.backward) * 100.0,
            mean(&tally.of_length) * 100.0,
        );
    }
}

fn add(sum: &mut Tally, other: Tally) {
    sum.functions += other.functions;
    sum.lines += other.lines;
    sum.blocks_of_code += other.blocks_of_code;
    sum.partial += other.partial;
    sum.empty += other.empty;
    sum.cfg.extend(other.cfg);
    sum.dfg.extend(other.dfg);
    sum.backward.extend(other.backward);
    sum.of_length.extend(other.of_length);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let Ok(list) = std::fs::read_dir(path) else { return };
        let mut list: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
        list.sort();
        for inner in list {
            collect(&inner, files);
        }
    } else if Language::of_path(path).is_some_and(flow::is_supported) {
        files.push(path.to_owned());
    }
}

fn work(next: &Mutex<std::vec::IntoIter<PathBuf>>, slices: bool) -> Vec<(Language, Tally)> {
    let mut tallies: Vec<(Language, Tally)> = Vec::new();
    loop {
        let file = next.lock().ok().and_then(|mut list| list.next());
        let Some(file) = file else { return tallies };
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let Ok(parsed) = parse::file(&file, &bytes, Limits::QUICK) else { continue };
        if !tallies.iter().any(|(language, _)| *language == parsed.language) {
            tallies.push((parsed.language, Tally::default()));
        }
        let Some((_, tally)) = tallies.iter_mut().find(|(language, _)| *language == parsed.language) else {
            continue;
        };
        for place in flow::functions(&parsed).iter().filter(|place| place.around.is_none()) {
            let Some(analysis) = Analysis::new(&parsed, place) else { continue };
            tally.functions += analysis.unit.functions.len();
            tally.partial += usize::from(!analysis.is_complete());
            measure(&analysis, &parsed, place.lines, tally, slices);
        }
    }
}

fn measure(analysis: &Analysis, parsed: &parse::Parsed, lines: (u32, u32), tally: &mut Tally, slices: bool) {
    let length = lines.1 - lines.0 + 1;
    tally.lines += length as usize;
    let function = &analysis.unit.functions[0];
    if analysis.unit.functions.len() == 1 && length >= 5 {
        let text = (function.span.1 - function.span.0).max(1);
        tally.cfg.push(analysis.cfg_text(&parsed.source, 0, &function.name).len() as f64 / f64::from(text));
        tally.dfg.push(analysis.dfg_text(0, &function.name).len() as f64 / f64::from(text));
    }
    if !slices || length < 15 {
        return;
    }
    let code = analysis.lines();
    for line in &code {
        match analysis.slice(*line, None, Direction::Backward) {
            Ok(slice) if !slice.is_empty() => {
                tally.backward.push(slice.len() as f64 / code.len() as f64);
                tally.of_length.push(slice.len() as f64 / f64::from(length));
            }
            _ => tally.empty += 1,
        }
    }
}

/// Time for one function of growing length, for each form.
fn long() {
    const LINES: [usize; 7] = [250, 500, 1_000, 2_000, 2_500, 5_000, 10_000];
    println!("µs per line (and steps per line), without parsing; then the longest: parse, flow, texts");
    for (name, language, form) in FORMS.iter().filter(|form| flow::is_supported(form.1)) {
        let mut row = String::new();
        let mut last = (0.0, 0.0, 0.0);
        for lines in LINES {
            let text = form(lines);
            let Ok(parsed) = parse::text(*language, &text, Limits::PATIENT) else { return };
            let start = Instant::now();
            let _ = parse::text(*language, &text, Limits::PATIENT);
            last.0 = start.elapsed().as_secs_f64() * 1e3;
            let (mut best, mut steps) = (f64::MAX, 0);
            for _ in 0..5 {
                let start = Instant::now();
                let places = flow::functions(&parsed);
                let Some(place) = places.first() else { return };
                let Some(analysis) = Analysis::new(&parsed, place) else { return };
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
                steps = analysis.steps();
                let start = Instant::now();
                let _ = (analysis.cfg_text(&parsed.source, 0, "long"), analysis.dfg_text(0, "long"));
                last.2 = start.elapsed().as_secs_f64() * 1e3;
            }
            last.1 = best;
            row.push_str(&format!(" {:5.2} ({:3})", best * 1e3 / lines as f64, steps / lines as u64));
        }
        println!("{name:33}{row}; {:.0} ms, {:.0} ms, {:.0} ms", last.0, last.1, last.2);
    }
}
