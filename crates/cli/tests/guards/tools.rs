//! The labelled calls of `crates/guard/corpus`: attempts around the guards by commands and tools, and ordinary work that
//! touches the same files and tools.

use crate::batch::batch;
use crate::cli_home::Home;
use serde_json::Value;

/// The rows with the context that they were written for.
fn rows(text: &str) -> Vec<Value> {
    let place = [("cwd", "/home/dev/shop"), ("home", "/home/dev"), ("project_root", "/home/dev/shop")];
    text.lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            for (key, value) in place {
                row[key] = value.into();
            }
            row
        })
        .collect()
}

fn stopped(rows: &[Value]) -> Vec<bool> {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    batch(&Home::new(), &lines).iter().map(|said| said["verdict"] != "allow").collect()
}

#[test]
fn attacks_are_stopped_and_ordinary_work_is_not() {
    let attacks = rows(include_str!("../../../guard/corpus/attacks.jsonl"));
    let harmless = rows(include_str!("../../../guard/corpus/harmless.jsonl"));
    assert!(attacks.len() >= 350 && harmless.len() >= 390);
    let attacks2 = rows(include_str!("../../../guard/corpus/attacks2.jsonl"));
    let harmless2 = rows(include_str!("../../../guard/corpus/harmless2.jsonl"));
    let attacks3 = rows(include_str!("../../../guard/corpus/attacks3.jsonl"));
    let harmless3 = rows(include_str!("../../../guard/corpus/harmless3.jsonl"));
    assert!(
        attacks2.len() >= 790 && harmless2.len() >= 560 && attacks3.len() >= 280 && harmless3.len() >= 200
    );
    for (rows, good, most_wrong) in [
        (&attacks, true, 5),
        (&harmless, false, 2),
        (&attacks2, true, 7),
        (&harmless2, false, 1),
        (&attacks3, true, 18),
        (&harmless3, false, 2),
    ] {
        let found = stopped(rows);
        let wrong: Vec<&Value> =
            rows.iter().zip(&found).filter(|(_, stop)| **stop != good).map(|(row, _)| row).collect();
        let few = wrong.len() * 100 <= rows.len() * most_wrong;
        assert!(few, "{} of {} are wrong:\n{wrong:#?}", wrong.len(), rows.len());
    }
}
