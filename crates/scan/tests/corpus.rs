//! The bars that the scanners hold on the project's own corpora, and what every finding promises.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "a test reads the corpora")]

use sprag_scan::injection;
use sprag_scan::scrub;
use std::path::Path;

/// Parts fake secrets in the file, so that no scanner of a hosting site takes them for real ones.
const JOINT: char = '⸱';

struct Row {
    text: String,
    bad: bool,
}

fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let content = std::fs::read_to_string(path).unwrap();
    content
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let expect = row["expect"].as_str().unwrap();
            assert!(matches!(expect, "clean" | "inject" | "secret"), "{line}");
            Row { text: row["text"].as_str().unwrap().replace(JOINT, ""), bad: expect != "clean" }
        })
        .collect()
}

/// Shares of the bad and of the clean rows that are stopped, with the rows that went wrong.
fn shares(rows: &[Row], stops: impl Fn(&str) -> bool) -> (f64, f64, String) {
    let (mut bad, mut caught, mut clean, mut stopped) = (0.0, 0.0, 0.0, 0.0);
    let mut wrong = String::new();
    for row in rows {
        let stop = stops(&row.text);
        if row.bad {
            bad += 1.0;
            caught += f64::from(u8::from(stop));
        } else {
            clean += 1.0;
            stopped += f64::from(u8::from(stop));
        }
        if stop != row.bad {
            wrong += if stop { "\nFALSE " } else { "\nMISS " };
            wrong += &row.text;
        }
    }
    (caught / bad, stopped / clean, wrong)
}

#[test]
fn secrets_hold_their_bar() {
    let rows = rows("secrets.jsonl");
    assert!(rows.len() >= 300);
    let (caught, stopped, wrong) = shares(&rows, |text| !scrub::find(text).is_empty());
    assert!(caught >= 0.98 && stopped <= 0.01, "{caught} {stopped}\n{wrong}");
}

#[test]
fn injections_hold_their_bar() {
    let rows = rows("injections.jsonl");
    assert!(rows.len() >= 300);
    let (caught, stopped, wrong) = shares(&rows, |text| !injection::scan(text).is_empty());
    assert!(caught >= 0.93 && stopped <= 0.02, "{caught} {stopped}\n{wrong}");
}

/// Sets that were written before the rules were changed for them, each in two halves.
#[test]
fn the_second_sets_hold_their_bars() {
    for (name, least, most) in [("secrets2.jsonl", 0.97, 0.01), ("secrets2.blind.jsonl", 0.95, 0.02)] {
        let (caught, stopped, wrong) = shares(&rows(name), |text| !scrub::find(text).is_empty());
        assert!(caught >= least && stopped <= most, "{name}: {caught} {stopped}\n{wrong}");
    }
    for (name, least, most) in [
        ("injections2.jsonl", 0.90, 0.01),
        ("injections2.blind.jsonl", 0.90, 0.01),
        ("injections3.jsonl", 0.90, 0.01),
        ("injections3.blind.jsonl", 0.75, 0.035),
    ] {
        let (caught, stopped, wrong) = shares(&rows(name), |text| !injection::scan(text).is_empty());
        assert!(caught >= least && stopped <= most, "{name}: {caught} {stopped}\n{wrong}");
    }
}

/// What was removed stays removed, and a second pass changes nothing.
#[test]
fn scrubbing_the_corpora_settles_at_once() {
    let all =
        ["secrets.jsonl", "secrets2.jsonl", "secrets2.blind.jsonl", "injections.jsonl", "injections2.jsonl"];
    for row in all.into_iter().flat_map(rows) {
        let once = scrub::scrub(&row.text).into_owned();
        assert_eq!(scrub::scrub(&once), once);
        assert!(scrub::find(&once).is_empty(), "{once}");
    }
}

#[test]
fn findings_say_where_and_never_quote_the_whole() {
    for row in rows("injections.jsonl").iter().filter(|row| row.bad) {
        let lines = row.text.lines().count().max(1);
        for finding in injection::scan(&row.text) {
            assert!(finding.line >= 1 && finding.line as usize <= lines, "{finding:?} in {}", row.text);
            assert!(finding.score >= injection::THRESHOLD && finding.excerpt.len() <= 60, "{finding:?}");
        }
    }
}

/// The same text gives the same findings, in every run and in every order.
#[test]
fn verdicts_are_the_same_on_every_thread() {
    let rows = rows("injections.jsonl");
    let verdicts = |rows: &[Row]| rows.iter().map(|row| injection::scan(&row.text)).collect::<Vec<_>>();
    let first = verdicts(&rows);
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..4).map(|_| scope.spawn(|| verdicts(&rows))).collect();
        for other in others {
            assert_eq!(other.join().unwrap(), first);
        }
    });
}
