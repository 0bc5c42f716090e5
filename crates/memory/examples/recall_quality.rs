//! How good recall is on the evaluation sets: `cargo run -p sprag-memory --example recall_quality`.
//! `-- DIR` measures the sets of a folder, dialogues in LoCoMo's format among them (`cargo xtask bench --recall-quality DIR`).
//! `-- tune` looks for better weights on the half that is for tuning; `-- misses` lists what goes wrong there.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

#[path = "../eval/folder.rs"]
mod folder;
#[path = "../eval/harness.rs"]
mod harness;

use harness::{BLIND, Half, QuestionKind, Shown, TUNED, ask_all, hits, shown};
use sprag_memory::recall::rank::{Weights, evidence};

fn main() {
    let path = std::env::args().nth(1).map(std::path::PathBuf::from).filter(|path| path.exists());
    if let Some(path) = path {
        print!("{}", folder::report(&path));
        return;
    }
    let ask = |set: &str, name: &str| {
        let dir = std::env::temp_dir().join(format!("sprag-recall-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let asked = ask_all(&dir, set);
        let _ = std::fs::remove_dir_all(&dir);
        asked
    };
    let mut asked = ask(TUNED, "tuned");
    let word = std::env::args().nth(1).unwrap_or_default();
    if word == "tune" {
        tune(&asked);
    }
    if word == "misses" {
        for one in asked.iter().filter(|one| one.half == Half::Tune) {
            for hit in one.found.last().into_iter().flatten().take(2) {
                let right = Some(&hit.name) == one.wanted.as_ref();
                let evidence = evidence(&hit.signals, &Weights::TUNED);
                let (name, signals) = (&hit.name, &hit.signals);
                println!("{evidence:.3} {right:5} {:?} {} -> {name} {signals:?}", one.kind, one.text);
            }
        }
    }
    let mut halves = vec![Half::Tune, Half::Report];
    if word.is_empty() {
        // Not while somebody tunes: what is looked at then is no longer blind.
        asked.extend(ask(BLIND, "blind"));
        halves.push(Half::Blind);
    }
    for half in halves {
        println!("{half:?}");
        println!("  {:<22}{:>8}{:>8}{:>8}", "found among first", "words", "meaning", "both");
        for (kind, places) in [
            (QuestionKind::Paraphrase, 1),
            (QuestionKind::Paraphrase, 3),
            (QuestionKind::Keywords, 1),
            (QuestionKind::Keywords, 3),
        ] {
            let row: Vec<String> = (0..3)
                .map(|way| format!("{:>7.0}%", 100.0 * hits(&asked, kind, half, way, places)))
                .collect();
            println!("  {:<22}{}", format!("{kind:?} {places}"), row.concat());
        }
        let Shown { right, precision, noise } = shown(&asked, half, None);
        println!(
            "  shown unasked: right {:.0}%, precision {:.0}%, unrelated prompts with something shown {:.0}%",
            100.0 * right,
            100.0 * precision,
            100.0 * noise
        );
    }
}

/// What each combination of a grid does on the half for tuning: how much is right, how much of it, how much noise.
fn tune(asked: &[harness::Asked]) {
    for lead in [0.0, 0.25, 0.5] {
        for words in [0.0, 0.25, 0.5] {
            for step in 0..12 {
                // The scale moves with the weight: a question has some eight words.
                let threshold = 0.84 + 2.0 * words + 0.2 * lead + 0.02 * step as f32;
                let weights = Weights { lead, words, threshold, ..Weights::TUNED };
                println!("{weights:?} {:?}", shown(asked, Half::Tune, Some(weights)));
            }
        }
    }
}
