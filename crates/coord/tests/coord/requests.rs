//! The labelled requests: how many the classifier gets right. `cargo test -p sprag-coord --test coord -- --nocapture` prints the
//! figures; `REQUESTS=tuned` also prints what is wrong in the tuned half. The blind half is only counted.

#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use sprag_coord::patterns::request::requested;

struct Labelled {
    half: &'static str,
    label: &'static str,
    prompt: &'static str,
}

fn read(text: &'static str) -> Vec<Labelled> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut fields = line.splitn(3, '\t');
            let mut next = || fields.next().unwrap_or_default();
            Labelled { half: next(), label: next(), prompt: next() }
        })
        .collect()
}

fn label_of(prompt: &str) -> String {
    requested(prompt).map_or_else(|| "-".to_owned(), |found| found.kind.name().replace('_', "-"))
}

/// How many of one half are right, and how many there are.
fn counted(set: &[Labelled], half: &str) -> (usize, usize) {
    let of_half: Vec<&Labelled> = set.iter().filter(|one| one.half == half).collect();
    let show = half == "tuned" && std::env::var("REQUESTS").is_ok_and(|what| what == "tuned");
    let right = of_half.iter().filter(|one| {
        let found = label_of(one.prompt);
        if show && found != one.label {
            println!("{} for {}: {}", found, one.label, one.prompt);
        }
        found == one.label
    });
    (right.count(), of_half.len())
}

#[test]
fn nine_of_ten_requests_are_understood_and_ordinary_prompts_are_left_alone() {
    let patterns = read(include_str!("requests/patterns.tsv"));
    let unrelated = read(include_str!("requests/unrelated.tsv"));
    assert_eq!((patterns.len(), unrelated.len()), (110, 200));
    let halves = ["tuned", "blind"].map(|half| (half, counted(&patterns, half), counted(&unrelated, half)));
    for (half, (right, all), (left, others)) in halves {
        println!(
            "{half}: {right} of {all} requests right, {} of {others} others taken for one",
            others - left
        );
    }
    for (half, (right, all), (left, others)) in halves {
        assert!(right * 10 >= all * 9, "{half}: {right} of {all}");
        assert!((others - left) * 50 <= others, "{half}: {} of {others}", others - left);
    }
}
