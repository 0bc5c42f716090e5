//! How many questions find the right function among the first five: `cargo run --release -p sprag-codesearch --example questions --
//! NAME=FOLDER… [--show]`. The questions are in `tests/questions.tsv`; of each project, every second one was used for tuning.
#![allow(clippy::disallowed_methods, reason = "a tool for developers")]
#![allow(clippy::print_stdout)]

use sprag_code::extract::Depth;
use sprag_code::index::{Index, Mode, build};
use sprag_codesearch::{embed, search};
use std::path::Path;
use std::time::Instant;

const QUESTIONS: &str = include_str!("../tests/questions.tsv");

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|arg| arg == "--show");
    let state = std::env::temp_dir().join("sprag-codesearch-questions");
    // Right among the first five, and all: of those for tuning, then of the blind ones.
    let mut sums = [(0, 0), (0, 0)];
    for (name, folder) in args.iter().filter_map(|arg| arg.split_once('=')) {
        let root = Path::new(folder);
        build(&state, root, Depth::Calls)?;
        let Some(index) = Index::open(&state, root, Mode::Patient)? else { continue };
        let began = Instant::now();
        let made = embed(&index, &state, usize::MAX)?;
        let took = began.elapsed().as_secs_f64() * 1e3 / made.made.max(1) as f64;
        let mut right = [(0, 0), (0, 0)];
        let began = Instant::now();
        let questions = QUESTIONS.lines().filter_map(|line| {
            let mut parts = line.split('\t');
            (parts.next()? == name).then_some((parts.next()?, parts.next()?))
        });
        for (number, (question, wanted)) in questions.enumerate() {
            let answer = search(&index, &state, question, 5);
            let names: Vec<String> =
                answer.found.iter().filter_map(|found| Some(index.symbol(found.id)?.name)).collect();
            let hit = names.iter().any(|name| wanted.split('|').any(|wanted| wanted == name));
            for of in [right.get_mut(number % 2), sums.get_mut(number % 2)].into_iter().flatten() {
                *of = (of.0 + usize::from(hit), of.1 + 1);
            }
            if show && !hit && number % 2 == 0 {
                println!("  {question}: {wanted}; found {}", names.join(", "));
            }
        }
        let count = right.iter().map(|(_, all)| all).sum::<usize>().max(1);
        println!(
            "{name}: tuned {} of {}, blind {} of {}; {} vectors, {took:.1} ms each; {:.0} ms a question",
            right[0].0,
            right[0].1,
            right[1].0,
            right[1].1,
            made.made,
            began.elapsed().as_secs_f64() * 1e3 / count as f64
        );
    }
    let share = |(right, all): (usize, usize)| 100.0 * right as f64 / all.max(1) as f64;
    println!("tuned {:.0} %, blind {:.0} %", share(sums[0]), share(sums[1]));
    Ok(())
}
